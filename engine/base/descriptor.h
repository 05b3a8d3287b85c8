#pragma once
// Owns one file descriptor of this room's file functions and closes it. One thread at a time.

#include "engine/base/result.h"

#include <unistd.h>

#include <filesystem>
#include <utility>

namespace commonweight {

class Descriptor {
public:
    explicit Descriptor(int number) : m_number(number) {}
    Descriptor(Descriptor&& other) noexcept : m_number(std::exchange(other.m_number, -1)) {}
    Descriptor& operator=(Descriptor&&) = delete;
    ~Descriptor()
    {
        if (m_number >= 0)
            ::close(m_number);
    }

    bool isOpen() const { return m_number >= 0; }
    int get() const { return m_number; }
    /// The caller owns the number from now on.
    int release() { return std::exchange(m_number, -1); }

private:
    int m_number;
};

/// Opens a file for reading. Io for folders, pipes and devices, none of which can make the caller
/// wait.
Result<Descriptor> openRegular(const std::filesystem::path& path);

} // namespace commonweight
