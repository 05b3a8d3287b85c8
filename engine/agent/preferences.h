#pragma once
// What the user decided. Plain value; stored by AgentStore, checked by `checked`. Defaults are the
// product page's.

#include "engine/agent/week_grid.h"
#include "engine/base/json.h"

#include <map>
#include <string>
#include <vector>

namespace commonweight::agent {

enum class RunWhen { Idle, Always, Never };

/// How much of the computer training takes: a quarter of the cores and half of the time; half of
/// the cores; all of them.
enum class Pace { Quiet, Balanced, Full };

struct DevicePreference {
    bool enabled = true;
    RunWhen when =
        RunWhen::Always; ///< the stricter of this and Preferences::when counts; Always adds nothing
};

struct Preferences {
    RunWhen when = RunWhen::Idle; ///< for everything; a device can be stricter
    int idleMinutes = 5;
    WeekGrid computeWeek;
    bool pauseOnBattery = true;
    int minimumChargePercent = 0; ///< 0 = any
    bool pauseOnPowerSaver = true;
    bool pauseInGames = true;
    bool pauseOnVideo = true;
    std::vector<std::string> exclusivePrograms; ///< names of executables; nothing runs beside them
    int loadPercentOfOthers = 0;                ///< of all processors; 0 = any
    int processorCelsiusAtMost = 85;
    int graphicsCelsiusAtMost = 80;
    Pace pace = Pace::Balanced;
    int processorThreads = 0; ///< 0 = as the pace says
    double dutyCycle = 1;     ///< share of time to compute, 0.1–1; the pace may lower it
    int memoryPercentInUse = 25;
    int memoryPercentIdle = 60;
    double diskGigabytes = 10;
    double diskFreeGigabytes = 5;
    int checkpointSeconds = 120;
    double downloadMegabytesPerSecond = 0; ///< 0 = unlimited
    double uploadMegabytesPerSecond = 0;
    WeekGrid transferWeek;
    bool holdOnMetered = true; ///< models, text and results wait; asking for work does not
    std::string proxy;
    bool allowUnconfined = false; ///< train even where the system cannot confine the trainer
    std::string contributorName;  ///< shown by projects; may be empty
    bool autostart = false;
    bool closeToTrayExplained = false;
    std::map<std::string, DevicePreference> devices; ///< by device id; absent = default
};

/// Threads of the processor that the pace or the person grants; at least 1.
int threadsFor(const Preferences& preferences, int physicalCores);
/// Share of the time to compute.
double dutyFor(const Preferences& preferences);

Json toJson(const Preferences& preferences);
/// Unknown members are ignored, missing ones keep their default, wrong or out-of-range ones are
/// Protocol with the name and range.
Result<Preferences> preferencesFromJson(const Json& json);

} // namespace commonweight::agent
