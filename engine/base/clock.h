#pragma once
// Time, injectable. Deadlines on the wire are wall time; every timer and time-out is monotonic.

#include "engine/base/result.h"

#include <chrono>
#include <string>
#include <string_view>

namespace commonweight {

using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;
using MonotonicTime = std::chrono::steady_clock::time_point;
using Seconds = std::chrono::duration<double>;

/// Thread-safe.
class Clock {
public:
    virtual ~Clock() = default;
    virtual WallTime wall() const = 0;
    virtual MonotonicTime monotonic() const = 0;
};

class SystemClock final : public Clock {
public:
    WallTime wall() const override;
    MonotonicTime monotonic() const override;
};

std::string toRfc3339(WallTime time); ///< "2026-12-01T14:44:38.123Z"
Result<WallTime>
parseRfc3339(std::string_view text); ///< RFC 3339 with any offset, years 1970–9999; else Protocol

} // namespace commonweight
