#include "engine/agent/decide.h"

#include <algorithm>

namespace commonweight::agent {

namespace {

constexpr double kBytesPerGigabyte = 1e9;
/// Below this the computer is about to swap, whoever uses the memory.
constexpr std::uint64_t kMemoryFloor = 256u << 20;
constexpr std::uint64_t kMemoryFloorShare = 20; ///< 1/20 of all memory

/// Never is stricter than Idle, Idle than Always.
RunWhen stricter(RunWhen a, RunWhen b)
{
    const auto strictness = [](RunWhen when) {
        return when == RunWhen::Never ? 2 : when == RunWhen::Idle ? 1 : 0;
    };
    return strictness(a) >= strictness(b) ? a : b;
}

void addSafety(const Conditions& conditions, const Preferences& preferences,
               std::vector<Blocker>& blockers)
{
    if (preferences.pauseOnBattery && conditions.onBattery.value_or(false))
        blockers.push_back({Reason::OnBattery, std::nullopt});
    const std::uint64_t floor = std::max(kMemoryFloor, conditions.memoryTotal / kMemoryFloorShare);
    if (conditions.memoryAvailable && *conditions.memoryAvailable < floor)
        blockers.push_back({Reason::LowMemory, std::nullopt});
    const double wanted = preferences.diskFreeGigabytes * kBytesPerGigabyte;
    if (conditions.diskFree && static_cast<double>(*conditions.diskFree) < wanted)
        blockers.push_back({Reason::LowDisk, std::nullopt});
}

void addIdle(const Conditions& conditions, int idleMinutes, WallTime now,
             std::vector<Blocker>& blockers)
{
    // Unknown means that nobody sits there: a computer without a display has no detector and must
    // not wait for ever.
    const Seconds needed = std::chrono::minutes{idleMinutes};
    if (!conditions.sinceInput || *conditions.sinceInput >= needed)
        return;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(needed - *conditions.sinceInput);
    blockers.push_back({Reason::UserActive, now + left});
}

} // namespace

Decision decide(const Conditions& conditions, const Preferences& preferences,
                const std::string& deviceId, const TimedPause& pause, WallTime now)
{
    Decision decision;
    addSafety(conditions, preferences, decision.blockers);
    if (pause.active && (!pause.until || now < *pause.until))
        decision.blockers.push_back({Reason::PausedByUser, pause.until});

    const auto entry = preferences.devices.find(deviceId);
    const DevicePreference device =
        entry == preferences.devices.end() ? DevicePreference{} : entry->second;
    const RunWhen when = stricter(preferences.when, device.when);
    if (!device.enabled || when == RunWhen::Never)
        decision.blockers.push_back({Reason::SwitchedOff, std::nullopt});
    else if (when == RunWhen::Idle)
        addIdle(conditions, preferences.idleMinutes, now, decision.blockers);

    decision.run = decision.blockers.empty();
    return decision;
}

} // namespace commonweight::agent
