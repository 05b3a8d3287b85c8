#pragma once
// What must not flap: charge, heat, memory, disk, the load of others. Each switches on at one value
// and off at another, and the load of others stays as it is for a minute at least. A pure function
// of the state before.

#include "engine/agent/preferences.h"
#include "engine/base/clock.h"

#include <map>

namespace commonweight::agent {

/// Plain values from engine/host; unknown ones are absent and never block.
struct Conditions {
    std::optional<Seconds> sinceInput; ///< since the last key or pointer event
    std::optional<bool> onBattery;
    std::optional<std::uint64_t> memoryAvailable; ///< bytes
    std::uint64_t memoryTotal = 0;
    std::optional<std::uint64_t> diskFree;       ///< bytes on the data folder's volume
    std::optional<int> batteryPercent;           ///< charge of the emptiest battery, 0–100
    std::optional<bool> powerSaver;              ///< the desktop's power-saver profile is on
    std::optional<bool> gameRunning;             ///< GameMode has a client
    std::optional<bool> videoPlaying;            ///< a program asked that the session stay awake
    std::optional<bool> metered;                 ///< the network is paid by volume
    std::optional<double> processorCelsius;      ///< hottest sensor
    std::map<std::string, double> deviceCelsius; ///< by device id
    std::optional<double> loadOfOthers; ///< share of all processors, mean of the last minute, 0–1
    std::optional<double>
        memoryPressure; ///< share of the last minute in which tasks waited for memory, 0–1
    std::vector<std::string> programs; ///< of the person's list, those that run
};

enum class Level { Charge, ProcessorHeat, DeviceHeat, Memory, Pressure, Disk, Load };

struct Latch {
    bool on = false;
    std::optional<MonotonicTime> since; ///< absent: it never changed
};
using Latches = std::map<Level, Latch>; ///< of one device

/// Call for each device at each look at the computer.
Latches settle(const Latches& before, const Conditions& conditions, const Preferences& preferences,
               const std::string& deviceId, MonotonicTime now);

} // namespace commonweight::agent
