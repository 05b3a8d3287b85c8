#pragma once
// Parsers behind memory() and physicalCores(), apart so that tests can bring text and folders of
// their own. Any thread.

#include "engine/host/monitors.h"

#include <istream>

namespace commonweight::host {

/// The MemTotal and MemAvailable lines of /proc/meminfo; absent when either is missing.
std::optional<Memory> memoryFrom(std::istream& meminfo);

/// Cores that are not siblings of one another, from …/cpuN/topology; 0 when the folder says
/// nothing.
int physicalCoresFrom(const std::filesystem::path& cpus);

} // namespace commonweight::host
