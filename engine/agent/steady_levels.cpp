#include "engine/agent/steady_levels.h"

#include <algorithm>
#include <array>

namespace commonweight::agent {

namespace {

constexpr double kBytesPerGigabyte = 1e9;
/// Below this the computer is about to swap, whoever uses the memory.
constexpr double kMemoryFloor = 256.0 * (1 << 20);
constexpr double kMemoryFloorShare = 1.0 / 20;
constexpr double kMemoryAgain = 1.25;
constexpr double kDiskAgain = 0.5e9;
constexpr double kCooler = 10;  ///< K
constexpr int kChargeAgain = 5; ///< percent
constexpr double kPressureOn = 0.2;
constexpr double kPressureOff = 0.05;
constexpr double kLoadAgain = 0.6; ///< of the load that switches it on
constexpr std::chrono::seconds kLoadStays{60};

/// Switches on from `on` upwards and off at `off` or below; the other way round when on < off, then
/// strictly below `on`.
struct Bound {
    Level level;
    std::optional<double> value;
    double on = 0;
    double off = 0;
    std::chrono::seconds stays{0}; ///< after each change
};

bool crossed(const Bound& bound, bool before)
{
    const bool upwards = bound.on > bound.off;
    if (before)
        return upwards ? *bound.value > bound.off : *bound.value < bound.off;
    return upwards ? *bound.value >= bound.on : *bound.value < bound.on;
}

Latch settled(const Latch& before, const Bound& bound, MonotonicTime now)
{
    const bool on = bound.value && crossed(bound, before.on);
    const bool held = before.since && now - *before.since < bound.stays;
    return on == before.on || held ? before : Latch{on, now};
}

template <class T> std::optional<double> number(const std::optional<T>& value)
{
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

Bound chargeBound(const Conditions& c, const Preferences& p)
{
    const int least = p.minimumChargePercent;
    return {Level::Charge, least > 0 ? number(c.batteryPercent) : std::nullopt, double(least),
            double(std::min(least + kChargeAgain, 100))};
}

Bound loadBound(const Conditions& c, const Preferences& p)
{
    const double most = p.loadPercentOfOthers / 100.0;
    return {Level::Load, most > 0 ? c.loadOfOthers : std::nullopt, most, kLoadAgain * most,
            kLoadStays};
}

Bound heatBound(Level level, std::optional<double> celsius, int limit)
{
    return {level, celsius, double(limit), limit - kCooler};
}

} // namespace

Latches settle(const Latches& before, const Conditions& conditions, const Preferences& preferences,
               const std::string& deviceId, MonotonicTime now)
{
    const auto device = conditions.deviceCelsius.find(deviceId);
    const auto deviceHeat = device == conditions.deviceCelsius.end()
                                ? std::nullopt
                                : std::optional<double>(device->second);
    const double memory =
        std::max(kMemoryFloor, static_cast<double>(conditions.memoryTotal) * kMemoryFloorShare);
    const double disk = preferences.diskFreeGigabytes * kBytesPerGigabyte;
    const std::array bounds{
        chargeBound(conditions, preferences),
        heatBound(Level::ProcessorHeat, conditions.processorCelsius,
                  preferences.processorCelsiusAtMost),
        heatBound(Level::DeviceHeat, deviceHeat, preferences.graphicsCelsiusAtMost),
        Bound{Level::Memory, number(conditions.memoryAvailable), memory, kMemoryAgain * memory},
        Bound{Level::Pressure, conditions.memoryPressure, kPressureOn, kPressureOff},
        Bound{Level::Disk, number(conditions.diskFree), disk, disk + kDiskAgain},
        loadBound(conditions, preferences)};
    Latches after;
    for (const auto& bound : bounds) {
        const auto old = before.find(bound.level);
        after[bound.level] = settled(old == before.end() ? Latch{} : old->second, bound, now);
    }
    return after;
}

} // namespace commonweight::agent
