#pragma once
// Sizes of memory in messages for people. Pure function, any thread.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

namespace commonweight::gpu {

/// "12 MiB", "3.1 GiB".
inline std::string byteText(std::uint64_t bytes)
{
    std::array<char, 32> text{};
    const double mebibytes = static_cast<double>(bytes) / 0x1p20;
    if (mebibytes < 1000)
        std::snprintf(text.data(), text.size(), "%.0f MiB", std::max(mebibytes, 1.0));
    else
        std::snprintf(text.data(), text.size(), "%.1f GiB", mebibytes / 1024);
    return text.data();
}

} // namespace commonweight::gpu
