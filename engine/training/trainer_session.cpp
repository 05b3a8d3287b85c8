#include "engine/training/trainer_session.h"

#include "engine/base/overloaded.h"

namespace commonweight::training {

namespace {

work::FailedEvent failed(const Error& error)
{
    return {toString(error.kind), error.message};
}

} // namespace

void TrainerSession::receive(std::string_view line)
{
    const auto command = work::commandFromLine(line);
    if (!command.ok()) {
        m_parts.emit(failed(command.error()));
        return;
    }
    std::visit(Overloaded{[&](const work::RunCommand& run) { accept(run); },
                          [&](const work::PauseCommand& pause) { m_control.pause(pause.release); },
                          [&](const work::ResumeCommand&) { m_control.resume(); },
                          [&](const work::ThrottleCommand& throttle) {
                              m_control.throttle(throttle.dutyCycle);
                          },
                          [&](const work::StopCommand& stop) { obey(stop); },
                          [&](const work::ShiftCommand&) { m_control.shift(); }},
               *command);
}

void TrainerSession::accept(const work::RunCommand& run)
{
    std::unique_lock lock(m_mutex);
    if (m_ended)
        return;
    if (m_busy) {
        lock.unlock();
        m_parts.emit(failed({ErrorKind::Conflict, "a unit is running already"}));
        return;
    }
    m_busy = true;
    m_waiting = run;
    // Here and not when the other thread takes it: a pause may follow at once and must not be
    // forgotten.
    m_control.reset(run.dutyCycle);
    m_changed.notify_all();
}

void TrainerSession::obey(const work::StopCommand& stop)
{
    if (stop.finishPartial)
        m_control.end(Ending::Deliver);
    else
        end();
}

void TrainerSession::end()
{
    const std::lock_guard lock(m_mutex);
    m_ended = true;
    m_control.end(Ending::Checkpoint);
    m_changed.notify_all();
}

bool TrainerSession::ended() const
{
    const std::lock_guard lock(m_mutex);
    return m_ended;
}

std::optional<work::RunCommand> TrainerSession::take()
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_ended || m_waiting; });
    return std::exchange(m_waiting, std::nullopt);
}

std::optional<Outcome> TrainerSession::testDevice(const work::RunCommand& command, const Emit& emit)
{
    const auto& tests = m_parts.tests;
    if (!tests.identity || !tests.beforeWork)
        return std::nullopt;
    const auto identity = tests.identity(command);
    if (!identity) {
        emit(failed(identity.error()));
        return Outcome::Failed;
    }
    if (*identity == command.testedAs || *identity == m_testedAs)
        return std::nullopt;
    const auto tested = tests.beforeWork(command);
    if (tested) {
        m_testedAs = *identity;
        emit(work::TestedEvent{*identity});
        return std::nullopt;
    }
    if (tested.error().kind != ErrorKind::Device) {
        emit(failed(tested.error()));
        return Outcome::Failed;
    }
    emit(work::FailedEvent{work::kSelfTestFailed, tested.error().message});
    return Outcome::DeviceRefused;
}

Outcome TrainerSession::runOne(const work::RunCommand& command)
{
    // The last event is held back until a new unit may come: the agent sends one as soon as it
    // reads it.
    std::optional<work::TrainerEvent> last;
    const auto emit = [&](const work::TrainerEvent& event) {
        const bool ends = std::holds_alternative<work::FinishedEvent>(event) ||
                          std::holds_alternative<work::FailedEvent>(event);
        if (ends)
            last = event;
        else
            m_parts.emit(event);
    };
    auto outcome = testDevice(command, emit);
    if (!outcome)
        outcome = UnitRunner(command, {m_parts.clock, m_control, m_parts.openModel(command), emit,
                                       m_parts.tests.beforeDelivery})
                      .run();
    if (outcome == Outcome::DeviceRefused)
        m_testedAs.clear();
    {
        const std::lock_guard lock(m_mutex);
        m_busy = false;
    }
    if (last)
        m_parts.emit(*last);
    return *outcome;
}

void TrainerSession::serve()
{
    m_parts.emit(work::HelloEvent{1, COMMONWEIGHT_VERSION});
    while (const auto command = take())
        if (runOne(*command) == Outcome::Stopped)
            return;
    assert(ended());
    m_parts.emit(work::StoppedEvent{0});
}

} // namespace commonweight::training
