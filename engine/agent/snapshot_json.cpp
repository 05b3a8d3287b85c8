#include "engine/agent/snapshot_json.h"

namespace commonweight::agent {

namespace {

Json timeOrNull(const std::optional<WallTime>& time)
{
    return time ? Json(toRfc3339(*time)) : Json();
}

Json toJson(const TaskView& task)
{
    return {{"unit", task.unit},
            {"run", task.run},
            {"state", toString(task.state)},
            {"device", task.device},
            {"step", task.step},
            {"steps_at_most", task.stepsAtMost},
            {"progress", task.progress},
            {"seconds_left", task.secondsLeft < 0 ? Json() : Json(task.secondsLeft)},
            {"tokens_per_second", task.tokensPerSecond},
            {"loss", task.loss},
            {"message", task.message},
            {"since", toRfc3339(task.since)}};
}

Json toJson(const DeviceView& device)
{
    return {{"id", device.id},
            {"name", device.name},
            {"running", device.running},
            {"blockers", toJson(device.blockers)},
            {"tokens_per_second", device.tokensPerSecond}};
}

Json toJson(const TransferView& transfer)
{
    return {{"what", transfer.what},
            {"upload", transfer.upload},
            {"done", transfer.done},
            {"total", transfer.total},
            {"message", transfer.message}};
}

Json toJson(const ProjectView& project)
{
    return {{"address", project.address},
            {"name", project.name},
            {"problem", project.problem},
            {"run", project.run.id.empty() ? Json() : work::toJson(project.run)}};
}

template <class T> Json listOf(const std::vector<T>& values)
{
    Json list = Json::array();
    for (const auto& value : values)
        list.push_back(toJson(value));
    return list;
}

} // namespace

const char* toString(Reason reason)
{
    switch (reason) {
    case Reason::NotAttached:
        return "not_attached";
    case Reason::OnBattery:
        return "on_battery";
    case Reason::LowCharge:
        return "low_charge";
    case Reason::PowerSaver:
        return "power_saver";
    case Reason::TooHot:
        return "too_hot";
    case Reason::LowMemory:
        return "low_memory";
    case Reason::LowDisk:
        return "low_disk";
    case Reason::PausedByUser:
        return "paused_by_user";
    case Reason::GameRunning:
        return "game_running";
    case Reason::ProgramRunning:
        return "program_running";
    case Reason::OthersBusy:
        return "others_busy";
    case Reason::OutOfHours:
        return "out_of_hours";
    case Reason::VideoPlaying:
        return "video_playing";
    case Reason::UserActive:
        return "user_active";
    case Reason::SwitchedOff:
        return "switched_off";
    case Reason::NoWork:
        return "no_work";
    case Reason::ServerUnreachable:
        return "server_unreachable";
    case Reason::NotConfined:
        return "not_confined";
    case Reason::DeviceFailed:
        return "device_failed";
    case Reason::Preparing:
        return "preparing";
    case Reason::Stopping:
        return "stopping";
    }
    return "unknown";
}

const char* toString(Activity activity)
{
    switch (activity) {
    case Activity::Unattached:
        return "unattached";
    case Activity::Training:
        return "training";
    case Activity::Waiting:
        return "waiting";
    case Activity::Paused:
        return "paused";
    case Activity::Transferring:
        return "transferring";
    case Activity::Attention:
        return "attention";
    }
    return "unknown";
}

Json toJson(const std::vector<Blocker>& blockers)
{
    Json list = Json::array();
    for (const auto& blocker : blockers)
        list.push_back({{"reason", toString(blocker.reason)},
                        {"until", timeOrNull(blocker.until)},
                        {"detail", blocker.detail}});
    return list;
}

Json toJson(const LogLine& line)
{
    return {{"time", toRfc3339(line.time)}, {"text", line.text}};
}

Json toJson(const Snapshot& snapshot)
{
    const auto& contribution = snapshot.contribution;
    return {
        {"activity", toString(snapshot.activity)},
        {"blockers", toJson(snapshot.blockers)},
        {"pause", {{"active", snapshot.pause.active}, {"until", timeOrNull(snapshot.pause.until)}}},
        {"projects", listOf(snapshot.projects)},
        {"devices", listOf(snapshot.devices)},
        {"tasks", listOf(snapshot.tasks)},
        {"transfers", listOf(snapshot.transfers)},
        {"contribution",
         {{"units", contribution.units},
          {"tokens", contribution.tokens},
          {"hours", contribution.hours},
          {"share_of_model", contribution.shareOfModel}}},
        {"preferences", toJson(snapshot.preferences)},
        {"locked_settings", snapshot.lockedSettings},
        {"idle_source", snapshot.idleSource},
        {"log", listOf(snapshot.log)},
        {"version", snapshot.version}};
}

} // namespace commonweight::agent
