#pragma once
// Which handler answers which request, and who may ask. Built once at start, then read by all
// threads.

#include "engine/base/clock.h"
#include "engine/base/ed25519.h"
#include "server/api/http.h"

#include <functional>
#include <memory>
#include <vector>

namespace commonweight::server {

enum class Access {
    Anyone,
    NewHost, ///< signed; the key is in the body ("key"), for POST /v1/hosts; Handler only. Any
             ///< keyid will do
    Host,    ///< signed by a registered host (RFC 9421)
    Admin,   ///< Authorization: Bearer <admin token>
};

/// Runs on a worker thread; may block on disk and SQL. Must not throw.
using Handler = std::function<Response(const Request&)>;

/// Receives a body as it comes. Called on worker threads, one call at a time.
class BodyReceiver {
public:
    virtual ~BodyReceiver() = default;
    virtual Result<void> write(ByteView piece) = 0;
    virtual Response finish() = 0; ///< all of it came, and Content-Digest (if signed) fits
    virtual void abort() = 0;      ///< the connection broke, or the digest does not fit
    /// The body is refused (a failed write, too long, a wrong digest) and `answer` is sent; a
    /// receiver may add headers to it.
    virtual Response refuse(Response answer)
    {
        abort();
        return answer;
    }
};
/// Answers at once, or returns a receiver for the body. Called after the header, with the signature
/// already verified.
using StreamHandler =
    std::function<std::variant<Response, std::unique_ptr<BodyReceiver>>(const Request&)>;

struct Route {
    std::string method;  ///< "GET" also serves HEAD
    std::string pattern; ///< "/v1/blobs/{sha256}"; a capture is one path segment
    Access access = Access::Anyone;
    std::variant<Handler, StreamHandler> handler;
    std::uint64_t maxBodyBytes = 1u << 20;
};

class Router {
public:
    void add(Route route);
    /// The route and its captures; nullptr when there is none. `allowed` then lists the methods
    /// that the path knows (405 or OPTIONS).
    const Route* find(const std::string& method, const std::string& path,
                      std::map<std::string, std::string>& captures,
                      std::vector<std::string>& allowed) const;

private:
    std::vector<Route> m_routes;
};

/// What the HTTP layer must know about hosts to verify signatures; the store implements it.
/// Thread-safe.
class HostDirectory {
public:
    virtual ~HostDirectory() = default;
    virtual Result<PublicKey> keyOf(const std::string& host) = 0; ///< NotFound; Denied when banned
    /// For Access::NewHost, whose host is not known yet, `host` is its public key in base64.
    virtual Result<void>
    useNonce(const std::string& host, const std::string& nonce,
             WallTime now) = 0; ///< Denied when it was seen in the last 10 minutes
};

} // namespace commonweight::server
