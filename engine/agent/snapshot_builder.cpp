#include "engine/agent/snapshot_builder.h"

#include <algorithm>

namespace commonweight::agent {

namespace {

constexpr std::size_t kOldTasksShown = 50;
constexpr double kSecondsPerHour = 3600;

TaskView viewOf(const Task& task)
{
    TaskView view;
    view.unit = task.row.unit;
    view.run = task.row.run;
    view.state = task.row.state;
    view.device = task.row.device;
    view.step = task.step;
    view.stepsAtMost = task.steps;
    view.progress = task.row.state == TaskState::Committed ? 1 : task.progress;
    const bool estimated =
        task.row.state == TaskState::Running || task.row.state == TaskState::Paused;
    view.secondsLeft = estimated ? task.secondsLeft : -1;
    view.tokensPerSecond = task.row.state == TaskState::Running ? task.tokensPerSecond : 0;
    view.loss = task.loss;
    view.message = task.row.message.empty() ? task.transferNote : task.row.message;
    view.since = task.row.since;
    return view;
}

void addTasks(const SnapshotSources& sources, Snapshot& snapshot)
{
    std::vector<TaskView> over;
    const auto& tasks = sources.loop.queue().all();
    for (auto task = tasks.rbegin(); task != tasks.rend(); ++task) {
        if ((*task)->detached)
            continue;
        auto& list = (*task)->isOver() ? over : snapshot.tasks;
        list.push_back(viewOf(**task));
    }
    over.resize(std::min(over.size(), kOldTasksShown));
    snapshot.tasks.insert(snapshot.tasks.end(), over.begin(), over.end());
}

void addTransfers(const SnapshotSources& sources, Snapshot& snapshot)
{
    for (const auto& task : sources.loop.queue().all()) {
        for (const auto& transfer : task->transfers)
            if (transfer->done < transfer->total)
                snapshot.transfers.push_back(
                    {transfer->what, transfer->upload, transfer->done, transfer->total, {}});
        const bool upload = task->row.state == TaskState::Uploading;
        const bool waits = !task->transferring && !task->detached &&
                           (upload || task->row.state == TaskState::Downloading);
        const auto* session = sources.loop.supply().sessionOf(task->row.project);
        if (!waits || session == nullptr)
            continue;
        std::string why = session->problem().empty() ? task->transferNote : session->problem();
        snapshot.transfers.push_back(
            {upload ? "Your contribution" : "Model and text", upload, 0, 0, std::move(why)});
    }
}

void addProjects(const SnapshotSources& sources, Snapshot& snapshot)
{
    for (const auto& session : sources.loop.supply().sessions())
        snapshot.projects.push_back({session->project().address, session->project().name,
                                     session->problem(), session->run()});
}

void addContribution(const SnapshotSources& sources, Snapshot& snapshot)
{
    const auto& supply = sources.loop.supply();
    auto& contribution = snapshot.contribution;
    contribution.units = supply.totals().units;
    contribution.tokens = supply.totals().tokens;
    contribution.hours = supply.totals().seconds / kSecondsPerHour;
    if (snapshot.projects.empty() || snapshot.projects.front().run.tokensMerged == 0)
        return;
    const auto& project = snapshot.projects.front();
    const auto own = static_cast<double>(supply.ownTokens(project.address, project.run.id));
    contribution.shareOfModel = std::min(own / static_cast<double>(project.run.tokensMerged), 1.0);
}

/// Why nothing runs: what the devices have in common comes first, each reason once.
std::vector<Blocker> blockersOf(const Snapshot& snapshot, const SnapshotSources& sources)
{
    std::vector<Blocker> blockers;
    if (sources.stopping)
        blockers.push_back({Reason::Stopping, std::nullopt});
    if (snapshot.projects.empty())
        blockers.push_back({Reason::NotAttached, std::nullopt});
    for (const auto& device : snapshot.devices)
        for (const auto& blocker : device.blockers) {
            const auto isSame = [&](const Blocker& other) {
                return other.reason == blocker.reason;
            };
            if (std::none_of(blockers.begin(), blockers.end(), isSame))
                blockers.push_back(blocker);
        }
    if (blockers.empty())
        blockers.push_back(
            {Reason::Preparing, std::nullopt}); // the devices are still being looked for
    return blockers;
}

bool isPausedBy(Reason reason)
{
    switch (reason) {
    case Reason::OnBattery:
    case Reason::LowCharge:
    case Reason::PowerSaver:
    case Reason::TooHot:
    case Reason::LowMemory:
    case Reason::LowDisk:
    case Reason::PausedByUser:
    case Reason::GameRunning:
    case Reason::ProgramRunning:
    case Reason::OthersBusy:
    case Reason::OutOfHours:
    case Reason::VideoPlaying:
    case Reason::UserActive:
    case Reason::SwitchedOff:
    case Reason::Stopping:
        return true;
    default:
        return false;
    }
}

Activity activityOf(const Snapshot& snapshot, const SnapshotSources& sources)
{
    const auto& devices = snapshot.devices;
    if (snapshot.projects.empty())
        return Activity::Unattached;
    if (sources.loop.needsPerson())
        return Activity::Attention;
    if (std::any_of(devices.begin(), devices.end(),
                    [](const DeviceView& device) { return device.running; }))
        return Activity::Training;
    if (!snapshot.blockers.empty() && isPausedBy(snapshot.blockers.front().reason))
        return Activity::Paused;
    const auto moves = [](const TransferView& transfer) { return transfer.total > 0; };
    if (std::any_of(snapshot.transfers.begin(), snapshot.transfers.end(), moves))
        return Activity::Transferring;
    return Activity::Waiting;
}

} // namespace

Snapshot buildSnapshot(const SnapshotSources& sources)
{
    Snapshot snapshot;
    snapshot.pause = sources.wishes.pause;
    snapshot.preferences = sources.wishes.preferences;
    snapshot.devices = sources.loop.deviceViews();
    addProjects(sources, snapshot);
    addTasks(sources, snapshot);
    addTransfers(sources, snapshot);
    addContribution(sources, snapshot);
    const auto runs = [](const DeviceView& device) { return device.running; };
    if (snapshot.projects.empty() ||
        std::none_of(snapshot.devices.begin(), snapshot.devices.end(), runs))
        snapshot.blockers = blockersOf(snapshot, sources);
    snapshot.activity = activityOf(snapshot, sources);
    snapshot.idleSource = sources.idleSource;
    snapshot.log = sources.context.log.lines();
    snapshot.version = COMMONWEIGHT_VERSION;
    return snapshot;
}

} // namespace commonweight::agent
