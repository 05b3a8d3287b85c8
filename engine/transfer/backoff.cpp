#include "engine/transfer/backoff.h"

#include "engine/base/random.h"

#include <algorithm>
#include <cmath>

namespace commonweight::transfer {

namespace {

/// Servers send the same Retry-After to everybody, so that all would come back in the same second.
constexpr double kSpreadOfRetryAfter = 0.1;
constexpr int kMostDoublings = 60;

MonotonicTime::duration toTicks(Seconds seconds)
{
    return std::chrono::duration_cast<MonotonicTime::duration>(seconds);
}

} // namespace

Backoff::Backoff(Seconds first, Seconds cap, std::uint64_t seed)
    : m_first(first), m_cap(cap), m_seed(seed)
{
    assert(first.count() > 0 && cap >= first);
}

void Backoff::failed(MonotonicTime now, Seconds retryAfter)
{
    const auto numbers = philox(m_seed, static_cast<std::uint64_t>(m_failures));
    const double longest = m_first.count() * std::exp2(std::min(m_failures, kMostDoublings));
    Seconds wait{std::min(longest, m_cap.count()) * double{uniform01(numbers[0])}};
    if (retryAfter.count() >= 0)
        wait =
            std::max(wait, retryAfter * (1 + kSpreadOfRetryAfter * double{uniform01(numbers[1])}));
    m_next = now + toTicks(std::min(wait, m_cap));
    ++m_failures;
}

void Backoff::succeeded()
{
    m_failures = 0;
    m_next = {};
}

bool Backoff::mayTry(MonotonicTime now) const
{
    return m_failures == 0 || now >= m_next;
}

Seconds Backoff::wait(MonotonicTime now) const
{
    return mayTry(now) ? Seconds{0} : Seconds{m_next - now};
}

} // namespace commonweight::transfer
