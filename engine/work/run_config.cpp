#include "engine/work/run_config.h"

#include "engine/work/field_reader.h"
#include "engine/work/limits.h"

namespace commonweight::work {

namespace {

constexpr std::int64_t kQuorum = 100'000;

Json toJson(const OuterOptimizer& outer)
{
    Json json{
        {"rule", outer.rule}, {"learning_rate", outer.learningRate}, {"momentum", outer.momentum}};
    if (outer.period != OuterOptimizer{}.period)
        json["period"] = outer.period;
    return json;
}

Result<OuterOptimizer> outerFromJson(const Json& json)
{
    OuterOptimizer outer;
    FieldReader reader(json);
    if (reader.has("period"))
        reader.integer("period", outer.period, 1, kQuorum);
    return reader
        .oneOf("rule", outer.rule, {"decoupled", "mean", "diloco", "delayed-nesterov", "once"})
        .number("learning_rate", outer.learningRate, 0, 10)
        .number("momentum", outer.momentum, 0, 1)
        .require(outer.momentum < 1, "member 'momentum' must be below 1")
        .take(outer);
}

Json toJson(const RoundPolicyConfig& round)
{
    return {{"seconds", round.seconds},
            {"grace_share", round.graceShare},
            {"grace_least", round.graceLeast},
            {"grace_gamma", round.graceGamma},
            {"overlap_share", round.overlapShare},
            {"shift_on_arrival", round.shiftOnArrival},
            {"minimum_quorum", round.minimumQuorum},
            {"target", round.target},
            {"max_staleness", round.maxStaleness}};
}

Result<bool> flagFromJson(const Json& json)
{
    if (!json.is_boolean())
        return Error{ErrorKind::Protocol, "true or false is expected"};
    return json.get<bool>();
}

Result<double> shareFromJson(const Json& json)
{
    const double share = json.is_number() ? json.get<double>() : -1;
    if (!(share >= 0 && share <= 1))
        return Error{ErrorKind::Protocol, "a number from 0 to 1 is expected"};
    return share;
}

Result<RoundPolicyConfig> roundFromJson(const Json& json)
{
    RoundPolicyConfig round;
    std::optional<double> least, gamma, overlap;
    std::optional<bool> shift;
    FieldReader reader(json);
    reader.number("grace_share", round.graceShare, 0, 1)
        .optional("grace_least", least, shareFromJson)
        .optional("grace_gamma", gamma, shareFromJson)
        .optional("overlap_share", overlap, shareFromJson)
        .optional("shift_on_arrival", shift, flagFromJson);
    // Older runs have a fixed grace.
    round.graceLeast = least.value_or(round.graceShare);
    round.graceGamma = gamma.value_or(0);
    round.overlapShare = overlap.value_or(0);
    round.shiftOnArrival = shift.value_or(false);
    return reader.number("seconds", round.seconds, 0, limits::kWeekSeconds)
        .integer("minimum_quorum", round.minimumQuorum, 1, kQuorum)
        .integer("target", round.target, 1, kQuorum)
        .integer("max_staleness", round.maxStaleness, 0, 1000)
        .require(round.seconds > 0, "member 'seconds' must be above 0")
        .require(round.minimumQuorum <= round.target,
                 "member 'minimum_quorum' must not be above 'target'")
        .take(round);
}

Json toJson(const DownlinkConfig& downlink)
{
    return {{"codec", downlink.codec}, {"snapshot_every", downlink.snapshotEvery}};
}

Result<DownlinkConfig> downlinkFromJson(const Json& json)
{
    DownlinkConfig downlink;
    return FieldReader(json)
        .oneOf("codec", downlink.codec, {"int8", "int4", "none"})
        .integer("snapshot_every", downlink.snapshotEvery, 1, 1'000'000)
        .take(downlink);
}

FieldReader& readRecipe(FieldReader& reader, RunConfig& config)
{
    if (reader.has("optimizer_state"))
        reader.oneOf("optimizer_state", config.optimizerState, {"table", "carried"});
    return reader.integer("micro_batch", config.microBatch, 1, limits::kMicroBatch)
        .integer("accumulation", config.accumulation, 1, limits::kAccumulation)
        .integer("sequence_length", config.sequenceLength, 1, limits::kSequenceLength)
        .integer("sequences_per_lane", config.sequencesPerLane, 1, 65'536)
        .integer("steps_at_most", config.stepsAtMost, 1, limits::kSteps)
        .member("optimizer", config.optimizer, adamWFromJson)
        .number("peak_learning_rate", config.peakLearningRate, 0, 10)
        .number("floor_learning_rate", config.floorLearningRate, 0, 10)
        .integer("warmup_tokens", config.warmupTokens, 0, limits::kInteger)
        .integer("total_tokens", config.totalTokens, 1, limits::kInteger)
        .oneOf("numeric_class", config.numericClass, {"fp32", "bf16"})
        .identifier("codec", config.codec);
}

} // namespace

Json toJson(const RunConfig& config)
{
    Json json{{"id", config.id},
              {"name", clipped(config.name, limits::kNameBytes)},
              {"model", config.model},
              {"tokenizer", config.tokenizer},
              {"vocabulary", config.vocabulary.hex()},
              {"bytes_per_token", config.bytesPerToken},
              {"micro_batch", config.microBatch},
              {"accumulation", config.accumulation},
              {"sequence_length", config.sequenceLength},
              {"sequences_per_lane", config.sequencesPerLane},
              {"steps_at_most", config.stepsAtMost},
              {"optimizer", toJson(config.optimizer)},
              {"peak_learning_rate", config.peakLearningRate},
              {"floor_learning_rate", config.floorLearningRate},
              {"warmup_tokens", config.warmupTokens},
              {"total_tokens", config.totalTokens},
              {"numeric_class", config.numericClass},
              {"codec", config.codec},
              {"outer", toJson(config.outer)},
              {"round", toJson(config.round)},
              {"downlink", toJson(config.downlink)},
              {"fine_tune", config.fineTune},
              {"seed", config.seed},
              {"fragment_bytes", config.fragmentBytes}};
    if (config.optimizerState != RunConfig{}.optimizerState)
        json["optimizer_state"] = config.optimizerState;
    return json;
}

Result<RunConfig> runConfigFromJson(const Json& json)
{
    RunConfig config;
    std::optional<DownlinkConfig> downlink;
    std::optional<bool> fineTune;
    FieldReader reader(json);
    reader.optional("downlink", downlink, downlinkFromJson)
        .optional("fine_tune", fineTune, flagFromJson);
    // A run of an older version goes on as it began.
    config.downlink = downlink.value_or(DownlinkConfig{.codec = "none"});
    config.fineTune = fineTune.value_or(false);
    reader.identifier("id", config.id)
        .text("name", config.name, limits::kNameBytes)
        .opaque("model", config.model, limits::kModelBytes)
        .oneOf("tokenizer", config.tokenizer, {"bytes", "sentencepiece"})
        .hash("vocabulary", config.vocabulary)
        .number("bytes_per_token", config.bytesPerToken, 1e-3, 1e6);
    return readRecipe(reader, config)
        .member("outer", config.outer, outerFromJson)
        .member("round", config.round, roundFromJson)
        .integer("seed", config.seed, 0, limits::kInteger - 1)
        .integer("fragment_bytes", config.fragmentBytes, 1, limits::kBlobBytes)
        .require(config.floorLearningRate <= config.peakLearningRate,
                 "member 'floor_learning_rate' must not be above 'peak_learning_rate'")
        .require(config.warmupTokens <= config.totalTokens,
                 "member 'warmup_tokens' must not be above 'total_tokens'")
        .take(config);
}

} // namespace commonweight::work
