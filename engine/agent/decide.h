#pragma once
// What may run now: a pure function of conditions, preferences and time. Precedence: safety > timed
// pause > exclusive programs > idle and schedule. "Always" lifts only the last.

#include "engine/agent/preferences.h"
#include "engine/base/clock.h"

#include <optional>
#include <vector>

namespace commonweight::agent {

enum class Reason {
    NotAttached, ///< no project yet
    OnBattery,
    LowMemory,
    LowDisk,
    PausedByUser, ///< has an end, or lasts until resumed
    UserActive,   ///< ends after idleMinutes without input
    SwitchedOff,  ///< "never", or this device is off
    NoWork,       ///< the project has none, or it is not time to ask
    ServerUnreachable,
    DeviceFailed, ///< three strikes
    Preparing,    ///< downloading what the unit needs
    Stopping,
};

struct Blocker {
    Reason reason;
    std::optional<WallTime> until; ///< when it ends, if that is known
    std::string detail = {};       ///< what the project says about it, for people; may be empty
};

/// Plain values from engine/host; unknown ones are absent and never block.
struct Conditions {
    std::optional<Seconds> sinceInput; ///< since the last key or pointer event
    std::optional<bool> onBattery;
    std::optional<std::uint64_t> memoryAvailable; ///< bytes
    std::uint64_t memoryTotal = 0;
    std::optional<std::uint64_t> diskFree; ///< bytes on the data folder's volume
};

struct TimedPause {
    bool active = false;
    std::optional<WallTime> until; ///< absent = until resumed
};

struct Decision {
    bool run = false;
    std::vector<Blocker> blockers; ///< most important first; empty when it runs
};

/// For one device.
Decision decide(const Conditions& conditions, const Preferences& preferences,
                const std::string& deviceId, const TimedPause& pause, WallTime now);

/// Blockers as one sentence part, for example "paused because you are using the computer, until 5
/// minutes without input". English source text of the translations; the one place where reasons
/// become words is reason_text.h (Qt's translation context "Reason").

} // namespace commonweight::agent
