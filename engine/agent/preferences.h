#pragma once
// What the user decided. Plain value; stored by AgentStore, checked by `checked`. Defaults are the
// product page's.

#include "engine/base/json.h"

#include <map>
#include <string>

namespace commonweight::agent {

enum class RunWhen { Idle, Always, Never };

struct DevicePreference {
    bool enabled = true;
    RunWhen when =
        RunWhen::Always; ///< the stricter of this and Preferences::when counts; Always adds nothing
};

struct Preferences {
    RunWhen when = RunWhen::Idle; ///< for everything; a device can be stricter
    int idleMinutes = 5;
    bool pauseOnBattery = true;
    int processorThreads = 0; ///< 0 = half of the physical cores
    double dutyCycle = 1;     ///< share of time to compute, 0.1–1
    int memoryPercentInUse = 25;
    int memoryPercentIdle = 60;
    double diskGigabytes = 10;
    double diskFreeGigabytes = 5;
    int checkpointSeconds = 120;
    double downloadMegabytesPerSecond = 0; ///< 0 = unlimited
    double uploadMegabytesPerSecond = 0;
    std::string proxy;
    std::string contributorName; ///< shown by projects; may be empty
    bool autostart = false;
    bool closeToTrayExplained = false;
    std::map<std::string, DevicePreference> devices; ///< by device id; absent = default
};

Json toJson(const Preferences& preferences);
/// Unknown members are ignored, missing ones keep their default, wrong or out-of-range ones are
/// Protocol with the name and range.
Result<Preferences> preferencesFromJson(const Json& json);

} // namespace commonweight::agent
