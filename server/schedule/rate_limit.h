#pragma once
// How often one host (or address) may ask: a bucket of requests that refills steadily. Thread-safe.
// Owned by the routes that use it.

#include "engine/base/clock.h"
#include "server/api/http.h"

#include <map>
#include <mutex>
#include <optional>

namespace commonweight::server {

class RateLimit {
public:
    /// `burst` requests at once, `perSecond` in the long run.
    RateLimit(const Clock& clock, double burst, double perSecond)
        : m_clock(clock), m_burst(burst), m_perSecond(perSecond)
    {}

    /// The answer (429 with Retry-After) when `key` asks too often; else counts the request.
    std::optional<Response> refusal(const std::string& key);

private:
    struct Bucket {
        double tokens = 0;
        MonotonicTime at;
    };
    void forgetFullBuckets(MonotonicTime now);
    double filled(const Bucket& bucket, MonotonicTime now) const;

    const Clock& m_clock;
    const double m_burst;
    const double m_perSecond;
    std::mutex m_mutex;
    std::map<std::string, Bucket> m_buckets; ///< at most kBuckets
};

} // namespace commonweight::server
