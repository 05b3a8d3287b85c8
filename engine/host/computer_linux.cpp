#include "engine/host/computer_linux.h"

#include <sched.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <thread>

namespace commonweight::host {

namespace {

/// Cores that this process may use: fewer than the machine has in a container or under taskset.
int usableThreads()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return std::max(1, CPU_COUNT(&set));
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

bool isCpuFolder(const std::string& name)
{
    return name.size() > 3 && name.starts_with("cpu") &&
           std::all_of(name.begin() + 3, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

std::optional<Memory> memoryFrom(std::istream& meminfo)
{
    std::optional<std::uint64_t> total;
    std::optional<std::uint64_t> available;
    std::string name;
    while (meminfo >> name) {
        std::uint64_t kibibytes = 0;
        if (name == "MemTotal:" && meminfo >> kibibytes)
            total = kibibytes * 1024;
        else if (name == "MemAvailable:" && meminfo >> kibibytes)
            available = kibibytes * 1024;
        std::string rest;
        meminfo.clear(meminfo.rdstate() & ~std::ios::failbit);
        std::getline(meminfo, rest);
    }
    if (!total || !available || *total == 0)
        return std::nullopt;
    return Memory{*total, std::min(*available, *total)};
}

std::optional<Memory> memory()
{
    std::ifstream meminfo("/proc/meminfo");
    return memoryFrom(meminfo);
}

std::optional<std::uint64_t> diskFree(const std::filesystem::path& folder)
{
    // A folder that is not made yet will lie on the volume of its nearest parent.
    std::error_code error;
    std::filesystem::path existing = std::filesystem::absolute(folder, error);
    while (!error && !std::filesystem::exists(existing, error) && existing.has_relative_path())
        existing = existing.parent_path();
    struct statvfs volume {};
    if (error || statvfs(existing.c_str(), &volume) != 0)
        return std::nullopt;
    return std::uint64_t{volume.f_bavail} * volume.f_frsize;
}

int physicalCoresFrom(const std::filesystem::path& cpus)
{
    std::error_code error;
    std::set<std::pair<int, int>> cores;
    for (const auto& entry : std::filesystem::directory_iterator(cpus, error)) {
        if (!isCpuFolder(entry.path().filename().string()))
            continue;
        int package = 0;
        int core = 0;
        std::ifstream packageFile(entry.path() / "topology" / "physical_package_id");
        std::ifstream coreFile(entry.path() / "topology" / "core_id");
        if (packageFile >> package && coreFile >> core)
            cores.emplace(package, core);
    }
    return static_cast<int>(cores.size());
}

int physicalCores()
{
    const int usable = usableThreads();
    const int physical = physicalCoresFrom("/sys/devices/system/cpu");
    return physical > 0 ? std::min(physical, usable) : usable;
}

} // namespace commonweight::host
