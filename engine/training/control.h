#pragma once
// What the trainer has been told to do: pause, resume, throttle, end. The thread that reads
// commands writes it, the thread that trains looks at it between micro-batches and sleeps on it.
// Thread-safe; owned by the program, outlives the runner.

#include "engine/base/clock.h"

#include <condition_variable>
#include <mutex>

namespace commonweight::training {

enum class Ending {
    None,
    Deliver, ///< end the unit with the steps that are done, when they are enough to count; else as
             ///< Checkpoint
    Checkpoint, ///< keep the work on the disk and stop
};

class Control {
public:
    struct State {
        bool paused = false;
        bool release = false; ///< while paused: give the device's memory back, too
        double dutyCycle = 1; ///< share of time to compute, in [0.1, 1]
        Ending ending = Ending::None;
        std::uint64_t shifts = 0;  ///< how often a newer version was offered
        std::uint64_t changes = 0; ///< counts commands, so that none is slept through
    };

    virtual ~Control() = default;

    /// Forgets everything: a new unit begins.
    void reset(double dutyCycle);
    void pause(bool release);
    void resume();
    void throttle(double dutyCycle);
    void shift(); ///< a newer version has arrived
    /// Checkpoint wins over Deliver.
    void end(Ending ending);

    State state() const;
    /// Sleeps until there is a command that `seen` does not know.
    void waitForChange(const State& seen);
    /// Sleeps for `time`, or until there is a command that `seen` does not know.
    virtual void rest(Seconds time, const State& seen);

private:
    template <class Change> void apply(Change change);

    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    State m_state;
};

} // namespace commonweight::training
