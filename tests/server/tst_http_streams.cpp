// Bodies that are handed on as they come, and server-sent events.

#include "tests/server/http_fixture.h"

#include <QElapsedTimer>
#include <QTest>

#include <condition_variable>
#include <future>
#include <stdexcept>
#include <thread>

using namespace commonweight;
using namespace commonweight::server;
using namespace std::chrono_literals;

namespace {

/// What a receiver saw, for the test's thread.
struct Seen {
    std::mutex mutex;
    std::condition_variable changed;
    std::string bytes;
    std::size_t largestPiece = 0;
    bool isFinished = false;
    bool isAborted = false;
    bool isBlocked = false;
    bool failsWrites = false;
    bool throws = false;

    bool waitFor(const std::function<bool()>& condition)
    {
        std::unique_lock lock(mutex);
        return changed.wait_for(lock, 20s, condition);
    }
};

class RecordingReceiver final : public BodyReceiver {
public:
    explicit RecordingReceiver(Seen& seen) : m_seen(seen) {}

    Result<void> write(ByteView piece) override
    {
        std::unique_lock lock(m_seen.mutex);
        m_seen.changed.wait_for(lock, 20s, [this] { return !m_seen.isBlocked; });
        if (m_seen.throws)
            throw std::runtime_error("a bug");
        if (m_seen.failsWrites)
            return Error{ErrorKind::Full, "no space"};
        m_seen.bytes += asText(piece);
        m_seen.largestPiece = std::max(m_seen.largestPiece, piece.size());
        m_seen.changed.notify_all();
        return {};
    }
    Response finish() override
    {
        const std::scoped_lock lock(m_seen.mutex);
        m_seen.isFinished = true;
        return Response::text(200, "text/plain", std::to_string(m_seen.bytes.size()));
    }
    void abort() override
    {
        const std::scoped_lock lock(m_seen.mutex);
        m_seen.isAborted = true;
        m_seen.changed.notify_all();
    }

private:
    Seen& m_seen;
};

} // namespace

class TestHttpStreams : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();

    void aBodyIsHandedOnInBoundedPieces();
    void aSlowReceiverSlowsTheSender();
    void aStreamingHandlerMayRefuseAtOnce();
    void aBrokenConnectionAborts();
    void aStalledBodyAborts();
    void aFailedWriteIsAnswered();
    void aThrowingReceiverIsAnError500();
    void anEmptyBodyIsFinishedAtOnce();
    void aSignedBodyThatDoesNotFitItsDigestIsAborted();
    void aSignedBodyThatFitsIsFinished();

    void anEventReachesEveryReader();
    void aSilentStreamHasAHeartbeat();
    void aSlowReaderLosesEventsAndSlowsNobody();
    void aReaderThatGoesAwayIsForgotten();
    void stopEndsTheStreams();

private:
    std::unique_ptr<HttpFixture> m;
    std::unique_ptr<Seen> m_seen;
};

void TestHttpStreams::init()
{
    m_seen = std::make_unique<Seen>();
    m = std::make_unique<HttpFixture>();
    const StreamHandler record =
        [this](const Request& request) -> std::variant<Response, std::unique_ptr<BodyReceiver>> {
        if (request.header("x-refuse") == "yes")
            return problem(409, "refused", "not now");
        return std::make_unique<RecordingReceiver>(*m_seen);
    };
    m->router.add({"PUT", "/stream", Access::Anyone, record, 1u << 30});
    m->router.add({"PUT", "/signed", Access::Host, record, 1u << 30});
    m->router.add({"GET", "/events", Access::Anyone, Handler([](const Request&) {
                       return Response{200, {}, EventStreamBody{}};
                   })});
}

void TestHttpStreams::aBodyIsHandedOnInBoundedPieces()
{
    QVERIFY(m->start());
    std::string body(5'000'000, '\0');
    for (std::size_t i = 0; i < body.size(); ++i)
        body[i] = static_cast<char>(i % 251);
    QCOMPARE(m->ask("PUT", "/stream", {}, body).body, std::string("5000000"));
    QVERIFY(m_seen->bytes == body);
    QVERIFY(m_seen->largestPiece <= 256 << 10);
    QVERIFY(m_seen->isFinished);
    QVERIFY(!m_seen->isAborted);
}

void TestHttpStreams::aSlowReceiverSlowsTheSender()
{
    QVERIFY(m->start());
    m_seen->isBlocked = true;
    const std::string body(64 << 20, 'x');
    auto connection = m->connect();
    auto sent = std::async(std::launch::async, [&] {
        return connection.send(HttpFixture::text("PUT", "/stream", {}, body));
    });
    QCOMPARE(sent.wait_for(400ms), std::future_status::timeout);
    {
        const std::scoped_lock lock(m_seen->mutex);
        QVERIFY(m_seen->bytes.empty());
        m_seen->isBlocked = false;
    }
    m_seen->changed.notify_all();
    QVERIFY(sent.get());
    QCOMPARE(connection.readAnswer().body, std::to_string(body.size()));
}

void TestHttpStreams::aStreamingHandlerMayRefuseAtOnce()
{
    QVERIFY(m->start());
    auto connection = m->connect();
    connection.send(
        HttpFixture::text("PUT", "/stream", {{"X-Refuse", "yes"}, {"Content-Length", "50000000"}}));
    const auto answer = connection.readAnswer();
    QCOMPARE(answer.status, 409);
    QCOMPARE(answer.header("connection"), std::string("close"));
}

void TestHttpStreams::aBrokenConnectionAborts()
{
    QVERIFY(m->start());
    for (const bool isHard : {true, false}) {
        {
            const std::scoped_lock lock(m_seen->mutex);
            m_seen->bytes.clear();
            m_seen->isAborted = false;
        }
        auto connection = m->connect();
        connection.send("PUT /stream HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nabc");
        if (isHard)
            connection.reset();
        else
            connection.shutdownSend();
        QVERIFY(m_seen->waitFor([this] { return m_seen->isAborted; }));
        QVERIFY(!m_seen->isFinished);
    }
}

void TestHttpStreams::aStalledBodyAborts()
{
    HttpServerOptions options;
    options.stallTimeout = Seconds{0.3};
    QVERIFY(m->start(options));
    auto connection = m->connect();
    connection.send("PUT /stream HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nabc");
    QVERIFY(m_seen->waitFor([this] { return m_seen->isAborted; }));
    QVERIFY(connection.closesWithin(5s));
}

void TestHttpStreams::aFailedWriteIsAnswered()
{
    QVERIFY(m->start());
    m_seen->failsWrites = true;
    const auto answer = m->ask("PUT", "/stream", {}, std::string(3'000'000, 'x'));
    QCOMPARE(answer.status, 507);
    QVERIFY(m_seen->isAborted);
    QVERIFY(!m_seen->isFinished);
}

void TestHttpStreams::aThrowingReceiverIsAnError500()
{
    QVERIFY(m->start());
    m_seen->throws = true;
    QCOMPARE(m->ask("PUT", "/stream", {}, "abc").status, 500);
}

void TestHttpStreams::anEmptyBodyIsFinishedAtOnce()
{
    QVERIFY(m->start());
    QCOMPARE(m->ask("PUT", "/stream").body, std::string("0"));
    QVERIFY(m_seen->isFinished);
}

void TestHttpStreams::aSignedBodyThatDoesNotFitItsDigestIsAborted()
{
    QVERIFY(m->start());
    const std::string body(1'000'000, 'x');
    auto tampered = body;
    tampered[999'999] = 'y';
    const auto headers = m->signedBy(m->key, HttpFixture::kHost, "PUT", "/signed", body);
    QCOMPARE(m->ask("PUT", "/signed", headers, tampered).status, 400);
    QVERIFY(m_seen->isAborted);
    QVERIFY(!m_seen->isFinished);
    // A body that is not there at all does not fit either, and the handler is not even asked.
    const auto more = m->signedBy(m->key, HttpFixture::kHost, "PUT", "/signed", body);
    QCOMPARE(m->ask("PUT", "/signed", more).status, 400);
}

void TestHttpStreams::aSignedBodyThatFitsIsFinished()
{
    QVERIFY(m->start());
    const std::string body(1'000'000, 'x');
    QCOMPARE(m->askSigned("PUT", "/signed", {}, body).body, std::string("1000000"));
    QVERIFY(m_seen->isFinished);
}

void TestHttpStreams::anEventReachesEveryReader()
{
    QVERIFY(m->start());
    auto first = m->connect(), second = m->connect();
    for (auto* connection : {&first, &second}) {
        connection->send(HttpFixture::text("GET", "/events"));
        QVERIFY(connection->readUntil("Content-Type: text/event-stream\r\n"));
        QVERIFY(connection->readUntil("\r\n\r\n"));
    }
    m->server->events().publish("version", {{"run", "verse"}, {"text", "two\nlines"}});
    m->server->events().publish("loss", 1.5);
    for (auto* connection : {&first, &second}) {
        QVERIFY(connection->readUntil(
            "event: version\ndata: {\"run\":\"verse\",\"text\":\"two\\nlines\"}\n\n"));
        QVERIFY(connection->readUntil("event: loss\ndata: 1.5\n\n"));
    }
}

void TestHttpStreams::aSilentStreamHasAHeartbeat()
{
    HttpServerOptions options;
    options.heartbeat = Seconds{0.1};
    options.stallTimeout = options.idleTimeout = Seconds{0.3};
    QVERIFY(m->start(options));
    auto connection = m->connect();
    connection.send(HttpFixture::text("GET", "/events"));
    for (int i = 0; i < 6; ++i)
        QVERIFY(connection.readUntil("\n\n"));
    m->server->events().publish("late", 1);
    QVERIFY(connection.readUntil("event: late\n"));
}

void TestHttpStreams::aSlowReaderLosesEventsAndSlowsNobody()
{
    QVERIFY(m->start());
    auto slow = RawConnection(m->server->port(), 4096);
    auto quick = m->connect();
    for (auto* connection : {&slow, &quick}) {
        connection->send(HttpFixture::text("GET", "/events"));
        QVERIFY(connection->readUntil("\r\n\r\n"));
    }
    const std::string padding(50'000, 'x');
    for (int i = 0; i < 400; ++i) {
        m->server->events().publish("number", {{"n", i}, {"padding", padding}});
        QVERIFY(quick.readUntil("{\"n\":" + std::to_string(i) + ","));
    }
    m->server->events().publish("last", 1);
    QVERIFY(slow.readUntil("event: last\n"));
}

void TestHttpStreams::aReaderThatGoesAwayIsForgotten()
{
    HttpServerOptions options;
    options.connectionsAtMost = 3; // that is two event streams
    options.heartbeat = Seconds{0.05};
    QVERIFY(m->start(options));
    std::vector<RawConnection> streams;
    for (int i = 0; i < 2; ++i) {
        streams.push_back(m->connect());
        streams.back().send(HttpFixture::text("GET", "/events"));
        QVERIFY(streams.back().readUntil("\r\n\r\n"));
    }
    const auto refused = m->ask("GET", "/events");
    QCOMPARE(refused.status, 503);
    streams.front().reset();
    bool isOpen = false;
    QElapsedTimer timer;
    for (timer.start(); !isOpen && timer.elapsed() < 10'000;) {
        streams.front() = m->connect();
        streams.front().send(HttpFixture::text("GET", "/events"));
        isOpen = streams.front().readUntil("text/event-stream", 200ms);
    }
    QVERIFY(isOpen);
}

void TestHttpStreams::stopEndsTheStreams()
{
    QVERIFY(m->start());
    auto connection = m->connect();
    connection.send(HttpFixture::text("GET", "/events"));
    QVERIFY(connection.readUntil("\r\n\r\n"));
    QElapsedTimer timer;
    timer.start();
    m->server->stop();
    QVERIFY(timer.elapsed() < 3'000);
    QVERIFY(connection.closesWithin(5s));
}

QTEST_GUILESS_MAIN(TestHttpStreams)
#include "tst_http_streams.moc"
