#pragma once
// One HTTP exchange as values, and the interface that sends it. The real transport is
// CurlTransport; tests use FakeTransport (tests/support/fake_transport.h) or a real server. Calls
// block: they are made on transfer threads, never on the GUI's.

#include "engine/base/bytes.h"
#include "engine/base/clock.h"

#include <atomic>
#include <functional>
#include <map>
#include <string>

namespace commonweight::transfer {

struct HttpResponse;

struct HttpRequest {
    std::string method = "GET";
    std::string url;
    std::map<std::string, std::string> headers;
    Bytes body;
    std::uint64_t maxResponseBytes = 4u << 20; ///< longer answers are Protocol
    Seconds stallTimeout{30};                  ///< no byte either way for so long: Timeout
    /// For stream() only: told status and headers of a 2xx answer before its body; an error ends
    /// the exchange with it.
    std::function<Result<void>(const HttpResponse& head)> onHead = {};
};

struct HttpResponse {
    int status = 0;
    std::map<std::string, std::string> headers; ///< names in lower case
    Bytes body;

    std::string header(const std::string& lowerCaseName) const; ///< empty when absent
    /// Retry-After in seconds or as a date; negative when absent. At most a day.
    Seconds retryAfter(WallTime now) const;
};

/// Set by another thread to end a blocking call soon (within a second) with Cancelled.
using CancelFlag = std::atomic<bool>;

/// Called with pieces of the body when a response streams; an error ends the exchange with it.
using BodySink = std::function<Result<void>(ByteView piece)>;

struct TransferLimits {
    std::string proxy; ///< empty = the environment's, but none for loopback addresses
    std::uint64_t downloadBytesPerSecond = 0; ///< 0 = unlimited
    std::uint64_t uploadBytesPerSecond = 0;
};

/// Thread-safe: each call uses its own connection handle.
class Transport {
public:
    virtual ~Transport() = default;
    /// Any HTTP status is a success here. Network, Timeout, Cancelled, Protocol (not HTTP, too
    /// long).
    virtual Result<HttpResponse> send(const HttpRequest& request, const CancelFlag& cancel) = 0;
    /// As send(), but a 2xx body goes to `sink` as it comes; other bodies are kept (64 KiB at
    /// most).
    virtual Result<HttpResponse> stream(const HttpRequest& request, const BodySink& sink,
                                        const CancelFlag& cancel) = 0;
    virtual void setLimits(const TransferLimits& limits) = 0;
};

/// The problem+json title/detail of an error answer, or "HTTP 503". Kind by status: 401/403 Denied,
/// 404/410 NotFound, 409 Conflict, 408/429/5xx Network (try later), 413/507 Full, other 4xx
/// Protocol. A 2xx answer with HTML where JSON was expected (a captive portal) is Network.
Error errorFromResponse(const HttpResponse& response, const std::string& what);

} // namespace commonweight::transfer
