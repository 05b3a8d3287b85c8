#pragma once
// The one periodic call, POST /v1/scheduler, and the answer. Plain values; JSON in
// scheduler_messages.cpp.

#include "engine/work/unit.h"

namespace commonweight::work {

struct DeviceReport {
    std::string name;           ///< "Processor, 2 threads"
    std::string backend;        ///< "cpu" | "vulkan" | "cuda"
    double tokensPerSecond = 0; ///< measured on this run's model; 0 = not known yet
    bool wantsWork = false;     ///< it has no unit, or its unit ends soon
    bool operator==(const DeviceReport&) const = default;
};

struct RunningReport {
    std::string unit;
    std::uint64_t step = 0;
    /// It ends soon, or its result is on the way: the host could begin the next one from there.
    bool sending = false;
    bool operator==(const RunningReport&) const = default;
};

struct FailureReport {
    std::string unit;
    std::string reason; ///< a word of ErrorKind, or "declined" when the user handed it back
    std::string message;
    bool operator==(const FailureReport&) const = default;
};

struct SchedulerRequest {
    int protocol = 1;
    std::string host;
    std::string run; ///< empty = any
    std::vector<DeviceReport> devices;
    std::vector<RunningReport> running;
    std::vector<FailureReport> failed;
    std::uint64_t memoryBytes = 0; ///< that training may use
    bool operator==(const SchedulerRequest&) const = default;
};

struct SchedulerReply {
    std::vector<Json> units;            ///< signed envelopes: verifiedJson("unit", …, projectKey)
    std::vector<std::string> withdrawn; ///< unit ids whose result is no longer wanted
    std::vector<std::string> notices;   ///< sentences for people
    Seconds retryAfter{30}; ///< do not call again earlier, unless something was finished
    std::string reason;     ///< when there is no unit: why, for people
    bool operator==(const SchedulerReply&) const = default;
};

Json toJson(const SchedulerRequest& request);
Result<SchedulerRequest> schedulerRequestFromJson(const Json& json);
Json toJson(const SchedulerReply& reply);
Result<SchedulerReply> schedulerReplyFromJson(const Json& json);

} // namespace commonweight::work
