#include "gpu/cpu/memory.h"

#include "gpu/byte_text.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sys/mman.h>
#include <sys/sysinfo.h>

namespace commonweight::gpu::cpu {
namespace {

// The first number in a file, or `otherwise`.
std::uint64_t numberIn(const char* path, std::uint64_t otherwise)
{
    std::ifstream file(path);
    std::uint64_t value = 0;
    return file >> value ? value : otherwise;
}

// Cached files count as used by a control group although they make room when asked.
std::uint64_t groupUsed()
{
    std::ifstream file("/sys/fs/cgroup/memory.stat");
    std::string name;
    std::uint64_t value = 0;
    std::uint64_t cached = 0;
    while (file >> name >> value) {
        if (name == "inactive_file" || name == "active_file")
            cached += value;
    }
    const std::uint64_t used = numberIn("/sys/fs/cgroup/memory.current", 0);
    return used > cached ? used - cached : 0;
}

std::uint64_t systemAvailable()
{
    std::ifstream file("/proc/meminfo");
    std::string line;
    while (std::getline(file, line)) {
        std::uint64_t kibibytes = 0;
        if (std::sscanf(line.c_str(), "MemAvailable: %" SCNu64, &kibibytes) == 1)
            return kibibytes << 10;
    }
    struct sysinfo info = {};
    sysinfo(&info);
    return (static_cast<std::uint64_t>(info.freeram) + info.bufferram) * info.mem_unit;
}

} // namespace

std::uint64_t totalMemory()
{
    struct sysinfo info = {};
    sysinfo(&info);
    const std::uint64_t system = static_cast<std::uint64_t>(info.totalram) * info.mem_unit;
    return std::min(system, numberIn("/sys/fs/cgroup/memory.max", system));
}

std::uint64_t availableMemory()
{
    const std::uint64_t system = systemAvailable();
    const std::uint64_t limit = numberIn("/sys/fs/cgroup/memory.max", ~std::uint64_t{0});
    const std::uint64_t used = groupUsed();
    return std::min(system, limit > used ? limit - used : 0);
}

std::string processorName()
{
    std::ifstream file("/proc/cpuinfo");
    std::string line;
    while (std::getline(file, line)) {
        if (line.starts_with("model name"))
            return line.substr(std::min(line.size(), line.find(':') + 2));
    }
    return "Processor";
}

Result<Memory> Memory::allocate(std::uint64_t bytes)
{
    const std::uint64_t available = availableMemory();
    const auto tooLittle = [&] {
        return Error{ErrorKind::OutOfMemory, byteText(bytes) + " of memory are needed but only " +
                                                 byteText(available) + " are free"};
    };
    if (bytes > available)
        return tooLittle();
    const std::uint64_t mapped = std::max<std::uint64_t>(bytes, 1);
    void* data = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
        return tooLittle();
    Memory memory(data, mapped);
    madvise(data, mapped, MADV_HUGEPAGE); // fewer TLB misses where the system offers it
    // Taken now, so that a lack of memory is an error here and not a killed process later.
    if (madvise(data, mapped, MADV_POPULATE_WRITE) != 0 && errno == ENOMEM)
        return tooLittle();
    return memory;
}

Memory::Memory(Memory&& other) noexcept : m_data(other.m_data), m_bytes(other.m_bytes)
{
    other.m_data = nullptr;
}

Memory::~Memory()
{
    if (m_data)
        munmap(m_data, m_bytes);
}

} // namespace commonweight::gpu::cpu
