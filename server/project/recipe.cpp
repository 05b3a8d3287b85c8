#include "server/project/recipe.h"

#include "engine/exchange/codec.h"

#include <algorithm>
#include <array>

namespace commonweight::server {

namespace {

struct PresetRecipe {
    const char* preset;
    std::uint32_t microBatch;
    std::uint32_t sequenceLength;
    double learningRate;
};

/// Small enough for an ordinary computer's memory; larger batches come from many hosts.
constexpr std::array kRecipes{
    PresetRecipe{"tiny", 4, 32, 3e-3},         PresetRecipe{"demo", 8, 128, 2e-3},
    PresetRecipe{"nanogpt-cpu", 12, 64, 1e-3}, PresetRecipe{"shakespeare", 16, 256, 1e-3},
    PresetRecipe{"small", 8, 256, 6e-4},       PresetRecipe{"base", 4, 1024, 6e-4},
    PresetRecipe{"large", 2, 1024, 3e-4},
};
constexpr PresetRecipe kOtherModels{"", 4, 512, 3e-4};
/// Tokens that a model of a given size makes good use of (Hoffmann et al. 2022, "Training
/// compute-optimal large language models").
constexpr std::uint64_t kTokensPerParameter = 20;
constexpr double kFloorShare = 0.1;
constexpr std::uint64_t kWarmUpSteps = 100;
constexpr double kMeanRuleLearningRate = 0.7;

const PresetRecipe& recipeFor(const std::string& preset)
{
    const auto found =
        std::find_if(kRecipes.begin(), kRecipes.end(),
                     [&](const PresetRecipe& recipe) { return preset == recipe.preset; });
    return found == kRecipes.end() ? kOtherModels : *found;
}

} // namespace

std::string slugOf(const std::string& name)
{
    constexpr std::size_t kLength = 40;
    std::string slug;
    for (const char c : name) {
        const bool upper = c >= 'A' && c <= 'Z';
        const bool plain = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (plain)
            slug += upper ? static_cast<char>(c - 'A' + 'a') : c;
        else if (!slug.empty() && slug.back() != '-')
            slug += '-';
    }
    slug.resize(std::min(slug.size(), kLength));
    slug.erase(slug.find_last_not_of('-') + 1);
    return slug.empty() ? "run" : slug;
}

Result<work::RunConfig> makeRunConfig(const RecipeOptions& options, const model::ModelConfig& model,
                                      const TokenizerChoice& tokenizer)
{
    const auto& recipe = recipeFor(options.preset);
    work::RunConfig config;
    config.id = slugOf(options.name);
    config.name = options.name;
    config.model = model::toJson(model);
    config.tokenizer = tokenizer.kind;
    config.vocabulary = tokenizer.vocabulary;
    config.bytesPerToken = tokenizer.bytesPerToken;
    config.microBatch = options.microBatch.value_or(recipe.microBatch);
    config.accumulation = options.accumulation;
    config.sequenceLength = options.sequenceLength.value_or(static_cast<std::uint32_t>(
        std::min<std::int64_t>(recipe.sequenceLength, model.maxPositions)));
    config.sequencesPerLane = options.sequencesPerLane;
    config.stepsAtMost = options.stepsAtMost;
    config.peakLearningRate = options.learningRate.value_or(recipe.learningRate);
    config.floorLearningRate =
        options.floorLearningRate.value_or(config.peakLearningRate * kFloorShare);
    config.totalTokens = options.totalTokens.value_or(
        static_cast<std::uint64_t>(model.parameters()) * kTokensPerParameter);
    const std::uint64_t stepTokens =
        std::uint64_t{config.microBatch} * config.accumulation * config.sequenceLength;
    config.warmupTokens = std::min(config.totalTokens / 20, kWarmUpSteps * stepTokens);
    config.codec = options.codec;
    config.outer.rule = options.rule;
    config.outer.learningRate = options.outerLearningRate.value_or(
        options.rule == "decoupled" ? work::OuterOptimizer().learningRate : kMeanRuleLearningRate);
    config.outer.momentum =
        options.outerMomentum.value_or(options.fineTune ? 0 : work::OuterOptimizer().momentum);
    config.fineTune = options.fineTune && !options.outerMomentum;
    config.downlink.codec = options.downlink;
    config.round.seconds = options.roundSeconds;
    config.round.shiftOnArrival = options.shiftOnArrival;
    config.round.minimumQuorum = options.minimumQuorum;
    config.round.target = std::max(options.target, options.minimumQuorum);
    config.seed = options.seed;
    config.fragmentBytes = options.fragmentBytes;

    CW_TRY(const auto codec, exchange::codecByName(config.codec));
    static_cast<void>(codec);
    if (config.sequenceLength > model.maxPositions)
        return Error{ErrorKind::Protocol, "--sequence-length " +
                                              std::to_string(config.sequenceLength) +
                                              " is longer than the model's context of " +
                                              std::to_string(model.maxPositions) + " tokens"};
    // The reader of the configuration knows all other limits; what it refuses is named there.
    return work::runConfigFromJson(work::toJson(config));
}

} // namespace commonweight::server
