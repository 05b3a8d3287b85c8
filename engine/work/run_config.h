#pragma once
// A run as the operator fixed it at creation: the model, the recipe of its units, the merge. Plain
// values.

#include "engine/work/unit.h"

namespace commonweight::work {

struct OuterOptimizer {
    /// "decoupled" (radial–directional averaging) | "mean" | "diloco" | "delayed-nesterov" | "once"
    std::string rule = "decoupled";
    double learningRate = 0.42; ///< η
    double momentum = 0.9;      ///< μ
    std::uint32_t period = 8;   ///< of delayed-nesterov: momentum moves once in so many results
    bool operator==(const OuterOptimizer&) const = default;
};

struct RoundPolicyConfig {
    double seconds = 1200;    ///< length of a round
    double graceShare = 0.25; ///< of a round at most, for uploads in flight
    double graceLeast = 0.1;  ///< of a round at least; never above graceShare
    /// γ: share of the slack that is spent on waiting. 0 = always graceShare (runs of older
    /// versions).
    double graceGamma = 0.5;
    double overlapShare = 0.5;       ///< of a round that a host is busy after it reported
    bool shiftOnArrival = false;     ///< hosts go on while they send: docs/protocol.md
    std::uint32_t minimumQuorum = 1; ///< K
    std::uint32_t target = 16;       ///< B: merge at once when so many are in
    std::uint32_t maxStaleness = 8;  ///< S_max, in versions
    bool operator==(const RoundPolicyConfig&) const = default;
};

/// How versions reach the volunteers.
struct DownlinkConfig {
    std::string codec = "int8";       ///< "int8" | "int4" | "none" (whole files only)
    std::uint32_t snapshotEvery = 32; ///< versions from which replays start
    bool operator==(const DownlinkConfig&) const = default;
};

struct RunConfig {
    std::string id;
    std::string name;
    Json model;                      ///< config.json
    std::string tokenizer = "bytes"; ///< "bytes" | "sentencepiece"
    Sha256 vocabulary;               ///< hash of the tokenizer; the shard headers carry it
    double bytesPerToken = 1; ///< of the held-out text: turns nats per token into nats per byte
    std::uint32_t microBatch = 12;
    std::uint32_t accumulation = 1;
    std::uint32_t sequenceLength = 64;
    std::uint32_t sequencesPerLane = 10;
    std::uint64_t stepsAtMost = 500; ///< H
    AdamW optimizer;
    double peakLearningRate = 1e-3;
    double floorLearningRate = 1e-4;
    std::uint64_t warmupTokens = 0; ///< of the learning rate
    std::uint64_t totalTokens = 0;  ///< of the run: the schedule ends here
    std::string numericClass = "fp32";
    std::string codec = "int4";
    std::string optimizerState = "table"; ///< of its units: "table" | "carried"
    OuterOptimizer outer;
    RoundPolicyConfig round;
    DownlinkConfig downlink;
    bool fineTune = false; ///< continues a finished model: merges without momentum
    std::uint64_t seed = 1;
    std::uint64_t fragmentBytes = 64u << 20; ///< one fragment below this many bytes of parameters
    bool operator==(const RunConfig&) const = default;
};

Json toJson(const RunConfig& config);
Result<RunConfig> runConfigFromJson(const Json& json);

} // namespace commonweight::work
