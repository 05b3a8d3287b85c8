#include "engine/work/project_info.h"

#include "engine/work/field_reader.h"
#include "engine/work/limits.h"

namespace commonweight::work {

namespace {

Json toJson(const RunSummary& run)
{
    return {{"id", run.id}, {"name", clipped(run.name, limits::kNameBytes)}, {"state", run.state}};
}

FieldReader& readSummary(FieldReader& reader, RunSummary& run)
{
    return reader.identifier("id", run.id)
        .text("name", run.name, limits::kNameBytes)
        .oneOf("state", run.state, {"running", "paused", "finished"});
}

Result<RunSummary> summaryFromJson(const Json& json)
{
    RunSummary run;
    FieldReader reader(json);
    return readSummary(reader, run).take(run);
}

Result<int> protocolFromJson(const Json& json)
{
    if (!json.is_number_integer() || json.get<std::int64_t>() < 1 ||
        json.get<std::int64_t>() > 1000)
        return Error{ErrorKind::Protocol,
                     "a protocol version must be a whole number from 1 to 1000"};
    return json.get<int>();
}

Result<PublicKey> keyFromJson(const Json& json)
{
    const auto* text = json.get_ptr<const std::string*>();
    if (!text)
        return Error{ErrorKind::Protocol, "a public key must be base64 text"};
    return PublicKey::parse(*text);
}

Json toJson(const LossPoint& point)
{
    return {{"version", point.version},
            {"tokens", point.tokens},
            {"loss", point.loss},
            {"time", toRfc3339(point.time)}};
}

Result<LossPoint> lossPointFromJson(const Json& json)
{
    LossPoint point;
    return FieldReader(json)
        .integer("version", point.version, 0, limits::kInteger)
        .integer("tokens", point.tokens, 0, limits::kInteger)
        .number("loss", point.loss, -limits::kLoss, limits::kLoss)
        .time("time", point.time)
        .take(point);
}

Json toJson(const ContributorSummary& contributor)
{
    return {{"host", contributor.host},
            {"name", clipped(contributor.name, limits::kNameBytes)},
            {"results", contributor.results},
            {"tokens", contributor.tokens}};
}

Result<ContributorSummary> contributorFromJson(const Json& json)
{
    ContributorSummary contributor;
    return FieldReader(json)
        .identifier("host", contributor.host)
        .text("name", contributor.name, limits::kNameBytes)
        .integer("results", contributor.results, 0, limits::kInteger)
        .integer("tokens", contributor.tokens, 0, limits::kInteger)
        .take(contributor);
}

template <class T> Json listToJson(const std::vector<T>& values)
{
    Json list = Json::array();
    for (const T& value : values)
        list.push_back(toJson(value));
    return list;
}

} // namespace

Json toJson(const ProjectInfo& info)
{
    return {{"name", clipped(info.name, limits::kNameBytes)},
            {"description", clipped(info.description, limits::kTextBytes)},
            {"key", info.key.base64()},
            {"runs", listToJson(info.runs)},
            {"protocols", info.protocols},
            {"upload_limit", info.uploadLimit},
            {"terms", clipped(info.terms, limits::kSentenceBytes)}};
}

Result<ProjectInfo> projectInfoFromJson(const Json& json)
{
    ProjectInfo info;
    return FieldReader(json)
        .text("name", info.name, limits::kNameBytes)
        .text("description", info.description, limits::kTextBytes)
        .member("key", info.key, keyFromJson)
        .list("runs", info.runs, limits::kRuns, summaryFromJson)
        .list("protocols", info.protocols, limits::kProtocols, protocolFromJson)
        .integer("upload_limit", info.uploadLimit, 0, limits::kInteger)
        .text("terms", info.terms, limits::kSentenceBytes)
        .take(info);
}

Json toJson(const RunInfo& info)
{
    Json json = toJson(RunSummary{info.id, info.name, info.state});
    json["model"] = info.model;
    json["parameters"] = info.parameters;
    json["newest"] = toJson(info.newest);
    json["tokens_merged"] = info.tokensMerged;
    json["tokens_total"] = info.tokensTotal;
    json["results_merged"] = info.resultsMerged;
    json["losses"] = listToJson(info.losses);
    json["contributors"] = listToJson(info.contributors);
    json["active_hosts"] = info.activeHosts;
    return json;
}

Result<RunInfo> runInfoFromJson(const Json& json)
{
    RunInfo info;
    RunSummary summary;
    FieldReader reader(json);
    readSummary(reader, summary)
        .opaque("model", info.model, limits::kModelBytes)
        .integer("parameters", info.parameters, 0, limits::kInteger)
        .member("newest", info.newest, anchorFromJson)
        .integer("tokens_merged", info.tokensMerged, 0, limits::kInteger)
        .integer("tokens_total", info.tokensTotal, 0, limits::kInteger)
        .integer("results_merged", info.resultsMerged, 0, limits::kInteger)
        .list("losses", info.losses, limits::kLossPoints, lossPointFromJson)
        .list("contributors", info.contributors, limits::kContributors, contributorFromJson)
        .integer("active_hosts", info.activeHosts, 0, limits::kInteger);
    info.id = std::move(summary.id);
    info.name = std::move(summary.name);
    info.state = std::move(summary.state);
    return reader.take(info);
}

} // namespace commonweight::work
