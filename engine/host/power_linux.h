#pragma once
// Power supplies as Linux shows them in /sys/class/power_supply. Apart from the interface so that
// tests can bring a folder of their own. Any thread.

#include <filesystem>
#include <optional>

namespace commonweight::host {

/// True when a battery of this computer (not of a mouse) discharges and nothing feeds the computer;
/// false when something feeds it or it has no battery; absent when the folder cannot be read.
std::optional<bool> onBatteryFrom(const std::filesystem::path& powerSupplies);

} // namespace commonweight::host
