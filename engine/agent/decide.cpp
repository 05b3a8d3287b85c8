#include "engine/agent/decide.h"

#include <algorithm>

namespace commonweight::agent {

namespace {

/// Never is stricter than Idle, Idle than Always.
RunWhen stricter(RunWhen a, RunWhen b)
{
    const auto strictness = [](RunWhen when) {
        return when == RunWhen::Never ? 2 : when == RunWhen::Idle ? 1 : 0;
    };
    return strictness(a) >= strictness(b) ? a : b;
}

bool isOn(const Latches& latches, Level level)
{
    const auto latch = latches.find(level);
    return latch != latches.end() && latch->second.on;
}

void addSafety(const Conditions& conditions, const Latches& latches, const Preferences& preferences,
               std::vector<Blocker>& blockers)
{
    const auto add = [&](bool applies, Reason reason) {
        if (applies)
            blockers.push_back({reason, std::nullopt});
    };
    add(preferences.pauseOnBattery && conditions.onBattery.value_or(false), Reason::OnBattery);
    add(isOn(latches, Level::Charge), Reason::LowCharge);
    add(preferences.pauseOnPowerSaver && conditions.powerSaver.value_or(false), Reason::PowerSaver);
    add(isOn(latches, Level::ProcessorHeat) || isOn(latches, Level::DeviceHeat), Reason::TooHot);
    add(isOn(latches, Level::Memory) || isOn(latches, Level::Pressure), Reason::LowMemory);
    add(isOn(latches, Level::Disk), Reason::LowDisk);
}

/// Other programs that want the computer for themselves.
void addPrograms(const Conditions& conditions, const Latches& latches,
                 const Preferences& preferences, std::vector<Blocker>& blockers)
{
    if (preferences.pauseInGames && conditions.gameRunning.value_or(false))
        blockers.push_back({Reason::GameRunning, std::nullopt});
    for (const auto& program : preferences.exclusivePrograms)
        if (std::find(conditions.programs.begin(), conditions.programs.end(), program) !=
            conditions.programs.end()) {
            blockers.push_back({Reason::ProgramRunning, std::nullopt, program});
            break;
        }
    if (isOn(latches, Level::Load))
        blockers.push_back({Reason::OthersBusy, std::nullopt});
}

void addIdle(const Conditions& conditions, const Preferences& preferences, WallTime now,
             std::vector<Blocker>& blockers)
{
    if (!preferences.computeWeek.allows(now))
        blockers.push_back({Reason::OutOfHours, preferences.computeWeek.nextAllowed(now)});
    if (preferences.pauseOnVideo && conditions.videoPlaying.value_or(false))
        blockers.push_back({Reason::VideoPlaying, std::nullopt});
    // Unknown means that nobody sits there: a computer without a display has no detector and must
    // not wait for ever.
    const Seconds needed = std::chrono::minutes{preferences.idleMinutes};
    if (!conditions.sinceInput || *conditions.sinceInput >= needed)
        return;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(needed - *conditions.sinceInput);
    blockers.push_back({Reason::UserActive, now + left});
}

} // namespace

Decision decide(const Conditions& conditions, const Latches& latches,
                const Preferences& preferences, const std::string& deviceId,
                const TimedPause& pause, WallTime now)
{
    Decision decision;
    addSafety(conditions, latches, preferences, decision.blockers);
    if (pause.active && (!pause.until || now < *pause.until))
        decision.blockers.push_back({Reason::PausedByUser, pause.until});
    addPrograms(conditions, latches, preferences, decision.blockers);

    const auto entry = preferences.devices.find(deviceId);
    const DevicePreference device =
        entry == preferences.devices.end() ? DevicePreference{} : entry->second;
    const RunWhen when = stricter(preferences.when, device.when);
    if (!device.enabled || when == RunWhen::Never)
        decision.blockers.push_back({Reason::SwitchedOff, std::nullopt});
    else if (when == RunWhen::Idle)
        addIdle(conditions, preferences, now, decision.blockers);

    decision.run = decision.blockers.empty();
    return decision;
}

} // namespace commonweight::agent
