#include "server/api/http_server.h"

#include "engine/base/log.h"
#include "server/api/http_server_session.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <sys/resource.h>

#include <thread>

namespace commonweight::server {

namespace asio = boost::asio;
using asio::awaitable;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

using namespace std::chrono_literals;

constexpr auto kGrace = 5s;
constexpr auto kPauseWithoutDescriptors = 100ms;
constexpr rlim_t kSpareDescriptors = 256;
constexpr unsigned kMostIoThreads = 4;

/// Each connection is a descriptor, and the usual soft limit of 1024 is a default for old programs,
/// not a wish of the operator.
void raiseDescriptorLimit(int connections)
{
    rlimit limit = {};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    const auto wanted =
        std::min(static_cast<rlim_t>(connections) + kSpareDescriptors, limit.rlim_max);
    if (limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = wanted;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

class BeastServer final : public HttpServer {
public:
    BeastServer(const HttpServerOptions& options, const Router& router, HostDirectory& hosts,
                const Clock& clock)
        : m_context(options, router, hosts, clock), m_acceptor(m_context.io)
    {}

    ~BeastServer() override { stop(); }

    Result<void> listen()
    {
        const auto& options = m_context.options;
        error_code error;
        const auto address = asio::ip::make_address(options.address, error);
        if (error)
            return Error{ErrorKind::Protocol, "'" + options.address + "' is not an IP address"};
        const tcp::endpoint endpoint(address, options.port);
        m_acceptor.open(endpoint.protocol(), error);
        if (!error)
            m_acceptor.set_option(tcp::acceptor::reuse_address(true), error);
        if (!error)
            m_acceptor.bind(endpoint, error);
        if (!error)
            m_acceptor.listen(asio::socket_base::max_listen_connections, error);
        if (error)
            return Error{error == asio::error::address_in_use ? ErrorKind::Conflict : ErrorKind::Io,
                         "cannot listen on " + options.address + " port " +
                             std::to_string(options.port) + ": " + error.message()};
        m_port = m_acceptor.local_endpoint(error).port();
        return {};
    }

    void run()
    {
        raiseDescriptorLimit(m_context.options.connectionsAtMost);
        asio::co_spawn(m_context.io, accept(), asio::detached);
        const auto threads = std::clamp(std::thread::hardware_concurrency(), 1u, kMostIoThreads);
        for (unsigned i = 0; i < threads; ++i)
            m_threads.emplace_back([this] { work(); });
    }

    std::uint16_t port() const override { return m_port; }
    EventHub& events() override { return m_context.events; }

    void stop() override
    {
        if (m_context.stopping.exchange(true))
            return;
        asio::post(m_context.io, [this] {
            error_code ignored;
            m_acceptor.close(ignored);
        });
        m_context.events.close();
        stopSessions(false);
        if (!sessionsEndWithin(kGrace)) {
            stopSessions(true);
            // Only a handler can hold this up now, and a thread that runs cannot be taken away.
            while (!sessionsEndWithin(kGrace))
                spdlog::warn("Still waiting for requests that do not end");
        }
        m_work.reset();
        m_context.io.stop();
        for (auto& thread : m_threads)
            thread.join();
        m_context.workers.join();
        // Nobody may be left waiting at a door that no one opens any more.
        error_code ignored;
        m_acceptor.close(ignored);
    }

private:
    void work()
    {
        try {
            m_context.io.run();
        } catch (const std::exception& exception) {
            spdlog::critical("The HTTP server failed: {}", exception.what());
        }
    }

    awaitable<void> accept()
    {
        asio::steady_timer pause(m_context.io);
        while (!m_context.stopping) {
            error_code error;
            auto token = asio::redirect_error(asio::use_awaitable, error);
            tcp::socket socket(asio::make_strand(m_context.io));
            co_await m_acceptor.async_accept(socket, token);
            if (error && !m_context.stopping) {
                // Most likely no descriptors are left: others must end first.
                pause.expires_after(kPauseWithoutDescriptors);
                co_await pause.async_wait(token);
                continue;
            }
            if (!error)
                admit(std::move(socket));
        }
    }

    void admit(tcp::socket socket)
    {
        bool isFull = false;
        {
            const std::scoped_lock lock(m_context.mutex);
            const auto most = static_cast<std::size_t>(m_context.options.connectionsAtMost);
            isFull = m_context.sessions.size() >= most;
        }
        if (isFull)
            return turnAway(socket);
        HttpServerSession::start(m_context, std::move(socket));
    }

    /// Without waiting: whoever does not take these few bytes at once goes without them.
    static void turnAway(tcp::socket& socket)
    {
        constexpr std::string_view kAnswer =
            "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 30\r\n"
            "Content-Length: 0\r\nConnection: close\r\n\r\n";
        error_code ignored;
        socket.non_blocking(true, ignored);
        socket.write_some(asio::buffer(kAnswer), ignored);
        socket.shutdown(tcp::socket::shutdown_send, ignored);
    }

    void stopSessions(bool force)
    {
        const std::scoped_lock lock(m_context.mutex);
        for (auto* session : m_context.sessions)
            session->stop(force);
    }

    bool sessionsEndWithin(std::chrono::seconds time)
    {
        std::unique_lock lock(m_context.mutex);
        return m_context.sessionEnded.wait_for(lock, time,
                                               [this] { return m_context.sessions.empty(); });
    }

    ServerContext m_context;
    tcp::acceptor m_acceptor;
    asio::executor_work_guard<asio::io_context::executor_type> m_work{m_context.io.get_executor()};
    std::uint16_t m_port = 0;
    std::vector<std::thread> m_threads;
};

} // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::start(const HttpServerOptions& options,
                                                      const Router& router, HostDirectory& hosts,
                                                      const Clock& clock)
{
    try {
        auto server = std::make_unique<BeastServer>(options, router, hosts, clock);
        CW_CHECK(server->listen());
        server->run();
        return std::unique_ptr<HttpServer>(std::move(server));
    } catch (const std::exception& exception) {
        return Error{ErrorKind::Io,
                     std::string("cannot start the HTTP server: ") + exception.what()};
    }
}

} // namespace commonweight::server
