#include "server/api/http_server_session.h"

#include "engine/base/descriptor.h"
#include "engine/base/log.h"
#include "server/api/request_target.h"
#include "server/api/response_head.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>

#include <netinet/tcp.h>

namespace commonweight::server {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::awaitable;
using asio::redirect_error;
using asio::use_awaitable;
using boost::system::error_code;

namespace {

constexpr std::uint32_t kMostHeaderBytes = 16 << 10;
constexpr std::size_t kMostBufferBytes = 64 << 10;
constexpr std::size_t kPiece = 256 << 10;
/// Small enough that a slow reader shows a sign of life within the stall time-out.
constexpr std::size_t kWritePiece = 64 << 10;
constexpr std::uint64_t kMostLingerBytes = 4 << 20;
constexpr auto kLingerTime = std::chrono::seconds(2);

using HeadParser = http::request_parser<http::empty_body>;
using BodyParser = http::request_parser<http::buffer_body>;

std::chrono::milliseconds toMilliseconds(Seconds seconds)
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(seconds);
}

std::string lowerCase(std::string_view text)
{
    std::string result(text);
    for (auto& c : result)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

template <class Fields> std::map<std::string, std::string> headersOf(const Fields& fields)
{
    std::map<std::string, std::string> headers;
    for (const auto& field : fields) {
        const std::string_view name(field.name_string().data(), field.name_string().size());
        const std::string_view text(field.value().data(), field.value().size());
        auto& value = headers[lowerCase(name)];
        value += (value.empty() ? "" : ", ") + std::string(text);
    }
    return headers;
}

/// True when the other side said something that is not HTTP; false when it went away.
bool isMalformed(error_code error)
{
    static const auto& ofHttp = http::make_error_code(http::error::bad_value).category();
    return error.category() == ofHttp && error != http::error::end_of_stream &&
           error != http::error::partial_message;
}

/// A part of a file, read piece by piece on worker threads.
class FileReader {
public:
    explicit FileReader(const FileBody& body) : m_body(body) {}

    bool open()
    {
        auto file = openRegular(m_body.path);
        if (file.ok())
            m_file.emplace(std::move(*file));
        return file.ok();
    }

    /// The next piece; empty at the end, and when the file has become too short.
    ByteView next()
    {
        m_buffer.resize(kPiece);
        const auto wanted = std::min<std::uint64_t>(m_body.length, m_buffer.size());
        const auto got =
            ::pread(m_file->get(), m_buffer.data(), wanted, static_cast<off_t>(m_body.offset));
        const auto bytes = got > 0 ? static_cast<std::uint64_t>(got) : 0;
        m_body.offset += bytes;
        m_body.length -= bytes;
        return ByteView(m_buffer).first(bytes);
    }

    std::uint64_t left() const { return m_body.length; }

private:
    FileBody m_body;
    std::optional<Descriptor> m_file;
    Bytes m_buffer;
};

class Session final : public HttpServerSession {
public:
    Session(ServerContext& context, Socket socket)
        : m_context(context), m_stream(std::move(socket)), m_timer(m_stream.get_executor()),
          m_buffer(kMostBufferBytes)
    {
        const std::scoped_lock lock(context.mutex);
        context.sessions.insert(this);
    }

    ~Session() override
    {
        const std::scoped_lock lock(m_context.mutex);
        m_context.sessions.erase(this);
        m_context.sessionEnded.notify_all();
    }

    void stop(bool force) override
    {
        asio::post(m_stream.get_executor(), [weak = weak_from_this(), this, force] {
            const auto self = weak.lock();
            if (!self || !(force || m_isIdle))
                return;
            m_stream.close();
            m_timer.cancel();
        });
    }

    auto executor() { return m_stream.get_executor(); }

    static awaitable<void> serve(std::shared_ptr<Session> self)
    {
        self->prepare();
        bool goesOn = true;
        while (goesOn && !self->m_context.stopping)
            goesOn = co_await self->serveOne();
        co_await self->end();
    }

private:
    template <class Step> awaitable<void> onWorker(Step step)
    {
        co_await asio::co_spawn(
            m_context.workers,
            [&step]() -> awaitable<void> {
                step();
                co_return;
            },
            use_awaitable);
    }

    void prepare()
    {
        error_code ignored;
        auto& socket = m_stream.socket();
        m_remoteAddress = socket.remote_endpoint(ignored).address().to_string();
        socket.set_option(asio::ip::tcp::no_delay(true), ignored);
        // Without it the kernel takes in megabytes, and a slow reader looks like a dead one.
        const int most = kWritePiece;
        ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &most, sizeof most);
    }

    void expectWithin(Seconds seconds) { m_stream.expires_after(toMilliseconds(seconds)); }

    /// One request and its answer; false when the connection must end.
    awaitable<bool> serveOne()
    {
        if (!co_await awaitFirstByte())
            co_return false;
        m_isHead = false;
        HeadParser head;
        head.header_limit(kMostHeaderBytes);
        head.body_limit(boost::none);
        error_code error;
        expectWithin(m_context.options.stallTimeout);
        co_await http::async_read_header(m_stream, m_buffer, head,
                                         redirect_error(use_awaitable, error));
        if (error) {
            co_await refuseHead(error);
            co_return false;
        }
        co_return co_await answer(head);
    }

    awaitable<bool> awaitFirstByte()
    {
        if (m_buffer.size() > 0)
            co_return true;
        m_buffer.shrink_to_fit(); // thousands of connections idle
        m_isIdle = true;
        error_code error;
        expectWithin(m_context.options.idleTimeout);
        const auto got = co_await m_stream.async_read_some(m_buffer.prepare(1024),
                                                           redirect_error(use_awaitable, error));
        m_isIdle = false;
        m_buffer.commit(got);
        co_return !error;
    }

    /// A connection that timed out is closed already: there is nobody to tell.
    awaitable<void> refuseHead(error_code error)
    {
        if (error == http::error::header_limit || error == http::error::buffer_overflow)
            co_await writeRefusal(
                problem(431, "header-too-long", "the header may have at most 16 KiB"));
        else if (isMalformed(error))
            co_await writeRefusal(
                problem(400, "bad-request", "the request is not HTTP: " + error.message()));
    }

    awaitable<bool> answer(HeadParser& head)
    {
        const auto& message = head.get();
        m_isHead = message.method() == http::verb::head;
        m_keepAlive = message.keep_alive();
        const std::string target(message.target().data(), message.target().size());
        auto parsed = target == "*" && message.method() == http::verb::options
                          ? Result<RequestTarget>(RequestTarget{"/", "/", {}})
                          : parseTarget(target);
        if (auto refusal = checkHead(head, parsed)) {
            co_await writeRefusal(std::move(*refusal));
            co_return false;
        }
        auto request = toRequest(head, *parsed);
        const bool waits = request.header("expect").size() > 0;
        const BodyAhead ahead{!head.is_done(),
                              head.chunked() || !head.content_length()
                                  ? std::nullopt
                                  : std::optional<std::uint64_t>(*head.content_length())};
        Exchange exchange(m_context.router, m_context.guard, std::move(request),
                          std::move(parsed->rawPath), ahead);
        bool wantsBody = false;
        co_await onWorker([&] { wantsBody = exchange.begin(); });
        bool isRead = !ahead.exists;
        if (wantsBody)
            isRead = co_await readBody(exchange, head, waits);
        if (m_isBroken)
            co_return false;
        m_keepAlive = m_keepAlive && isRead && !m_context.stopping;
        const auto written = co_await write(exchange.answer());
        m_lingers = !isRead;
        co_return written&& m_keepAlive;
    }

    static std::optional<Response> checkHead(const HeadParser& head,
                                             const Result<RequestTarget>& target)
    {
        const auto& message = head.get();
        if (message.version() / 10 != 1)
            return problem(505, "http-version", "this server speaks HTTP/1.1");
        if (!target.ok())
            return problem(400, "bad-address", target.error().message);
        if (message.version() == 11 && message.count(http::field::host) != 1)
            return problem(400, "bad-request", "a request must have one Host header");
        if (message.count(http::field::expect) > 0 &&
            !beast::iequals(message[http::field::expect], "100-continue"))
            return problem(417, "expectation", "this server knows Expect: 100-continue only");
        return std::nullopt;
    }

    Request toRequest(const HeadParser& head, const RequestTarget& target) const
    {
        const auto& message = head.get();
        Request request;
        request.method =
            std::string(message.method_string().data(), message.method_string().size());
        request.path = target.path;
        request.query = target.query;
        request.headers = headersOf(message);
        request.remoteAddress = m_remoteAddress;
        return request;
    }

    /// Hands the body to the exchange. True when all of it was read, so that the connection can go
    /// on.
    awaitable<bool> readBody(Exchange& exchange, HeadParser& head, bool waits)
    {
        if (waits && m_buffer.size() == 0 &&
            !co_await writeAll(asBytes("HTTP/1.1 100 Continue\r\n\r\n"))) {
            m_isBroken = true;
            co_return false;
        }
        BodyParser parser(std::move(head));
        parser.body_limit(boost::none);
        Bytes buffer(
            std::min<std::uint64_t>(kPiece, parser.content_length_remaining().value_or(kPiece)));
        while (!parser.is_done()) {
            error_code error;
            const auto got = co_await readPiece(parser, buffer, error);
            bool isWanted = false;
            co_await onWorker([&] {
                // What came before the connection broke may be worth keeping.
                isWanted = got == 0 || exchange.take(ByteView(buffer).first(got));
                if (error)
                    exchange.abandon();
            });
            if (error) {
                co_await refuseBody(error);
                co_return false;
            }
            if (!isWanted)
                co_return parser.is_done();
        }
        co_await onWorker([&] { exchange.finish(); });
        co_return true;
    }

    /// Fills the buffer, or what the body still has.
    awaitable<std::size_t> readPiece(BodyParser& parser, Bytes& buffer, error_code& error)
    {
        auto& body = parser.get().body();
        body.data = buffer.data();
        body.size = buffer.size();
        while (!parser.is_done() && body.size > 0) {
            expectWithin(m_context.options.stallTimeout);
            co_await http::async_read_some(m_stream, m_buffer, parser,
                                           redirect_error(use_awaitable, error));
            if (error == http::error::need_buffer)
                error = {};
            if (error)
                break;
        }
        co_return buffer.size() - body.size;
    }

    awaitable<void> refuseBody(error_code error)
    {
        m_isBroken = true;
        if (isMalformed(error))
            co_await writeRefusal(
                problem(400, "bad-request", "the body is not HTTP: " + error.message()));
    }

    awaitable<void> writeRefusal(Response response)
    {
        m_keepAlive = false;
        m_lingers = true;
        co_await write(std::move(response));
    }

    awaitable<bool> write(Response response)
    {
        if (std::holds_alternative<EventStreamBody>(response.body))
            co_return co_await writeEvents(std::move(response));
        if (auto* file = std::get_if<FileBody>(&response.body); file && !m_isHead)
            co_return co_await writeFile(response, FileReader(*file));
        const auto* file = std::get_if<FileBody>(&response.body);
        const auto* bytes = std::get_if<Bytes>(&response.body);
        auto message = headOf(response, file ? file->length : bytes->size());
        if (bytes && !m_isHead)
            message += asText(*bytes);
        co_return co_await writeAll(asBytes(message));
    }

    std::string headOf(const Response& response, std::optional<std::uint64_t> length) const
    {
        return responseHead(response, {m_context.clock.wall(), m_keepAlive, length});
    }

    awaitable<bool> writeFile(const Response& response, FileReader reader)
    {
        bool isOpen = false;
        co_await onWorker([&] { isOpen = reader.open(); });
        if (!isOpen) {
            const auto refusal = problem(503, "unavailable", "the file cannot be read now");
            co_return co_await write(refusal);
        }
        const auto head = headOf(response, reader.left());
        if (!co_await writeAll(asBytes(head)))
            co_return false;
        while (reader.left() > 0) {
            ByteView piece;
            co_await onWorker([&] { piece = reader.next(); });
            // The length was promised: what is missing can only be shown by ending the connection.
            if (piece.empty() || !co_await writeAll(piece))
                co_return false;
        }
        co_return true;
    }

    /// Every write that gets something through has the full stall time-out again.
    awaitable<bool> writeAll(ByteView bytes)
    {
        while (!bytes.empty()) {
            const auto piece = bytes.first(std::min(bytes.size(), kWritePiece));
            error_code error;
            expectWithin(m_context.options.stallTimeout);
            const auto sent = co_await m_stream.async_write_some(
                asio::buffer(piece.data(), piece.size()), redirect_error(use_awaitable, error));
            if (error)
                co_return false;
            bytes = bytes.subspan(sent);
        }
        co_return true;
    }

    /// An event stream has no end of its own: it goes on until a side closes it.
    awaitable<bool> writeEvents(Response response)
    {
        m_keepAlive = false;
        const auto queue = m_context.events.open([weak = weak_from_this(), this] {
            if (const auto self = weak.lock())
                asio::post(m_stream.get_executor(), [self, this] { m_timer.cancel(); });
        });
        if (!queue) {
            const auto refusal =
                problem(503, "too-many-streams", "too many event streams are open");
            co_return co_await write(refusal);
        }
        response.headers["Content-Type"] = "text/event-stream";
        response.headers["Cache-Control"] = "no-store";
        response.headers["X-Accel-Buffering"] = "no";
        const auto head = headOf(response, std::nullopt);
        if (!co_await writeAll(asBytes(head)) || m_isHead)
            co_return false;
        while (co_await writeWaiting(*queue)) {
        }
        co_return false;
    }

    /// Sends what waits, or waits for it, and says something when it takes long.
    awaitable<bool> writeWaiting(EventQueue& queue)
    {
        auto texts = queue.take();
        if (texts.empty() && !queue.isClosed()) {
            error_code error;
            m_timer.expires_after(toMilliseconds(m_context.options.heartbeat));
            co_await m_timer.async_wait(redirect_error(use_awaitable, error));
            if (!error)
                texts.push_back(std::make_shared<const std::string>(": still here\n\n"));
        }
        for (const auto& text : texts)
            if (!co_await writeAll(asBytes(*text)))
                co_return false;
        co_return !queue.isClosed() && m_stream.socket().is_open();
    }

    /// A close with unread bytes would throw away the answer that is on its way, so these are read
    /// first, within bounds.
    awaitable<void> end()
    {
        error_code error;
        m_stream.socket().shutdown(asio::socket_base::shutdown_send, error);
        Bytes waste(m_lingers ? kWritePiece : 0);
        m_stream.expires_after(kLingerTime);
        for (std::uint64_t total = 0; m_lingers && !error && total < kMostLingerBytes;)
            total += co_await m_stream.async_read_some(asio::buffer(waste),
                                                       redirect_error(use_awaitable, error));
        m_stream.close();
    }

    ServerContext& m_context;
    beast::tcp_stream m_stream;
    asio::steady_timer m_timer;
    beast::flat_buffer m_buffer;
    std::string m_remoteAddress;
    bool m_isIdle = false;
    bool m_isHead = false;
    bool m_keepAlive = true;
    bool m_isBroken = false; ///< nothing more can be said
    bool m_lingers = false;  ///< the other side may still be sending
};

} // namespace

ServerContext::ServerContext(const HttpServerOptions& serverOptions, const Router& serverRouter,
                             HostDirectory& hosts, const Clock& serverClock)
    : options(serverOptions), router(serverRouter),
      guard(hosts, serverClock, serverOptions.adminToken), clock(serverClock),
      events(static_cast<std::size_t>(serverOptions.connectionsAtMost / 2 + 1)),
      workers(static_cast<std::size_t>(std::max(serverOptions.workers, 1)))
{}

void HttpServerSession::start(ServerContext& context, Socket socket)
{
    auto session = std::make_shared<Session>(context, std::move(socket));
    const auto executor = session->executor();
    asio::co_spawn(executor, Session::serve(std::move(session)), [](std::exception_ptr failure) {
        if (failure)
            spdlog::error("A connection was lost: an exception escaped its coroutine");
    });
}

} // namespace commonweight::server
