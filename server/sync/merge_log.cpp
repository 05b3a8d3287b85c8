#include "server/sync/merge_log.h"

namespace commonweight::server {

namespace {

constexpr std::size_t kInputsAtMost = 1'000'000;

Json toJson(const exchange::OuterSettings& settings)
{
    return {{"rule", settings.rule},
            {"learning_rate", settings.learningRate},
            {"momentum", settings.momentum},
            {"max_staleness", settings.maxStaleness},
            {"account_cap", settings.accountCap},
            {"clip_to_median", settings.clipToMedian},
            {"period", settings.period},
            {"mean_gain", settings.meanGain}};
}

Result<exchange::OuterSettings> settingsFromJson(const Json& json)
{
    exchange::OuterSettings settings;
    CW_TRY(settings.rule, textMember(json, "rule"));
    CW_TRY(settings.learningRate, numberMember(json, "learning_rate"));
    CW_TRY(settings.momentum, numberMember(json, "momentum"));
    CW_TRY(const auto staleness, integerMember(json, "max_staleness", 0, 1'000'000));
    settings.maxStaleness = static_cast<std::uint32_t>(staleness);
    CW_TRY(settings.accountCap, numberMember(json, "account_cap"));
    CW_TRY(settings.clipToMedian, boolMember(json, "clip_to_median"));
    if (json.contains("period")) {
        CW_TRY(const auto period, integerMember(json, "period", 1, 1'000'000));
        settings.period = static_cast<std::uint32_t>(period);
    }
    if (json.contains("mean_gain")) {
        CW_TRY(settings.meanGain, numberMember(json, "mean_gain"));
    }
    return settings;
}

Json toJson(const FragmentVersion& version)
{
    Json json{{"parameters", work::toJson(version.parameters)}, {"opposed", version.opposed}};
    if (version.momentum)
        json["momentum"] = work::toJson(*version.momentum);
    return json;
}

Result<FragmentVersion> fragmentVersionFromJson(const Json& json)
{
    FragmentVersion version;
    CW_TRY(const Json parameters, objectMember(json, "parameters"));
    CW_TRY(version.parameters, work::blobRefFromJson(parameters));
    CW_TRY(const auto opposed, integerMember(json, "opposed", 0, 1'000'000));
    version.opposed = static_cast<std::uint32_t>(opposed);
    if (json.contains("momentum")) {
        CW_TRY(version.momentum, work::blobRefFromJson(json["momentum"]));
    }
    return version;
}

Json toJson(const MergeInput& input)
{
    return {{"result", input.result},
            {"weight", input.weight},
            {"staleness", input.staleness},
            {"outer_gradient", work::toJson(input.outerGradient)}};
}

Result<MergeInput> inputFromJson(const Json& json)
{
    MergeInput input;
    CW_TRY(input.result, textMember(json, "result"));
    CW_TRY(input.weight, numberMember(json, "weight"));
    CW_TRY(const auto staleness, integerMember(json, "staleness", 0, std::int64_t{1} << 53));
    input.staleness = static_cast<std::uint64_t>(staleness);
    CW_TRY(const Json blob, objectMember(json, "outer_gradient"));
    CW_TRY(input.outerGradient, work::blobRefFromJson(blob));
    return input;
}

} // namespace

Json toJson(const MergeLogEntry& entry)
{
    Json inputs = Json::array();
    for (const auto& input : entry.inputs)
        inputs.push_back(toJson(input));
    return {{"settings", toJson(entry.settings)},
            {"inputs", std::move(inputs)},
            {"before", toJson(entry.before)},
            {"after", toJson(entry.after)},
            {"merged_norm", entry.report.mergedNorm},
            {"agreement", entry.report.agreement},
            {"momentum_restarted", entry.report.momentumRestarted}};
}

Result<MergeLogEntry> mergeLogEntryFromJson(const Json& json)
{
    MergeLogEntry entry;
    CW_TRY(const Json settings, objectMember(json, "settings"));
    CW_TRY(entry.settings, settingsFromJson(settings));
    CW_TRY(const Json inputs, arrayMember(json, "inputs", kInputsAtMost));
    for (const auto& item : inputs) {
        CW_TRY(auto input, inputFromJson(item));
        entry.inputs.push_back(std::move(input));
    }
    CW_TRY(const Json before, objectMember(json, "before"));
    CW_TRY(entry.before, fragmentVersionFromJson(before));
    CW_TRY(const Json after, objectMember(json, "after"));
    CW_TRY(entry.after, fragmentVersionFromJson(after));
    CW_TRY(entry.report.mergedNorm, numberMember(json, "merged_norm"));
    CW_TRY(entry.report.agreement, numberMember(json, "agreement"));
    CW_TRY(entry.report.momentumRestarted, boolMember(json, "momentum_restarted"));
    return entry;
}

exchange::OuterSettings outerSettings(const work::RunConfig& config)
{
    exchange::OuterSettings settings;
    settings.rule = config.outer.rule;
    settings.learningRate = config.outer.learningRate;
    settings.momentum = config.outer.momentum;
    settings.maxStaleness = config.round.maxStaleness;
    settings.period = config.outer.period;
    return settings;
}

} // namespace commonweight::server
