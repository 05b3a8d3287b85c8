#pragma once
// From what the operator asked for to a run's configuration: defaults that fit the model's size,
// and checks that name the option to change. Pure functions.

#include "engine/model/config.h"
#include "engine/work/run_config.h"

#include <filesystem>
#include <optional>

namespace commonweight::server {

struct RecipeOptions {
    std::string name;
    std::string preset = "demo"; ///< of engine/model; without meaning when the model is given
    std::optional<std::uint32_t> microBatch;
    std::uint32_t accumulation = 1;
    std::optional<std::uint32_t> sequenceLength;
    std::uint32_t sequencesPerLane = 10;
    std::uint64_t stepsAtMost = 500;
    double roundSeconds = 1200;
    std::uint32_t minimumQuorum = 1;
    std::optional<std::uint64_t> totalTokens;
    std::string codec = "int4";
    std::optional<double> learningRate;
    std::optional<double> floorLearningRate;
    std::string rule = "decoupled";
    std::optional<double> outerLearningRate;
    std::optional<double> outerMomentum; ///< default: 0.9, and 0 for fine-tunes
    std::uint32_t target = 16;
    std::string downlink = "int8"; ///< "int8" | "int4" | "none"
    bool fineTune = false;
    bool shiftOnArrival = false;
    std::uint64_t seed = 1;
    std::uint64_t fragmentBytes = 64u << 20;
};

struct TokenizerChoice {
    std::string kind = "bytes"; ///< "bytes" | "sentencepiece"
    Sha256 vocabulary;
    double bytesPerToken = 1;
};

/// Protocol, with the option's name, when something does not fit together.
Result<work::RunConfig> makeRunConfig(const RecipeOptions& options, const model::ModelConfig& model,
                                      const TokenizerChoice& tokenizer);

/// "Verse 25M" → "verse-25m": the run's identifier.
std::string slugOf(const std::string& name);

} // namespace commonweight::server
