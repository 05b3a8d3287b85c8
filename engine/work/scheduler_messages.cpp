#include "engine/work/scheduler_messages.h"

#include "engine/work/field_reader.h"
#include "engine/work/limits.h"

#include <algorithm>

namespace commonweight::work {

namespace {

constexpr std::size_t kReasonBytes = 64;

Json toJson(const DeviceReport& report)
{
    return {{"name", clipped(report.name, limits::kNameBytes)},
            {"backend", report.backend},
            {"tokens_per_second", report.tokensPerSecond},
            {"wants_work", report.wantsWork}};
}

Result<DeviceReport> deviceFromJson(const Json& json)
{
    DeviceReport report;
    return FieldReader(json)
        .text("name", report.name, limits::kNameBytes)
        .identifier("backend", report.backend)
        .number("tokens_per_second", report.tokensPerSecond, 0, limits::kTokensPerSecond)
        .flag("wants_work", report.wantsWork)
        .take(report);
}

Json toJson(const RunningReport& report)
{
    Json json{{"unit", report.unit}, {"step", report.step}};
    if (report.sending)
        json["sending"] = true;
    return json;
}

Result<RunningReport> runningFromJson(const Json& json)
{
    RunningReport report;
    FieldReader reader(json);
    if (reader.has("sending"))
        reader.flag("sending", report.sending);
    return reader.identifier("unit", report.unit)
        .integer("step", report.step, 0, limits::kSteps)
        .take(report);
}

Json toJson(const FailureReport& report)
{
    return {{"unit", report.unit},
            {"reason", clipped(report.reason, kReasonBytes)},
            {"message", clipped(report.message, limits::kSentenceBytes)}};
}

Result<FailureReport> failureFromJson(const Json& json)
{
    FailureReport report;
    return FieldReader(json)
        .identifier("unit", report.unit)
        .text("reason", report.reason, kReasonBytes)
        .text("message", report.message, limits::kSentenceBytes)
        .take(report);
}

/// The list's first `max` elements: a sender keeps to the limits, and reports the rest next time.
template <class T> Json listToJson(const std::vector<T>& values, std::size_t max)
{
    Json list = Json::array();
    for (std::size_t i = 0; i < std::min(values.size(), max); ++i)
        list.push_back(toJson(values[i]));
    return list;
}

Result<Json> envelopeFromJson(const Json& json)
{
    if (!json.is_object())
        return Error{ErrorKind::Protocol, "a signed unit must be an object"};
    return json;
}

} // namespace

Json toJson(const SchedulerRequest& request)
{
    return {{"protocol", request.protocol},
            {"host", request.host},
            {"run", request.run},
            {"devices", listToJson(request.devices, limits::kDevices)},
            {"running", listToJson(request.running, limits::kRunning)},
            {"failed", listToJson(request.failed, limits::kFailures)},
            {"memory_bytes", request.memoryBytes}};
}

Result<SchedulerRequest> schedulerRequestFromJson(const Json& json)
{
    SchedulerRequest request;
    return FieldReader(json)
        .integer("protocol", request.protocol, 1, 1000)
        .identifier("host", request.host)
        .identifierOrEmpty("run", request.run)
        .list("devices", request.devices, limits::kDevices, deviceFromJson)
        .list("running", request.running, limits::kRunning, runningFromJson)
        .list("failed", request.failed, limits::kFailures, failureFromJson)
        .integer("memory_bytes", request.memoryBytes, 0, limits::kInteger)
        .take(request);
}

Json toJson(const SchedulerReply& reply)
{
    Json notices = Json::array();
    for (const std::string& notice : reply.notices)
        notices.push_back(clipped(notice, limits::kSentenceBytes));
    return {{"units", reply.units},
            {"withdrawn", reply.withdrawn},
            {"notices", std::move(notices)},
            {"retry_after", reply.retryAfter.count()},
            {"reason", clipped(reply.reason, limits::kSentenceBytes)}};
}

Result<SchedulerReply> schedulerReplyFromJson(const Json& json)
{
    SchedulerReply reply;
    double retryAfter = 0;
    FieldReader reader(json);
    reader.list("units", reply.units, limits::kUnitsInReply, envelopeFromJson)
        .list("withdrawn", reply.withdrawn, limits::kWithdrawn, identifierFromJson)
        .list("notices", reply.notices, limits::kNotices, sentenceFromJson)
        .number("retry_after", retryAfter, 0, limits::kWeekSeconds)
        .text("reason", reply.reason, limits::kSentenceBytes);
    reply.retryAfter = Seconds{retryAfter};
    return reader.take(reply);
}

} // namespace commonweight::work
