#pragma once
// What may run now: a pure function of conditions, preferences and time. Precedence: safety > timed
// pause > exclusive programs > idle and schedule. "Always" lifts only the last.

#include "engine/agent/steady_levels.h"

#include <optional>
#include <vector>

namespace commonweight::agent {

enum class Reason {
    NotAttached, ///< no project yet
    OnBattery,
    LowCharge,  ///< plugged in, but the battery is charged first
    PowerSaver, ///< the desktop saves power
    TooHot,     ///< this device, or the processor
    LowMemory,
    LowDisk,
    PausedByUser,   ///< has an end, or lasts until resumed
    GameRunning,    ///< until it closes
    ProgramRunning, ///< one of the person's list, until it closes; its name is the detail
    OthersBusy,     ///< other programs need the processor
    OutOfHours,     ///< by the week's schedule
    VideoPlaying,
    UserActive,  ///< ends after idleMinutes without input
    SwitchedOff, ///< "never", or this device is off
    NoWork,      ///< the project has none, or it is not time to ask
    ServerUnreachable,
    DeviceFailed, ///< three strikes
    NotConfined,  ///< the system cannot confine the trainer, and the person did not allow that
    Preparing,    ///< downloading what the unit needs
    Stopping,
};

struct Blocker {
    Reason reason;
    std::optional<WallTime> until; ///< when it ends, if that is known
    std::string detail = {};       ///< what the project says about it, for people; may be empty
};

struct TimedPause {
    bool active = false;
    std::optional<WallTime> until; ///< absent = until resumed
};

struct Decision {
    bool run = false;
    std::vector<Blocker> blockers; ///< most important first; empty when it runs
};

/// For one device, with its latches after settle().
Decision decide(const Conditions& conditions, const Latches& latches,
                const Preferences& preferences, const std::string& deviceId,
                const TimedPause& pause, WallTime now);

/// Blockers as one sentence part, for example "paused because you are using the computer, until 5
/// minutes without input". English source text of the translations; the one place where reasons
/// become words is reason_text.h (Qt's translation context "Reason").

} // namespace commonweight::agent
