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
#include <vector>

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

/// What the desktop's services tell; absent: not known at the moment. Needs an event loop.
class DesktopMonitor {
public:
    virtual ~DesktopMonitor() = default;
    virtual std::optional<bool> powerSaver() = 0;  ///< the power-saver profile is on
    virtual std::optional<bool> gameRunning() = 0; ///< GameMode has a client
    virtual std::optional<bool> staysAwake() = 0;  ///< a program asked for it, as for a video
    virtual std::optional<bool> metered() = 0;     ///< the network is paid by volume
};
std::unique_ptr<DesktopMonitor> makeDesktopMonitor();

/// What the hardware and the kernel tell; absent: not known.
struct Sensors {
    std::optional<int> batteryPercent;
    std::optional<double> processorCelsius; ///< the hottest sensor
    std::optional<double> graphicsCelsius;  ///< of the hottest card
    std::optional<double> memoryPressure;   ///< share of the last minute spent waiting, 0–1
    std::optional<double> loadOfOthers;     ///< mean of the last minute, 0–1
    std::vector<std::string> programs;      ///< of those that were asked for, the running ones
};
class SensorMonitor {
public:
    virtual ~SensorMonitor() = default;
    /// `programs`: names of executables to look for. May be asked at any rate.
    virtual Sensors look(const std::vector<std::string>& programs) = 0;
};
std::unique_ptr<SensorMonitor> makeSensorMonitor();

struct Memory {
    std::uint64_t total = 0;
    std::uint64_t available = 0;
};
std::optional<Memory> memory();
std::optional<std::uint64_t> diskFree(const std::filesystem::path& folder);
int physicalCores(); ///< at least 1

} // namespace commonweight::host
