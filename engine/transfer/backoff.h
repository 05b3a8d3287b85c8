#pragma once
// When to try a server again: exponential with full jitter, Retry-After obeyed, never longer than
// the cap. Pure value.

#include "engine/base/clock.h"

namespace commonweight::transfer {

class Backoff {
public:
    explicit Backoff(Seconds first = Seconds{2}, Seconds cap = Seconds{3600},
                     std::uint64_t seed = 0);

    void failed(MonotonicTime now,
                Seconds retryAfter = Seconds{-1}); ///< a negative retryAfter means none was said
    void succeeded();
    bool mayTry(MonotonicTime now) const;
    Seconds wait(MonotonicTime now) const; ///< zero when it may be tried now
    int failures() const { return m_failures; }

private:
    Seconds m_first, m_cap;
    std::uint64_t m_seed;
    int m_failures = 0;
    MonotonicTime m_next{};
};

} // namespace commonweight::transfer
