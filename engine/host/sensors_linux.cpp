#include "engine/host/sensors_linux.h"

#include "engine/host/monitors.h"

#include <algorithm>
#include <array>
#include <fstream>

namespace commonweight::host {

namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kMinute{60};
constexpr std::chrono::seconds kLookEvery{2};
constexpr std::chrono::seconds kProgramsEvery{5};
constexpr double kMilli = 1e-3;
constexpr double kColdest = -40; ///< °C; a sensor that says less, or more, is broken
constexpr double kHottest = 150;
constexpr int kStatColumns = 8; ///< user nice system idle iowait irq softirq steal

std::string firstLine(const fs::path& file)
{
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    return line;
}

template <class T> std::optional<T> number(const fs::path& file)
{
    std::ifstream stream(file);
    T value{};
    return stream >> value ? std::optional<T>(value) : std::nullopt;
}

std::vector<fs::path> entriesOf(const fs::path& folder)
{
    std::error_code error;
    std::vector<fs::path> entries;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
        entries.push_back(entry->path());
    return entries;
}

bool isTemperature(const std::string& name)
{
    return name.starts_with("temp") && name.ends_with("_input");
}

std::string programOf(const fs::path& process)
{
    std::error_code error;
    const auto exe = fs::read_symlink(process / "exe", error);
    return error ? firstLine(process / "comm") : exe.filename().string();
}

class LinuxSensorMonitor final : public SensorMonitor {
public:
    Sensors look(const std::vector<std::string>& programs) override
    {
        const auto now = SteadyClock::now();
        if (m_looked == SteadyClock::time_point{} || now - m_looked >= kLookEvery) {
            m_looked = now;
            readSensors(now);
        }
        if (programs.empty()) {
            m_sensors.programs.clear();
            m_programsLooked = {};
        } else if (m_programsLooked == SteadyClock::time_point{} ||
                   now - m_programsLooked >= kProgramsEvery || programs != m_wanted) {
            m_programsLooked = now;
            m_wanted = programs;
            m_sensors.programs = runningOf("/proc", programs);
        }
        return m_sensors;
    }

private:
    void readSensors(SteadyClock::time_point now)
    {
        static const std::vector<std::string> kProcessor{"coretemp", "k10temp", "zenpower",
                                                         "cpu_thermal"};
        static const std::vector<std::string> kGraphics{"amdgpu", "nouveau", "i915", "xe"};
        m_sensors.batteryPercent = batteryPercentFrom("/sys/class/power_supply");
        m_sensors.processorCelsius = celsiusFrom("/sys/class/hwmon", kProcessor);
        m_sensors.graphicsCelsius = celsiusFrom("/sys/class/hwmon", kGraphics);
        std::ifstream pressure("/proc/pressure/memory");
        m_sensors.memoryPressure = pressureFrom(pressure);
        std::ifstream stat("/proc/stat");
        if (const auto times = processorTimesFrom(stat))
            m_load.note(*times, now);
        m_sensors.loadOfOthers = m_load.mean();
    }

    Sensors m_sensors;
    LoadMeter m_load;
    std::vector<std::string> m_wanted;
    SteadyClock::time_point m_looked{};
    SteadyClock::time_point m_programsLooked{};
};

} // namespace

std::optional<int> batteryPercentFrom(const fs::path& powerSupplies)
{
    std::optional<int> least;
    for (const auto& supply : entriesOf(powerSupplies)) {
        if (firstLine(supply / "type") != "Battery" || firstLine(supply / "scope") == "Device")
            continue;
        const auto percent = number<int>(supply / "capacity");
        if (percent && *percent >= 0 && *percent <= 100)
            least = std::min(least.value_or(100), *percent);
    }
    return least;
}

std::optional<double> celsiusFrom(const fs::path& hwmon, const std::vector<std::string>& chips)
{
    std::optional<double> hottest;
    for (const auto& chip : entriesOf(hwmon)) {
        if (std::find(chips.begin(), chips.end(), firstLine(chip / "name")) == chips.end())
            continue;
        for (const auto& input : entriesOf(chip)) {
            const auto milli =
                isTemperature(input.filename().string()) ? number<double>(input) : std::nullopt;
            const double celsius = milli.value_or(-1e9) * kMilli;
            if (celsius >= kColdest && celsius <= kHottest)
                hottest = std::max(hottest.value_or(kColdest), celsius);
        }
    }
    return hottest;
}

std::optional<double> pressureFrom(std::istream& pressure)
{
    static const std::string kName = "avg60=";
    std::string kind;
    while (pressure >> kind) {
        std::string rest;
        std::getline(pressure, rest);
        const auto at = rest.find(kName);
        if (kind != "some" || at == std::string::npos)
            continue;
        char* end = nullptr;
        const double percent = std::strtod(rest.c_str() + at + kName.size(), &end);
        if (end != rest.c_str() + at + kName.size() && percent >= 0 && percent <= 100)
            return percent / 100;
    }
    return std::nullopt;
}

std::vector<std::string> runningOf(const fs::path& proc, const std::vector<std::string>& wanted)
{
    std::vector<std::string> running;
    for (const auto& process : entriesOf(proc)) {
        const auto id = process.filename().string();
        if (!std::all_of(id.begin(), id.end(), [](char c) { return c >= '0' && c <= '9'; }))
            continue;
        const auto program = programOf(process);
        if (std::find(wanted.begin(), wanted.end(), program) != wanted.end() &&
            std::find(running.begin(), running.end(), program) == running.end())
            running.push_back(program);
    }
    std::sort(running.begin(), running.end());
    return running;
}

std::optional<ProcessorTimes> processorTimesFrom(std::istream& stat)
{
    std::string name;
    std::array<double, kStatColumns> ticks{};
    if (!(stat >> name) || name != "cpu")
        return std::nullopt;
    ProcessorTimes times;
    for (double& column : ticks) {
        if (!(stat >> column) || column < 0)
            return std::nullopt;
        times.all += column;
    }
    times.busy = ticks[0] + ticks[2] + ticks[5] + ticks[6];
    return times;
}

void LoadMeter::note(const ProcessorTimes& times, Time now)
{
    m_samples.push_back({now, times});
    while (m_samples.size() > 2 && now - m_samples[1].time >= kMinute)
        m_samples.pop_front();
}

std::optional<double> LoadMeter::mean() const
{
    if (m_samples.empty() || m_samples.back().time - m_samples.front().time < kMinute)
        return std::nullopt;
    const auto& first = m_samples.front().times;
    const auto& last = m_samples.back().times;
    if (last.all <= first.all)
        return std::nullopt;
    return std::clamp((last.busy - first.busy) / (last.all - first.all), 0.0, 1.0);
}

std::unique_ptr<SensorMonitor> makeSensorMonitor()
{
    return std::make_unique<LinuxSensorMonitor>();
}

} // namespace commonweight::host
