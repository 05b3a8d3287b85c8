#pragma once
// What the computer is doing, as small interfaces with a file for each system. Called from the
// agent's thread; each call returns at once. A service or display may go away at any moment, so
// the program ignores SIGPIPE.

#include "engine/base/clock.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace commonweight::host {

/// Time since the last input of the person at this computer.
class IdleMonitor {
public:
    virtual ~IdleMonitor() = default;
    virtual std::string name() const = 0;            ///< for people: "X11 screen saver extension"
    virtual std::optional<Seconds> sinceInput() = 0; ///< absent: not known at the moment
};
/// The first detector that works here, tried in order and tested; a headless computer gets none
/// (nullptr).
std::unique_ptr<IdleMonitor> makeIdleMonitor();

class PowerMonitor {
public:
    virtual ~PowerMonitor() = default;
    virtual std::optional<bool> onBattery() = 0;
};
std::unique_ptr<PowerMonitor> makePowerMonitor();

struct Memory {
    std::uint64_t total = 0;
    std::uint64_t available = 0;
};
std::optional<Memory> memory();
std::optional<std::uint64_t> diskFree(const std::filesystem::path& folder);
int physicalCores(); ///< at least 1

} // namespace commonweight::host
