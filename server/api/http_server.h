#pragma once
// The HTTP/1.1 server: Boost.Beast coroutines on an asio thread pool, handlers on a separate worker
// pool. Verifies signatures, bounds and times every connection. TLS is the job of the proxy in
// front. Owner: main.

#include "server/api/router.h"

#include <memory>

namespace commonweight::server {

struct HttpServerOptions {
    std::string address = "127.0.0.1";
    std::uint16_t port = 0; ///< 0 = any free one; see port()
    int workers = 4;
    int connectionsAtMost = 12'000;
    Seconds idleTimeout{60};  ///< between requests
    Seconds stallTimeout{30}; ///< no byte of a request or an answer for so long
    Seconds heartbeat{
        15}; ///< a comment on a silent event stream, so that nobody on the way takes it for dead
    std::string adminToken; ///< empty = admin routes answer 404
};

/// Fans events out to the open event streams. A slow reader loses events, never slows others.
/// Thread-safe.
class EventHub {
public:
    virtual ~EventHub() = default;
    virtual void publish(const std::string& event, const Json& data) = 0;
};

class HttpServer {
public:
    /// Conflict when the port is taken. `router`, `hosts` and `clock` must outlive the server.
    static Result<std::unique_ptr<HttpServer>> start(const HttpServerOptions& options,
                                                     const Router& router, HostDirectory& hosts,
                                                     const Clock& clock);
    virtual ~HttpServer() = default; ///< stops
    virtual std::uint16_t port() const = 0;
    virtual EventHub& events() = 0;
    /// Stops accepting, lets running requests end (5 s at most), closes event streams.
    virtual void stop() = 0;
};

} // namespace commonweight::server
