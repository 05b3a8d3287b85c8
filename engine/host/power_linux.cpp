#include "engine/host/power_linux.h"

#include "engine/host/monitors.h"

#include <fstream>

namespace commonweight::host {

namespace {

std::string firstLine(const std::filesystem::path& file)
{
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    return line;
}

class SysfsPowerMonitor final : public PowerMonitor {
public:
    std::optional<bool> onBattery() override { return onBatteryFrom("/sys/class/power_supply"); }
};

} // namespace

std::optional<bool> onBatteryFrom(const std::filesystem::path& powerSupplies)
{
    std::error_code error;
    std::filesystem::directory_iterator supplies(powerSupplies, error);
    if (error)
        return std::nullopt;
    bool fed = false;
    bool discharging = false;
    for (const auto& supply : supplies) {
        const std::string type = firstLine(supply.path() / "type");
        if (type == "Battery") {
            const bool ofTheComputer = firstLine(supply.path() / "scope") != "Device";
            discharging |= ofTheComputer && firstLine(supply.path() / "status") == "Discharging";
        } else {
            // Mains and the USB kinds: "1" is a fixed, "2" a programmable supply that is plugged
            // in.
            const std::string online = firstLine(supply.path() / "online");
            fed |= online == "1" || online == "2";
        }
    }
    return discharging && !fed;
}

std::unique_ptr<PowerMonitor> makePowerMonitor()
{
    return std::make_unique<SysfsPowerMonitor>();
}

} // namespace commonweight::host
