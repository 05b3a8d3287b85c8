#include "engine/agent/work_loop.h"

#include "engine/agent/memory_estimate.h"
#include "engine/agent/slot_folder.h"

#include <algorithm>

namespace commonweight::agent {

namespace {

constexpr std::chrono::seconds kProbeAgain{60};

WallTime in(Seconds seconds, WallTime now)
{
    return now + std::chrono::ceil<std::chrono::milliseconds>(seconds);
}

bool isRunnable(const Task& task)
{
    return task.row.state == TaskState::Ready || task.row.state == TaskState::Running ||
           task.row.state == TaskState::Paused;
}

/// Reasons against the short work of writing a result down and sending it.
bool forbidsWork(const Blocker& blocker)
{
    return blocker.reason == Reason::LowMemory || blocker.reason == Reason::LowDisk ||
           blocker.reason == Reason::TooHot || blocker.reason == Reason::PausedByUser ||
           blocker.reason == Reason::DeviceFailed || blocker.reason == Reason::NotConfined ||
           blocker.reason == Reason::Stopping;
}

bool looksAlike(const DeviceView& a, const DeviceView& b)
{
    const auto sameBlocker = [](const Blocker& x, const Blocker& y) {
        return x.reason == y.reason && x.detail == y.detail &&
               x.until.has_value() == y.until.has_value() &&
               std::chrono::abs(x.until.value_or(WallTime{}) - y.until.value_or(WallTime{})) <
                   std::chrono::seconds{1};
    };
    return a.id == b.id && a.running == b.running && a.tokensPerSecond == b.tokensPerSecond &&
           std::equal(a.blockers.begin(), a.blockers.end(), b.blockers.begin(), b.blockers.end(),
                      sameBlocker);
}

} // namespace

WorkLoop::WorkLoop(AgentContext& context, AgentParts& parts, std::filesystem::path trainer)
    : m_context(context), m_parts(parts), m_trainer(std::move(trainer)), m_cache(context.blobs()),
      m_queue(context), m_supply(context, m_queue, m_cache), m_speeds(context.store),
      m_probe(m_trainer)
{
    connect(&m_supply, &WorkSupply::changed, this, &WorkLoop::changed);
    connect(&m_supply, &WorkSupply::hurry, this, &WorkLoop::hurry);
    connect(&m_probe, &DeviceProbe::found, this, &WorkLoop::foundDevices);
    connect(&m_probe, &DeviceProbe::failed, this, &WorkLoop::noDevices);
}

Result<void> WorkLoop::load()
{
    CW_CHECK(m_queue.load());
    CW_CHECK(m_supply.load());
    std::vector<int> used;
    for (const auto& task : m_queue.all()) {
        if (task->isOver())
            continue;
        used.push_back(task->row.slot);
        // Delivered just before the last end of the agent.
        if (task->row.state == TaskState::Ready || task->row.state == TaskState::Paused)
            if (const auto result = readResult(m_context.slot(task->row.slot), task->unit))
                m_queue.finish(*task, *result);
    }
    sweepSlots(m_context.slots(), used);
    return {};
}

void WorkLoop::readConditions(const Preferences& preferences)
{
    m_conditions = {};
    if (m_parts.idle)
        m_conditions.sinceInput = m_parts.idle->sinceInput();
    if (m_parts.power)
        m_conditions.onBattery = m_parts.power->onBattery();
    if (const auto memory = host::memory()) {
        m_conditions.memoryAvailable = memory->available;
        m_conditions.memoryTotal = memory->total;
    }
    m_conditions.diskFree = host::diskFree(m_context.dataFolder);
    if (m_parts.sensors)
        readSensors(preferences.exclusivePrograms);
    if (auto* desktop = m_parts.desktop.get()) {
        m_conditions.powerSaver = desktop->powerSaver();
        m_conditions.gameRunning = desktop->gameRunning();
        m_conditions.videoPlaying = desktop->staysAwake();
        m_conditions.metered = desktop->metered();
    }
}

void WorkLoop::readSensors(const std::vector<std::string>& programs)
{
    const auto sensors = m_parts.sensors->look(programs);
    m_conditions.batteryPercent = sensors.batteryPercent;
    m_conditions.processorCelsius = sensors.processorCelsius;
    m_conditions.memoryPressure = sensors.memoryPressure;
    m_conditions.loadOfOthers = sensors.loadOfOthers;
    m_conditions.programs = sensors.programs;
    if (!sensors.graphicsCelsius)
        return;
    for (const auto& runner : m_runners)
        if (runner->device().backend != "cpu")
            m_conditions.deviceCelsius[runner->device().id] = *sensors.graphicsCelsius;
}

void WorkLoop::foundDevices(const std::vector<Device>& devices)
{
    m_deviceProblem.clear();
    for (const auto& device : devices) {
        auto runner = std::make_unique<DeviceRunner>(m_context, m_queue, m_cache, device, m_trainer,
                                                     m_parts.timeouts);
        connect(runner.get(), &DeviceRunner::changed, this, &WorkLoop::changed);
        connect(runner.get(), &DeviceRunner::hurry, this, &WorkLoop::hurry);
        connect(runner.get(), &DeviceRunner::finished, this, [this](const TaskPointer& task) {
            m_speeds.save();
            m_supply.askSoon(*task);
            Q_EMIT hurry();
        });
        m_runners.push_back(std::move(runner));
    }
    adoptTasks();
    Q_EMIT changed();
}

void WorkLoop::noDevices(const QString& why)
{
    m_deviceProblem = why.toStdString();
    m_nextProbe = m_context.clock.monotonic() + kProbeAgain;
    m_context.log.warnOnce("No device can train at the moment: " + m_deviceProblem);
    Q_EMIT changed();
}

/// Tasks of a device that is no longer there go to the first one.
void WorkLoop::adoptTasks()
{
    for (const auto& task : m_queue.all()) {
        const auto isItsDevice = [&](const auto& runner) {
            return runner->device().id == task->row.device;
        };
        if (task->needsDevice() && std::none_of(m_runners.begin(), m_runners.end(), isItsDevice))
            m_queue.assign(*task, m_runners.front()->device().id);
    }
}

void WorkLoop::tick(const Wishes& wishes)
{
    readConditions(wishes.preferences);
    if (m_runners.empty() && !m_stopping && m_context.clock.monotonic() >= m_nextProbe)
        m_probe.start();
    SupplyNeeds needs;
    needs.memoryAtMost = memoryGrantedAtMost(m_conditions, wishes.preferences);
    needs.diskGigabytes = wishes.preferences.diskGigabytes;
    needs.contributorName = wishes.preferences.contributorName;
    needs.mayTransfer = mayTransfer(wishes);
    const auto before = std::exchange(m_views, {});
    for (const auto& runner : m_runners)
        steer(*runner, wishes, needs);
    m_supply.tick(needs, [this](const Task& task) {
        return std::any_of(m_runners.begin(), m_runners.end(),
                           [&](const auto& runner) { return runner->uses(task); });
    });
    const auto& tasks = m_queue.all();
    if (!std::equal(before.begin(), before.end(), m_views.begin(), m_views.end(), looksAlike) ||
        std::any_of(tasks.begin(), tasks.end(),
                    [](const TaskPointer& task) { return !task->transfers.empty(); }))
        Q_EMIT changed();
}

bool WorkLoop::mayTransfer(const Wishes& wishes) const
{
    const bool costs = wishes.preferences.holdOnMetered && m_conditions.metered.value_or(false);
    return !wishes.pause.active && !costs &&
           wishes.preferences.transferWeek.allows(m_context.clock.wall());
}

Decision WorkLoop::decideFor(const DeviceRunner& runner, const Wishes& wishes)
{
    const auto& id = runner.device().id;
    Latches& latches = m_latches[id];
    latches = settle(latches, m_conditions, wishes.preferences, id, m_context.clock.monotonic());
    Decision decision =
        decide(m_conditions, latches, wishes.preferences, id, wishes.pause, m_context.clock.wall());
    const auto task = m_queue.forDevice(runner.device().id);
    if (task) {
        const std::uint64_t need = trainingMemory(task->unit, runner.device().backend);
        const bool fits =
            need <= memoryGranted(m_conditions, wishes.preferences) &&
            (runner.computes() || need <= m_conditions.memoryAvailable.value_or(need));
        if (!fits)
            decision.blockers.insert(decision.blockers.begin(), {Reason::LowMemory, std::nullopt});
    }
    if (m_stopping)
        decision.blockers.insert(decision.blockers.begin(), {Reason::Stopping, std::nullopt});
    if (runner.setAside())
        decision.blockers.push_back({Reason::DeviceFailed, std::nullopt});
    if (!runner.unconfined().empty())
        decision.blockers.push_back({Reason::NotConfined, std::nullopt});
    decision.run = decision.blockers.empty();
    return decision;
}

/// What keeps a device from computing although it may.
void WorkLoop::addWorkBlockers(const TaskPointer& task, std::vector<Blocker>& blockers) const
{
    if (m_supply.sessions().empty()) {
        blockers.push_back({Reason::NotAttached, std::nullopt});
    } else if (!task) {
        addWaiting(blockers);
    } else if (!isRunnable(*task)) {
        const auto* session = m_supply.sessionOf(task->row.project);
        if (session != nullptr && session->failing())
            blockers.push_back(
                {Reason::ServerUnreachable, in(session->untilRetry(), m_context.clock.wall())});
        else
            blockers.push_back({Reason::Preparing, std::nullopt});
    }
}

void WorkLoop::addWaiting(std::vector<Blocker>& blockers) const
{
    const auto now = m_context.clock.wall();
    const auto& sessions = m_supply.sessions();
    const bool failing =
        std::all_of(sessions.begin(), sessions.end(), [](const auto& s) { return s->failing(); });
    Seconds wait = failing ? sessions.front()->untilRetry() : sessions.front()->untilNextAsk();
    for (const auto& session : sessions)
        wait = std::min(wait, failing ? session->untilRetry() : session->untilNextAsk());
    const std::optional<WallTime> until =
        wait > Seconds{0} ? std::optional(in(wait, now)) : std::nullopt;
    if (failing)
        return blockers.push_back({Reason::ServerUnreachable, until});
    const auto says = std::find_if(sessions.begin(), sessions.end(),
                                   [](const auto& s) { return !s->noWork().empty(); });
    blockers.push_back(
        {Reason::NoWork, until, says == sessions.end() ? std::string() : (*says)->noWork()});
}

Order WorkLoop::orderFor(const DeviceRunner& runner, const Decision& decision,
                         const Wishes& wishes) const
{
    Order order;
    order.run = decision.run;
    order.task = m_queue.forDevice(runner.device().id);
    order.threads = threadsFor(wishes.preferences, host::physicalCores());
    order.checkpointSeconds = wishes.preferences.checkpointSeconds;
    order.dutyCycle = dutyFor(wishes.preferences);
    order.allowUnconfined = m_context.allowUnconfined || wishes.preferences.allowUnconfined;
    if (!order.task)
        return order;
    order.uploadSeconds = m_supply.uploadTime(*order.task).count();
    const Seconds left = order.task->unit.closesAt - m_context.clock.wall();
    order.roundEnds = left.count() <= order.uploadSeconds;
    order.mayDeliver =
        std::none_of(decision.blockers.begin(), decision.blockers.end(), forbidsWork);
    return order;
}

/// The next unit is fetched just in time: when the one that runs ends about when it is here.
bool WorkLoop::wantsNext(const std::string& device, const TaskPointer& task) const
{
    return !task || (m_supply.endsSoon(*task) && !m_queue.nextForDevice(device));
}

void WorkLoop::steer(DeviceRunner& runner, const Wishes& wishes, SupplyNeeds& needs)
{
    Decision decision = decideFor(runner, wishes);
    if (m_stopping)
        runner.watch();
    else
        runner.apply(orderFor(runner, decision, wishes));
    const auto& device = runner.device();
    const auto task = m_queue.forDevice(device.id);
    if (task && runner.computes())
        m_speeds.note(device.id, task->tokensPerSecond);
    const bool enabled = !std::any_of(
        decision.blockers.begin(), decision.blockers.end(), [](const Blocker& blocker) {
            return blocker.reason == Reason::SwitchedOff ||
                   blocker.reason == Reason::DeviceFailed || blocker.reason == Reason::NotConfined;
        });
    if (enabled)
        needs.devices.push_back({device, m_speeds.of(device.id) * dutyFor(wishes.preferences),
                                 decision.run && wantsNext(device.id, task)});
    if (decision.run)
        addWorkBlockers(task, decision.blockers);

    DeviceView view;
    view.id = device.id;
    view.name = device.name;
    view.running = decision.blockers.empty();
    view.blockers = std::move(decision.blockers);
    view.tokensPerSecond = view.running && task ? task->tokensPerSecond : 0;
    needs.training |= view.running;
    m_views.push_back(std::move(view));
}

bool WorkLoop::needsPerson() const
{
    const auto& sessions = m_supply.sessions();
    return std::any_of(sessions.begin(), sessions.end(),
                       [](const auto& s) { return s->needsPerson(); }) ||
           std::any_of(m_runners.begin(), m_runners.end(), [](const auto& runner) {
               return runner->setAside() || !runner->unconfined().empty();
           });
}

void WorkLoop::tryDevicesAgain()
{
    for (const auto& runner : m_runners)
        runner->tryAgain();
}

void WorkLoop::stop()
{
    m_stopping = true;
    m_supply.stop();
    for (const auto& runner : m_runners)
        runner->stop();
}

bool WorkLoop::stopped() const
{
    return m_supply.idle() && std::all_of(m_runners.begin(), m_runners.end(),
                                          [](const auto& runner) { return runner->stopped(); });
}

void WorkLoop::killTrainers()
{
    for (const auto& runner : m_runners)
        runner->kill();
}

} // namespace commonweight::agent
