#include "server/schedule/rate_limit.h"

#include <algorithm>
#include <cmath>

namespace commonweight::server {

static constexpr std::size_t kBuckets = 100'000;

double RateLimit::filled(const Bucket& bucket, MonotonicTime now) const
{
    return std::min(m_burst, bucket.tokens + Seconds(now - bucket.at).count() * m_perSecond);
}

void RateLimit::forgetFullBuckets(MonotonicTime now)
{
    std::erase_if(m_buckets,
                  [&](const auto& entry) { return filled(entry.second, now) >= m_burst; });
    // Everybody is busy at once: to start over is kinder than to refuse newcomers.
    if (m_buckets.size() >= kBuckets)
        m_buckets.clear();
}

std::optional<Response> RateLimit::refusal(const std::string& key)
{
    const auto now = m_clock.monotonic();
    const std::lock_guard lock(m_mutex);
    if (m_buckets.size() >= kBuckets && !m_buckets.contains(key))
        forgetFullBuckets(now);
    auto& bucket = m_buckets.try_emplace(key, Bucket{m_burst, now}).first->second;
    bucket = {filled(bucket, now), now};
    if (bucket.tokens >= 1) {
        bucket.tokens -= 1;
        return {};
    }
    auto response = problem(429, "too-many-requests", "You ask too often; please wait a little");
    response.headers["Retry-After"] =
        std::to_string(static_cast<long>(std::ceil((1 - bucket.tokens) / m_perSecond)));
    return response;
}

} // namespace commonweight::server
