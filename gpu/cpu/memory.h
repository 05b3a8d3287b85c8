#pragma once
// What the CPU device asks the operating system: zero-filled, page-aligned memory, how much of it
// there is, the processor's name. Any thread.

#include "engine/base/result.h"

#include <cstdint>
#include <string>

namespace commonweight::gpu::cpu {

/// Memory of this computer, or of the control group that holds this process when that is less.
std::uint64_t totalMemory();
/// What can be had now without pushing others out.
std::uint64_t availableMemory();

/// The processor's name for people.
std::string processorName();

/// Owns a mapping; gives it back to the system when destroyed.
class Memory {
public:
    /// OutOfMemory with the sizes when the computer cannot give as much.
    static Result<Memory> allocate(std::uint64_t bytes);
    Memory(Memory&& other) noexcept;
    Memory& operator=(Memory&&) = delete;
    ~Memory();

    void* data() const { return m_data; }
    std::uint64_t bytes() const { return m_bytes; }

private:
    Memory(void* data, std::uint64_t bytes) : m_data(data), m_bytes(bytes) {}

    void* m_data;
    std::uint64_t m_bytes;
};

} // namespace commonweight::gpu::cpu
