#pragma once
// A clock that moves only when told. Wall and monotonic time can be moved apart, as a user's clock
// change does.

#include "engine/base/clock.h"

#include <atomic>

namespace commonweight {

class FakeClock final : public Clock {
public:
    explicit FakeClock(WallTime start = WallTime{std::chrono::seconds{1'800'000'000}})
        : m_wall(start.time_since_epoch())
    {}

    WallTime wall() const override { return WallTime{m_wall.load()}; }
    MonotonicTime monotonic() const override { return MonotonicTime{m_monotonic.load()}; }

    void advance(std::chrono::milliseconds by)
    {
        m_wall = m_wall.load() + by;
        m_monotonic = m_monotonic.load() + by;
    }
    void jumpWall(std::chrono::milliseconds by) { m_wall = m_wall.load() + by; }

private:
    std::atomic<std::chrono::milliseconds> m_wall;
    std::atomic<std::chrono::milliseconds> m_monotonic{std::chrono::hours{1}};
};

} // namespace commonweight
