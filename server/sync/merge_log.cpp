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
    if (version.exact)
        json["exact"] = work::toJson(*version.exact);
    if (version.delta)
        json["delta"] = work::toJson(*version.delta);
    if (version.momentum)
        json["momentum"] = work::toJson(*version.momentum);
    return json;
}

Result<std::optional<work::BlobRef>> blobMember(const Json& json, const char* name)
{
    if (!json.contains(name))
        return std::optional<work::BlobRef>();
    CW_TRY(const auto blob, work::blobRefFromJson(json[name]));
    return std::optional(blob);
}

Result<FragmentVersion> fragmentVersionFromJson(const Json& json)
{
    FragmentVersion version;
    CW_TRY(const Json parameters, objectMember(json, "parameters"));
    CW_TRY(version.parameters, work::blobRefFromJson(parameters));
    CW_TRY(const auto opposed, integerMember(json, "opposed", 0, 1'000'000));
    version.opposed = static_cast<std::uint32_t>(opposed);
    CW_TRY(version.exact, blobMember(json, "exact"));
    CW_TRY(version.delta, blobMember(json, "delta"));
    CW_TRY(version.momentum, blobMember(json, "momentum"));
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

/// A merge's settings, inputs and report, as members of `json`.
void addStep(Json& json, const MergeStep& step)
{
    json["settings"] = toJson(step.settings);
    json["inputs"] = Json::array();
    for (const auto& input : step.inputs)
        json["inputs"].push_back(toJson(input));
    json["merged_norm"] = step.report.mergedNorm;
    json["agreement"] = step.report.agreement;
    json["momentum_restarted"] = step.report.momentumRestarted;
}

Result<MergeStep> stepFromJson(const Json& json)
{
    MergeStep step;
    CW_TRY(const Json settings, objectMember(json, "settings"));
    CW_TRY(step.settings, settingsFromJson(settings));
    CW_TRY(const Json inputs, arrayMember(json, "inputs", kInputsAtMost));
    for (const auto& item : inputs) {
        CW_TRY(auto input, inputFromJson(item));
        step.inputs.push_back(std::move(input));
    }
    CW_TRY(step.report.mergedNorm, numberMember(json, "merged_norm"));
    CW_TRY(step.report.agreement, numberMember(json, "agreement"));
    CW_TRY(step.report.momentumRestarted, boolMember(json, "momentum_restarted"));
    return step;
}

Json toJson(const TableStep& table)
{
    Json inputs = Json::array();
    for (const auto& input : table.inputs)
        inputs.push_back({{"result", input.result},
                          {"weight", input.weight},
                          {"table", work::toJson(input.table)}});
    return {{"before", work::toJson(table.before)},
            {"after", work::toJson(table.after)},
            {"inputs", std::move(inputs)}};
}

Result<TableStep> tableFromJson(const Json& json)
{
    TableStep table;
    CW_TRY(const Json before, objectMember(json, "before"));
    CW_TRY(table.before, work::blobRefFromJson(before));
    CW_TRY(const Json after, objectMember(json, "after"));
    CW_TRY(table.after, work::blobRefFromJson(after));
    CW_TRY(const Json inputs, arrayMember(json, "inputs", kInputsAtMost));
    for (const auto& item : inputs) {
        TableInput input;
        CW_TRY(input.result, textMember(item, "result"));
        CW_TRY(input.weight, numberMember(item, "weight"));
        CW_TRY(const Json blob, objectMember(item, "table"));
        CW_TRY(input.table, work::blobRefFromJson(blob));
        table.inputs.push_back(std::move(input));
    }
    return table;
}

} // namespace

Json toJson(const MergeLogEntry& entry)
{
    Json json{{"before", toJson(entry.before)}, {"after", toJson(entry.after)}};
    addStep(json, {entry.settings, entry.inputs, entry.report});
    for (const auto& step : entry.more) {
        Json member;
        addStep(member, step);
        json["more"].push_back(std::move(member));
    }
    if (entry.restored)
        json["restored"] = *entry.restored;
    if (entry.table)
        json["table"] = toJson(*entry.table);
    return json;
}

Result<MergeLogEntry> mergeLogEntryFromJson(const Json& json)
{
    MergeLogEntry entry;
    CW_TRY(auto step, stepFromJson(json));
    entry.settings = std::move(step.settings);
    entry.inputs = std::move(step.inputs);
    entry.report = step.report;
    CW_TRY(const Json before, objectMember(json, "before"));
    CW_TRY(entry.before, fragmentVersionFromJson(before));
    CW_TRY(const Json after, objectMember(json, "after"));
    CW_TRY(entry.after, fragmentVersionFromJson(after));
    if (json.contains("more")) {
        CW_TRY(const Json more, arrayMember(json, "more", kInputsAtMost));
        for (const auto& item : more) {
            CW_TRY(auto next, stepFromJson(item));
            entry.more.push_back(std::move(next));
        }
    }
    if (json.contains("restored")) {
        CW_TRY(const auto restored, integerMember(json, "restored", 0, std::int64_t{1} << 53));
        entry.restored = static_cast<std::uint64_t>(restored);
    }
    if (json.contains("table")) {
        CW_TRY(entry.table, tableFromJson(json["table"]));
    }
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
