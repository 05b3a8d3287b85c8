#pragma once
// Parsers behind SensorMonitor, apart so that tests can bring text and folders of their own. Any
// thread.

#include <chrono>
#include <deque>
#include <filesystem>
#include <istream>
#include <optional>
#include <string>
#include <vector>

namespace commonweight::host {

/// Charge of the emptiest battery of this computer, from …/power_supply; absent when it has none.
std::optional<int> batteryPercentFrom(const std::filesystem::path& powerSupplies);

/// The hottest temperature input, in °C, of the chips in …/hwmon with one of these names.
std::optional<double> celsiusFrom(const std::filesystem::path& hwmon,
                                  const std::vector<std::string>& chips);

/// avg60 of the "some" line of /proc/pressure/memory, 0–1.
std::optional<double> pressureFrom(std::istream& pressure);

/// Of `wanted`, those that a process of …/proc runs, by the name of its executable or, where that
/// cannot be seen, its short name.
std::vector<std::string> runningOf(const std::filesystem::path& proc,
                                   const std::vector<std::string>& wanted);

struct ProcessorTimes {
    double busy = 0; ///< at normal priority, ticks
    double all = 0;
};
/// The first line of /proc/stat. Time at low priority, such as a trainer's, is not busy.
std::optional<ProcessorTimes> processorTimesFrom(std::istream& stat);

/// The mean of the last minute.
class LoadMeter {
public:
    using Time = std::chrono::steady_clock::time_point;

    void note(const ProcessorTimes& times, Time now);
    std::optional<double> mean() const; ///< 0–1; absent in the first minute

private:
    struct Sample {
        Time time;
        ProcessorTimes times;
    };
    std::deque<Sample> m_samples;
};

} // namespace commonweight::host
