#include "engine/agent/preferences.h"

#include <algorithm>
#include <array>

namespace commonweight::agent {

namespace {

constexpr std::size_t kTextBytes = 200;
constexpr std::size_t kDevices = 64;
constexpr std::size_t kPrograms = 100;
constexpr double kQuietDuty = 0.5;

struct IntegerField {
    const char* name;
    int Preferences::*member;
    int min;
    int max;
};
constexpr std::array kIntegers{
    IntegerField{"idle_minutes", &Preferences::idleMinutes, 1, 240},
    IntegerField{"minimum_charge_percent", &Preferences::minimumChargePercent, 0, 100},
    IntegerField{"load_percent_of_others", &Preferences::loadPercentOfOthers, 0, 100},
    IntegerField{"processor_celsius_at_most", &Preferences::processorCelsiusAtMost, 40, 110},
    IntegerField{"graphics_celsius_at_most", &Preferences::graphicsCelsiusAtMost, 40, 110},
    IntegerField{"processor_threads", &Preferences::processorThreads, 0, 1024},
    IntegerField{"memory_percent_in_use", &Preferences::memoryPercentInUse, 5, 100},
    IntegerField{"memory_percent_idle", &Preferences::memoryPercentIdle, 5, 100},
    IntegerField{"checkpoint_seconds", &Preferences::checkpointSeconds, 1, 3600},
};

struct NumberField {
    const char* name;
    double Preferences::*member;
    double min;
    double max;
};
constexpr std::array kNumbers{
    NumberField{"duty_cycle", &Preferences::dutyCycle, 0.1, 1},
    NumberField{"disk_gigabytes", &Preferences::diskGigabytes, 0.1, 100'000},
    NumberField{"disk_free_gigabytes", &Preferences::diskFreeGigabytes, 0, 100'000},
    NumberField{"download_megabytes_per_second", &Preferences::downloadMegabytesPerSecond, 0,
                100'000},
    NumberField{"upload_megabytes_per_second", &Preferences::uploadMegabytesPerSecond, 0, 100'000},
};

struct BoolField {
    const char* name;
    bool Preferences::*member;
};
constexpr std::array kBools{
    BoolField{"pause_on_battery", &Preferences::pauseOnBattery},
    BoolField{"pause_on_power_saver", &Preferences::pauseOnPowerSaver},
    BoolField{"pause_in_games", &Preferences::pauseInGames},
    BoolField{"pause_on_video", &Preferences::pauseOnVideo},
    BoolField{"hold_on_metered", &Preferences::holdOnMetered},
    BoolField{"allow_unconfined", &Preferences::allowUnconfined},
    BoolField{"autostart", &Preferences::autostart},
    BoolField{"close_to_tray_explained", &Preferences::closeToTrayExplained},
};

struct TextField {
    const char* name;
    std::string Preferences::*member;
};
constexpr std::array kTexts{
    TextField{"proxy", &Preferences::proxy},
    TextField{"contributor_name", &Preferences::contributorName},
};

struct GridField {
    const char* name;
    WeekGrid Preferences::*member;
};
constexpr std::array kGrids{
    GridField{"compute_week", &Preferences::computeWeek},
    GridField{"transfer_week", &Preferences::transferWeek},
};

const char* toString(Pace pace)
{
    switch (pace) {
    case Pace::Quiet:
        return "quiet";
    case Pace::Balanced:
        return "balanced";
    case Pace::Full:
        return "full";
    }
    return "balanced";
}

const char* toString(RunWhen when)
{
    switch (when) {
    case RunWhen::Idle:
        return "idle";
    case RunWhen::Always:
        return "always";
    case RunWhen::Never:
        return "never";
    }
    return "idle";
}

Error badValue(const std::string& name, const std::string& range)
{
    return {ErrorKind::Protocol, "setting '" + name + "' must be " + range};
}

std::string shortNumber(double value)
{
    return dumpJson(value == static_cast<double>(static_cast<long long>(value))
                        ? Json(static_cast<long long>(value))
                        : Json(value));
}

Result<void> readWhen(const Json& json, RunWhen& when)
{
    if (!json.contains("when"))
        return {};
    for (RunWhen known : {RunWhen::Idle, RunWhen::Always, RunWhen::Never})
        if (json["when"] == toString(known)) {
            when = known;
            return {};
        }
    return badValue("when", "idle, always or never");
}

Result<void> readPace(const Json& json, Pace& pace)
{
    if (!json.contains("pace"))
        return {};
    for (Pace known : {Pace::Quiet, Pace::Balanced, Pace::Full})
        if (json["pace"] == toString(known)) {
            pace = known;
            return {};
        }
    return badValue("pace", "quiet, balanced or full");
}

Result<void> readGrid(const Json& json, const GridField& field, Preferences& preferences)
{
    if (!json.contains(field.name))
        return {};
    auto grid = weekGridFromJson(json[field.name]);
    if (!grid)
        return grid.error().withContext(std::string("setting '") + field.name + "'");
    preferences.*field.member = *grid;
    return {};
}

Result<void> readBool(const Json& json, const char* name, bool& value)
{
    if (!json.contains(name))
        return {};
    if (!json[name].is_boolean())
        return badValue(name, "true or false");
    value = json[name].get<bool>();
    return {};
}

Result<void> readInteger(const Json& json, const IntegerField& field, Preferences& preferences)
{
    if (!json.contains(field.name))
        return {};
    const auto value = integerMember(json, field.name, field.min, field.max);
    if (!value)
        return badValue(field.name, "a whole number from " + std::to_string(field.min) + " to " +
                                        std::to_string(field.max));
    preferences.*field.member = static_cast<int>(*value);
    return {};
}

Result<void> readNumber(const Json& json, const NumberField& field, Preferences& preferences)
{
    if (!json.contains(field.name))
        return {};
    const auto value = numberMember(json, field.name);
    if (!value || *value < field.min || *value > field.max)
        return badValue(field.name, "a number from " + shortNumber(field.min) + " to " +
                                        shortNumber(field.max));
    preferences.*field.member = *value;
    return {};
}

bool isOneLine(const std::string& text)
{
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; });
}

/// A scheme that libcurl knows, then a host, and no space anywhere.
bool isProxy(const std::string& text)
{
    static constexpr std::array kSchemes{"http://", "https://", "socks4://", "socks5://",
                                         "socks5h://"};
    const auto fits = [&](const std::string& scheme) {
        return text.starts_with(scheme) && text.size() > scheme.size();
    };
    return text.empty() || (text.find(' ') == std::string::npos &&
                            std::any_of(kSchemes.begin(), kSchemes.end(), fits));
}

/// Names of executables as the system shows them, without a folder.
Result<void> readPrograms(const Json& json, std::vector<std::string>& programs)
{
    if (!json.contains("exclusive_programs"))
        return {};
    const auto bad =
        badValue("exclusive_programs", "a list of at most " + std::to_string(kPrograms) +
                                           " names of programs, without folders");
    const Json& list = json["exclusive_programs"];
    if (!list.is_array() || list.size() > kPrograms)
        return bad;
    std::vector<std::string> read;
    for (const auto& entry : list) {
        const auto name = entry.is_string() ? entry.get<std::string>() : std::string();
        if (name.empty() || name.size() > kTextBytes || !isOneLine(name) ||
            name.find('/') != std::string::npos)
            return bad;
        read.push_back(name);
    }
    programs = std::move(read);
    return {};
}

Result<void> readText(const Json& json, const TextField& field, Preferences& preferences)
{
    if (!json.contains(field.name))
        return {};
    auto value = textMember(json, field.name, kTextBytes);
    if (!value || !isOneLine(*value))
        return badValue(field.name, "a line of at most " + std::to_string(kTextBytes) + " bytes");
    preferences.*field.member = std::move(value).value();
    return {};
}

Result<void> readDevices(const Json& json, std::map<std::string, DevicePreference>& devices)
{
    if (!json.contains("devices"))
        return {};
    if (!json["devices"].is_object() || json["devices"].size() > kDevices)
        return badValue("devices",
                        "an object with at most " + std::to_string(kDevices) + " devices");
    std::map<std::string, DevicePreference> read;
    for (const auto& [id, value] : json["devices"].items()) {
        if (id.empty() || id.size() > kTextBytes || !value.is_object())
            return badValue("devices", "an object with an object for each device");
        DevicePreference device;
        if (auto good = readBool(value, "enabled", device.enabled); !good)
            return good.error().withContext("device '" + id + "'");
        if (auto good = readWhen(value, device.when); !good)
            return good.error().withContext("device '" + id + "'");
        read.emplace(id, device);
    }
    devices = std::move(read);
    return {};
}

} // namespace

int threadsFor(const Preferences& preferences, int physicalCores)
{
    if (preferences.processorThreads > 0)
        return preferences.processorThreads;
    switch (preferences.pace) {
    case Pace::Quiet:
        return std::max(1, physicalCores / 4);
    case Pace::Balanced:
        return std::max(1, physicalCores / 2);
    case Pace::Full:
        return std::max(1, physicalCores);
    }
    return 1;
}

double dutyFor(const Preferences& preferences)
{
    return preferences.pace == Pace::Quiet ? std::min(preferences.dutyCycle, kQuietDuty)
                                           : preferences.dutyCycle;
}

Json toJson(const Preferences& preferences)
{
    Json json = Json::object();
    json["when"] = toString(preferences.when);
    for (const auto& field : kIntegers)
        json[field.name] = preferences.*field.member;
    for (const auto& field : kNumbers)
        json[field.name] = preferences.*field.member;
    for (const auto& field : kBools)
        json[field.name] = preferences.*field.member;
    for (const auto& field : kTexts)
        json[field.name] = preferences.*field.member;
    for (const auto& field : kGrids)
        json[field.name] = toJson(preferences.*field.member);
    json["pace"] = toString(preferences.pace);
    json["exclusive_programs"] = preferences.exclusivePrograms;
    json["devices"] = Json::object();
    for (const auto& [id, device] : preferences.devices)
        json["devices"][id] = {{"enabled", device.enabled}, {"when", toString(device.when)}};
    return json;
}

Result<Preferences> preferencesFromJson(const Json& json)
{
    if (!json.is_object())
        return Error{ErrorKind::Protocol, "preferences must be a JSON object"};
    Preferences preferences;
    CW_CHECK(readWhen(json, preferences.when));
    for (const auto& field : kIntegers)
        CW_CHECK(readInteger(json, field, preferences));
    for (const auto& field : kNumbers)
        CW_CHECK(readNumber(json, field, preferences));
    for (const auto& field : kBools)
        CW_CHECK(readBool(json, field.name, preferences.*field.member));
    for (const auto& field : kTexts)
        CW_CHECK(readText(json, field, preferences));
    if (!isProxy(preferences.proxy))
        return badValue("proxy", "empty or like http://proxy.example.org:3128, without spaces");
    for (const auto& field : kGrids)
        CW_CHECK(readGrid(json, field, preferences));
    CW_CHECK(readPace(json, preferences.pace));
    CW_CHECK(readPrograms(json, preferences.exclusivePrograms));
    CW_CHECK(readDevices(json, preferences.devices));
    return preferences;
}

} // namespace commonweight::agent
