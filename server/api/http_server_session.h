#pragma once
// One connection of the HTTP server: a Boost.Beast coroutine on its own strand that reads requests,
// drives an Exchange for each on the worker pool, and writes the answers, with every wait bounded.
// Owns itself through its coroutine; ServerContext keeps count.

#include "server/api/event_fan.h"
#include "server/api/exchange.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <condition_variable>
#include <unordered_set>

namespace commonweight::server {

class HttpServerSession;

/// What all connections share. Outlives them.
struct ServerContext {
    ServerContext(const HttpServerOptions& options, const Router& router, HostDirectory& hosts,
                  const Clock& clock);

    const HttpServerOptions options;
    const Router& router;
    const RequestGuard guard;
    const Clock& clock;
    EventFan events;
    std::atomic<bool> stopping = false;

    std::mutex mutex; ///< for the two that follow
    std::condition_variable sessionEnded;
    std::unordered_set<HttpServerSession*> sessions;

    // Last, because what they still hold at the end uses all of the above; and the workers hold
    // what belongs to io.
    boost::asio::io_context io;
    boost::asio::thread_pool workers;
};

class HttpServerSession : public std::enable_shared_from_this<HttpServerSession> {
public:
    using Socket = boost::asio::ip::tcp::socket;

    /// Serves the connection until it ends. `socket` lives on a strand of its own.
    static void start(ServerContext& context, Socket socket);

    virtual ~HttpServerSession() = default;
    /// Any thread: closes the connection at once when it idles or `force` is set, else after the
    /// answer that is being made.
    virtual void stop(bool force) = 0;
};

} // namespace commonweight::server
