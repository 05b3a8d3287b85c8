#include "engine/agent/device_runner.h"

#include "engine/agent/slot_folder.h"
#include "engine/base/atomic_file.h"

#include <algorithm>

namespace commonweight::agent {

namespace {

using Phase = TrainerProcess::Phase;

constexpr int kAttempts = 3;
/// A trainer that has nothing to do keeps its libraries in memory for so long.
constexpr Seconds kUnusedTrainerStays{60};
constexpr Seconds kWaitForDisk{60};
constexpr Seconds kWaitForEarlierTrainer{0.2};
constexpr Seconds kWaitAfterStrike{5};

/// What a trainer's failure means: the unit is given back, the device gets a strike, or it is tried
/// again.
enum class Verdict { SetAside, GiveBack, GiveBackAndStrike, Strike, FetchAgain, WaitForDisk };

struct VerdictRow {
    ErrorKind kind;
    Verdict verdict;
};
constexpr std::array kVerdicts{
    VerdictRow{ErrorKind::Device, Verdict::Strike},
    VerdictRow{ErrorKind::Io, Verdict::Strike},
    VerdictRow{ErrorKind::OutOfMemory, Verdict::GiveBackAndStrike},
    VerdictRow{ErrorKind::NotFound, Verdict::FetchAgain},
    VerdictRow{ErrorKind::Corrupt, Verdict::FetchAgain},
    VerdictRow{ErrorKind::Full, Verdict::WaitForDisk},
};

Verdict verdictOn(const std::string& kind)
{
    if (kind == work::kSelfTestFailed)
        return Verdict::SetAside;
    for (const auto& row : kVerdicts)
        if (kind == toString(row.kind))
            return row.verdict;
    return Verdict::GiveBack;
}

/// A device's id as part of a file name.
std::string fileNameOf(std::string device)
{
    std::replace_if(
        device.begin(), device.end(),
        [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '-');
    return device;
}

/// Under which the store keeps as what a device passed its self-test.
std::string testedSettingOf(const std::string& device)
{
    return "self-test of " + device;
}

std::filesystem::path lockFileOf(const AgentContext& context, const std::string& device)
{
    return context.dataFolder / ("trainer-" + fileNameOf(device) + ".lock");
}

/// What the trainer keeps from unit to unit: each device its own, each project apart.
std::filesystem::path stateFolderOf(const AgentContext& context, const Task& task,
                                    const std::string& device)
{
    const auto project = sha256(asBytes(task.row.project)).hex().substr(0, 16);
    return context.states() / project / task.row.run / fileNameOf(device);
}

bool isRunnable(const Task& task)
{
    return task.row.state == TaskState::Ready || task.row.state == TaskState::Running ||
           task.row.state == TaskState::Paused;
}

} // namespace

DeviceRunner::DeviceRunner(AgentContext& context, TaskQueue& queue, BlobCache& cache, Device device,
                           std::filesystem::path program, TrainerTimeouts timeouts)
    : m_context(context), m_queue(queue), m_cache(cache), m_device(std::move(device)),
      m_program(std::move(program)),
      m_process(context.clock, lockFileOf(context, m_device.id), timeouts)
{
    connect(&m_process, &TrainerProcess::eventArrived, this, &DeviceRunner::handle);
    connect(&m_process, &TrainerProcess::ended, this, &DeviceRunner::trainerEnded);
    connect(&m_process, &TrainerProcess::refusedUnconfined, this, &DeviceRunner::noteUnconfined);
}

bool DeviceRunner::wants() const
{
    return m_order.run && m_order.task && isRunnable(*m_order.task) && !setAside() &&
           m_unconfined.empty() && m_context.clock.monotonic() >= m_notBefore;
}

void DeviceRunner::apply(const Order& order)
{
    if (order.allowUnconfined != m_order.allowUnconfined)
        m_unconfined.clear();
    m_order = order;
    m_process.check();
    switch (m_process.phase()) {
    case Phase::Off:
        if (wants())
            startTrainer();
        return;
    case Phase::Ready:
        if (wants())
            begin();
        else
            stopWhenUnused();
        return;
    case Phase::Running:
    case Phase::Paused:
        steer();
        return;
    case Phase::Starting:
    case Phase::Pausing:
    case Phase::Delivering:
    case Phase::Stopping:
        return;
    }
}

/// It is given folders, not files: later units have slots of their own.
QStringList DeviceRunner::trainerArguments() const
{
    QStringList arguments{QStringLiteral("--sandbox"), m_order.allowUnconfined
                                                           ? QStringLiteral("try")
                                                           : QStringLiteral("require")};
    for (const auto& folder : {m_context.slots(), m_context.states()})
        arguments << QStringLiteral("--writable") << QString::fromStdString(folder.string());
    arguments << QStringLiteral("--readable") << QString::fromStdString(m_context.blobs().string());
    return arguments;
}

void DeviceRunner::startTrainer()
{
    for (const auto& folder : {m_context.slots(), m_context.states(), m_context.blobs()})
        if (const auto made = makeFolder(folder, 0700); !made) {
            m_context.log.warnOnce("Training cannot begin at the moment: " + made.error().message);
            return wait(kWaitForDisk);
        }
    const auto started = m_process.start(m_program, trainerArguments());
    if (!started && started.error().kind == ErrorKind::Conflict)
        wait(kWaitForEarlierTrainer);
    else if (!started)
        strike(started.error().message);
}

void DeviceRunner::begin()
{
    const TaskPointer task = m_order.task;
    const auto slot = m_context.slot(task->row.slot);
    if (!m_cache.hasAll(task->unit)) {
        m_queue.move(*task, TaskState::Downloading);
        Q_EMIT changed();
        return;
    }
    if (auto prepared = prepareSlot(slot, task->unit); !prepared) {
        m_context.log.warnOnce("A work unit cannot be started at the moment: " +
                               prepared.error().message);
        return wait(kWaitForDisk);
    }
    if (task->row.state != TaskState::Running && !m_queue.move(*task, TaskState::Running))
        return wait(kWaitForDisk);
    beginWhereLastEnded(*task);
    m_cache.touch(task->unit);
    m_offered = 0;
    m_current = task;
    m_dutyCycle = m_order.dutyCycle;
    const auto tested = m_context.store.setting(testedSettingOf(m_device.id));
    m_process.run({.slot = slot,
                   .blobs = m_context.blobs(),
                   .device = m_device.id,
                   .threads = m_order.threads,
                   .checkpointSeconds = m_order.checkpointSeconds,
                   .uploadSeconds = m_order.uploadSeconds,
                   .dutyCycle = m_order.dutyCycle,
                   .testedAs = tested && *tested ? **tested : std::string(),
                   .checkAgainst = m_context.checkAgainst,
                   .state = stateFolderOf(m_context, *task, m_device.id)});
    Q_EMIT changed();
}

/// What cannot be continued begins at its anchor.
void DeviceRunner::beginWhereLastEnded(const Task& task)
{
    const auto before = m_queue.continuable(task);
    if (!before)
        return;
    const auto put = putContinuation(m_context.slot(task.row.slot),
                                     m_context.slot(before->row.slot), *before->result);
    if (!put)
        m_context.log.warnOnce(put.error().message);
}

void DeviceRunner::offerShift()
{
    const auto& newer = m_current->newer;
    if (!newer || newer->version <= m_offered)
        return;
    if (const auto put = putShift(m_context.slot(m_current->row.slot), *newer); !put)
        return m_context.log.warnOnce(put.error().message);
    m_offered = newer->version;
    m_process.shift();
}

/// The trainer has a unit: goes on with it, pauses it, or drops it because it is no longer this
/// device's.
void DeviceRunner::steer()
{
    if (m_current != m_order.task) {
        m_process.stop();
        return;
    }
    if (m_dutyCycle != m_order.dutyCycle) {
        m_dutyCycle = m_order.dutyCycle;
        m_process.throttle(m_dutyCycle);
    }
    const bool running = m_process.phase() == Phase::Running;
    if (running && !wants()) {
        m_process.pause(true);
    } else if (running) {
        offerShift();
    } else if (wants()) {
        if (m_current->row.state == TaskState::Running ||
            m_queue.move(*m_current, TaskState::Running))
            m_process.resume();
    } else {
        steerPaused();
    }
}

/// Before the trainer goes, or the round, it delivers what it has if that counts: on return it
/// would be late. Otherwise the checkpoint waits for the computer to be free.
void DeviceRunner::steerPaused()
{
    const bool enough = m_current->step >= std::max<std::uint64_t>(m_current->unit.stepsAtLeast, 1);
    const bool leaves = m_process.inPhase() > kUnusedTrainerStays;
    if (m_order.mayDeliver && enough && (leaves || m_order.roundEnds))
        m_process.deliver();
    else
        stopWhenUnused();
}

void DeviceRunner::stopWhenUnused()
{
    if (m_process.inPhase() > kUnusedTrainerStays)
        m_process.stop();
}

void DeviceRunner::stop()
{
    m_order.run = false;
    m_process.stop();
}

void DeviceRunner::wait(Seconds time)
{
    m_notBefore =
        m_context.clock.monotonic() + std::chrono::duration_cast<MonotonicTime::duration>(time);
}

void DeviceRunner::setPaused()
{
    if (m_current && m_current->row.state == TaskState::Running)
        m_queue.move(*m_current, TaskState::Paused);
}

/// The files that it rebuilt are the base of the next difference.
void DeviceRunner::takeOverRebuilt(const work::Anchor& anchor)
{
    m_cache.adopt(anchor, m_context.slot(m_current->row.slot) / "rebuilt");
}

void DeviceRunner::noteStart(const work::StartedEvent& started)
{
    m_current->step = started.step;
    takeOverRebuilt(m_current->unit.anchor);
}

void DeviceRunner::noteShift(const work::ShiftedEvent& shifted)
{
    if (m_current->newer)
        takeOverRebuilt(*m_current->newer);
    m_context.log.say("A work unit goes on from version " + std::to_string(shifted.version) +
                      " of the model, after " + std::to_string(shifted.step) + " steps");
}

void DeviceRunner::handle(const work::TrainerEvent& event)
{
    if (std::holds_alternative<work::HelloEvent>(event))
        Q_EMIT hurry();
    if (!m_current)
        return;
    if (const auto* progress = std::get_if<work::ProgressEvent>(&event))
        noteProgress(*progress);
    else if (const auto* tested = std::get_if<work::TestedEvent>(&event))
        noteTested(tested->identity);
    else if (const auto* started = std::get_if<work::StartedEvent>(&event))
        noteStart(*started);
    else if (std::holds_alternative<work::PausedEvent>(event))
        setPaused();
    else if (const auto* shifted = std::get_if<work::ShiftedEvent>(&event))
        noteShift(*shifted);
    else if (std::holds_alternative<work::FinishedEvent>(event))
        collect();
    else if (const auto* failed = std::get_if<work::FailedEvent>(&event))
        judge(*failed);
    Q_EMIT changed();
}

/// When it cannot be stored, the device is tested once more next time.
void DeviceRunner::noteTested(const std::string& identity)
{
    if (const auto stored = m_context.store.putSetting(testedSettingOf(m_device.id), identity);
        !stored)
        m_context.log.warnOnce("The self-test of " + m_device.name +
                               " cannot be remembered: " + stored.error().message);
}

/// The device computes wrong: no second try before a person says so, and then with a new test.
void DeviceRunner::refuse(const std::string& why)
{
    noteTested({});
    giveUp(toString(ErrorKind::Device), why);
    m_strikes = kStrikes;
    m_lastFailure = why;
    m_context.log.warn(m_device.name +
                       " failed its self-test and is set aside until you resume "
                       "or restart Commonweight: " +
                       why);
    Q_EMIT changed();
}

void DeviceRunner::noteProgress(const work::ProgressEvent& progress)
{
    Task& task = *m_current;
    task.step = progress.step;
    task.steps = progress.steps;
    task.loss = progress.loss;
    task.tokensPerSecond = progress.tokensPerSecond;
    task.secondsLeft = progress.secondsLeft;
    const double bySteps = static_cast<double>(progress.step) /
                           static_cast<double>(std::max<std::uint64_t>(progress.steps, 1));
    double byTime = 0;
    if (progress.tokensPerSecond > 0) {
        const double spent = static_cast<double>(progress.tokens) / progress.tokensPerSecond;
        byTime = spent / std::max(spent + progress.secondsLeft, 1e-9);
    }
    task.progress = std::clamp(std::max(bySteps, byTime), 0.0, 1.0);
}

void DeviceRunner::collect()
{
    if (!m_current->needsDevice())
        return; // given up while it ended
    // Delivered during a pause.
    if (m_current->row.state == TaskState::Paused && !m_queue.move(*m_current, TaskState::Running))
        return;
    const auto result = readResult(m_context.slot(m_current->row.slot), m_current->unit);
    if (!result) {
        setPaused();
        return strike(result.error().message);
    }
    // When it cannot be stored now, the trainer is asked again and answers with the same result.
    if (!m_queue.finish(*m_current, *result))
        return;
    m_strikes = 0;
    m_context.log.say("A work unit is finished after " + std::to_string(result->stepsDone) +
                      " steps; the result is being sent");
    const TaskPointer task = std::exchange(m_current, nullptr);
    Q_EMIT finished(task);
}

void DeviceRunner::judge(const work::FailedEvent& failed)
{
    if (!m_current->needsDevice())
        return;
    switch (verdictOn(failed.kind)) {
    case Verdict::SetAside:
        return refuse(failed.message);
    case Verdict::GiveBack:
        return giveUp(failed.kind, failed.message);
    case Verdict::GiveBackAndStrike:
        giveUp(failed.kind, failed.message);
        return strike(failed.message);
    case Verdict::Strike:
        setPaused();
        return strike(failed.message);
    case Verdict::FetchAgain:
        return fetchAgain(failed.message);
    case Verdict::WaitForDisk:
        setPaused();
        m_context.log.warnOnce("Training waits because the disk is full: " + failed.message);
        return wait(kWaitForDisk);
    }
}

void DeviceRunner::fetchAgain(const std::string& message)
{
    m_queue.countAttempt(*m_current);
    if (m_current->row.attempts >= kAttempts)
        return giveUp(toString(ErrorKind::Corrupt), message);
    m_context.log.warn("A file that a work unit needs is damaged and is fetched again: " + message);
    setPaused();
    if (m_current->row.state == TaskState::Paused)
        m_queue.move(*m_current, TaskState::Downloading);
    m_current.reset();
}

void DeviceRunner::giveUp(const std::string& kind, const std::string& message)
{
    if (!m_current)
        return;
    if (m_queue.fail(*m_current, kind, message))
        m_context.log.warn("A work unit was given back to the project: " + message);
    m_current.reset();
}

void DeviceRunner::strike(const std::string& why)
{
    ++m_strikes;
    m_lastFailure = why;
    m_context.log.warn("Training on " + m_device.name + " failed (" + std::to_string(m_strikes) +
                       " of " + std::to_string(kStrikes) + " times in a row): " + why);
    wait(kWaitAfterStrike * m_strikes);
    if (m_current && m_current->needsDevice()) {
        m_queue.countAttempt(*m_current);
        if (m_current->row.attempts >= kAttempts || setAside())
            giveUp(toString(ErrorKind::Device), why);
    }
    if (setAside())
        m_context.log.warn(m_device.name +
                           " is set aside until you resume or restart Commonweight");
    Q_EMIT changed();
}

void DeviceRunner::tryAgain()
{
    m_strikes = 0;
    m_unconfined.clear();
}

/// Not the device's fault, and the next try would end alike: it waits for the person.
void DeviceRunner::noteUnconfined(const QString& why)
{
    m_unconfined = why.toStdString();
    m_context.log.warn(m_unconfined);
}

void DeviceRunner::trainerEnded(const QString& why)
{
    setPaused();
    if (!why.isEmpty())
        strike(why.toStdString());
    m_current.reset();
    Q_EMIT changed();
}

} // namespace commonweight::agent
