#pragma once
// The trainer's side of its conversation with the agent: one unit at a time, commands obeyed while
// it runs. Two threads: one brings commands (receive, end), the other trains (serve). Owned by the
// program.
//
// Every unit that was accepted ends with one of `finished`, `stopped`, `failed`; after `finished`
// and `failed` the trainer is ready for another `run`. `stopped` is the last event: the process
// ends behind it. A `run` while a unit runs and a line that is no command are answered with
// `failed`; pause, resume, throttle and finish_partial that come when no unit runs (any more) are
// crossed messages and mean nothing.

#include "engine/training/device_tests.h"
#include "engine/training/unit_runner.h"

namespace commonweight::training {

struct SessionParts {
    const Clock& clock;
    std::function<OpenModel(const work::RunCommand&)> openModel;
    std::function<void(const work::TrainerEvent&)> emit; ///< called by both threads
    DeviceTests tests = {};                              ///< without functions: nothing is tested
};

class TrainerSession {
public:
    explicit TrainerSession(SessionParts parts) : m_parts(std::move(parts)) {}

    /// A line of the agent's.
    void receive(std::string_view line);
    /// The agent is gone, or the process is told to end: checkpoint and leave.
    void end();

    /// Says hello and runs units until told to end. Returns after `stopped`.
    void serve();
    /// Runs one unit without a conversation; end() still works.
    Outcome runOne(const work::RunCommand& command);

private:
    using Emit = std::function<void(const work::TrainerEvent&)>;
    /// Nothing when the device may have the unit.
    std::optional<Outcome> testDevice(const work::RunCommand& command, const Emit& emit);
    void accept(const work::RunCommand& run);
    void obey(const work::StopCommand& stop);
    std::optional<work::RunCommand> take();
    bool ended() const;

    const SessionParts m_parts;
    Control m_control;
    std::string m_testedAs;     ///< identity of the device that passed last
    mutable std::mutex m_mutex; ///< guards what follows
    std::condition_variable m_changed;
    std::optional<work::RunCommand> m_waiting;
    bool m_busy = false;
    bool m_ended = false;
};

} // namespace commonweight::training
