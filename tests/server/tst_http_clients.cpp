// The server against clients that are rude, slow and many.

#include "tests/server/hello_routes.h"

#include <QElapsedTimer>
#include <QTest>

#include <condition_variable>
#include <thread>

using namespace commonweight;
using namespace commonweight::server;
using namespace std::chrono_literals;

namespace {

HttpServerOptions hasty()
{
    HttpServerOptions options;
    options.idleTimeout = Seconds{0.3};
    options.stallTimeout = Seconds{0.3};
    return options;
}

} // namespace

class TestHttpClients : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m = fixtureWithRoutes(); }

    void malformedRequestsAreRefused_data();
    void malformedRequestsAreRefused();
    void pathTricksAreRefused_data();
    void pathTricksAreRefused();
    void aHeaderOfMoreThan16KiBIsRefused();
    void aHeaderOf15KiBIsTaken();
    void aLongBodyIsRefusedBeforeItIsSent();
    void aLongChunkedBodyIsRefusedWhileItComes();
    void aChunkedBodyIsPutTogether();
    void continueIsSaidBeforeTheBodyIsRead();
    void anotherExpectationIsRefused();
    void aRefusalReachesAClientThatKeepsSending();

    void aSilentConnectionIsClosed();
    void aSlowHeaderIsDropped();
    void aSlowBodyIsDropped();
    void aReaderThatStopsReadingIsDropped();
    void aSlowButSteadyReaderGetsEverything();
    void twoHundredIdleConnectionsDoNotDisturb();
    void tooManyConnectionsAreTurnedAway();
    void aSlowHandlerDoesNotStopOthers();

private:
    std::unique_ptr<HttpFixture> m;
};

void TestHttpClients::malformedRequestsAreRefused_data()
{
    QTest::addColumn<QByteArray>("request");
    QTest::addColumn<int>("status");
    QTest::newRow("no HTTP") << QByteArray("hello\r\n\r\n") << 400;
    QTest::newRow("TLS") << QByteArray("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 15)
                         << 400;
    QTest::newRow("no host") << QByteArray("GET /hello HTTP/1.1\r\n\r\n") << 400;
    QTest::newRow("two hosts") << QByteArray("GET /hello HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
                               << 400;
    QTest::newRow("bad header") << QByteArray(
                                       "GET /hello HTTP/1.1\r\nHost: a\r\nbad header: b\r\n\r\n")
                                << 400;
    QTest::newRow("NUL in header")
        << QByteArray("GET /hello HTTP/1.1\r\nHost: a\0b\r\n\r\n", 34) << 400;
    QTest::newRow("two lengths")
        << QByteArray(
               "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab")
        << 400;
    QTest::newRow("length and chunks")
        << QByteArray("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: "
                      "chunked\r\n\r\n0\r\n\r\n")
        << 400;
    QTest::newRow("negative length")
        << QByteArray("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n") << 400;
    QTest::newRow("huge length")
        << QByteArray(
               "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n")
        << 400;
    QTest::newRow("bad chunk")
        << QByteArray(
               "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n")
        << 400;
    QTest::newRow("relative target") << QByteArray("GET hello HTTP/1.1\r\nHost: a\r\n\r\n") << 400;
    QTest::newRow("connect") << QByteArray("CONNECT example.org:443 HTTP/1.1\r\nHost: a\r\n\r\n")
                             << 400;
}

void TestHttpClients::malformedRequestsAreRefused()
{
    QFETCH(QByteArray, request);
    QFETCH(int, status);
    QVERIFY(m->start());
    auto connection = m->connect();
    connection.send(request.toStdString());
    const auto answer = connection.readAnswer();
    QCOMPARE(answer.status, status);
    QCOMPARE(answer.header("connection"), std::string("close"));
    QVERIFY(connection.closesWithin(5s));
    QCOMPARE(m->ask("GET", "/hello").status, 200);
}

void TestHttpClients::pathTricksAreRefused_data()
{
    QTest::addColumn<QByteArray>("path");
    for (const char* path : {"/../hello", "/x/../hello", "/%2e%2e/hello", "/x%2fhello", "/hello%00",
                             "//hello", "/./hello"})
        QTest::addRow("%s", path) << QByteArray(path);
}

void TestHttpClients::pathTricksAreRefused()
{
    QFETCH(QByteArray, path);
    QVERIFY(m->start());
    QCOMPARE(m->ask("GET", path.toStdString()).status, 400);
}

void TestHttpClients::aHeaderOfMoreThan16KiBIsRefused()
{
    QVERIFY(m->start());
    auto connection = m->connect();
    connection.send("GET /hello HTTP/1.1\r\nHost: a\r\nX-Long: " + std::string(17'000, 'x') +
                    "\r\n\r\n");
    QCOMPARE(connection.readAnswer().status, 431);
    auto many = m->connect();
    std::string request = "GET /hello HTTP/1.1\r\nHost: a\r\n";
    for (int i = 0; i < 2'000; ++i)
        request += "X-" + std::to_string(i) + ": y\r\n";
    many.send(request + "\r\n");
    QCOMPARE(many.readAnswer().status, 431);
}

void TestHttpClients::aHeaderOf15KiBIsTaken()
{
    QVERIFY(m->start());
    QCOMPARE(m->ask("GET", "/hello", {{"X-Long", std::string(15'000, 'x')}}).status, 200);
}

void TestHttpClients::aLongBodyIsRefusedBeforeItIsSent()
{
    QVERIFY(m->start());
    auto connection = m->connect();
    connection.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100001\r\n\r\n");
    const auto answer = connection.readAnswer();
    QCOMPARE(answer.status, 413);
    QCOMPARE(answer.header("connection"), std::string("close"));
    const std::string whole(100'000, 'x');
    QCOMPARE(m->ask("POST", "/echo", {}, whole).body, whole);
}

void TestHttpClients::aLongChunkedBodyIsRefusedWhileItComes()
{
    QVERIFY(m->start());
    auto connection = m->connect();
    connection.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "8000\r\n" + std::string(0x8000, 'x') + "\r\n";
    for (int i = 0; i < 10 && connection.send(chunk); ++i) {
    }
    QCOMPARE(connection.readAnswer().status, 413);
}

void TestHttpClients::aChunkedBodyIsPutTogether()
{
    QVERIFY(m->start());
    auto connection = m->connect();
    connection.send(
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
    connection.send("4;extension=1\r\ndefg\r\n0\r\nTrailer: x\r\n\r\n");
    QCOMPARE(connection.readAnswer().body, std::string("abcdefg"));
    connection.send(HttpFixture::text("GET", "/hello"));
    QCOMPARE(connection.readAnswer().body, std::string("hello"));
}

void TestHttpClients::continueIsSaidBeforeTheBodyIsRead()
{
    QVERIFY(m->start());
    auto connection = m->connect();
    const Headers expecting{{"Expect", "100-continue"}, {"Content-Length", "5"}};
    connection.send(HttpFixture::text("POST", "/echo", expecting));
    QCOMPARE(connection.readAnswer().status, 100);
    connection.send("abcde");
    QCOMPARE(connection.readAnswer().body, std::string("abcde"));

    auto refused = m->connect();
    refused.send(HttpFixture::text("POST", "/nowhere", expecting));
    QCOMPARE(refused.readAnswer().status, 404);
}

void TestHttpClients::anotherExpectationIsRefused()
{
    QVERIFY(m->start());
    QCOMPARE(m->ask("POST", "/echo", {{"Expect", "coffee"}}, "x").status, 417);
}

void TestHttpClients::aRefusalReachesAClientThatKeepsSending()
{
    QVERIFY(m->start());
    auto connection = m->connect();
    connection.send("POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n");
    connection.send(std::string(3'000'000, 'x'));
    QCOMPARE(connection.readAnswer().status, 404);
}

void TestHttpClients::aSilentConnectionIsClosed()
{
    QVERIFY(m->start(hasty()));
    auto silent = m->connect();
    auto used = m->connect();
    used.send(HttpFixture::text("GET", "/hello"));
    QCOMPARE(used.readAnswer().status, 200);
    QVERIFY(silent.closesWithin(5s));
    QVERIFY(used.closesWithin(5s));
    QVERIFY(silent.received().empty());
}

void TestHttpClients::aSlowHeaderIsDropped()
{
    QVERIFY(m->start(hasty()));
    auto connection = m->connect();
    QElapsedTimer timer;
    timer.start();
    connection.send("GET /hello HTTP/1.1\r\n");
    // A byte now and then must not buy more time.
    while (timer.elapsed() < 5'000 && !connection.closesWithin(60ms))
        connection.send("x");
    QVERIFY(timer.elapsed() < 5'000);
    QVERIFY(connection.received().empty());
}

void TestHttpClients::aSlowBodyIsDropped()
{
    QVERIFY(m->start(hasty()));
    auto connection = m->connect();
    connection.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
    QVERIFY(connection.closesWithin(5s));
    QVERIFY(connection.received().empty());
}

void TestHttpClients::aReaderThatStopsReadingIsDropped()
{
    const std::string large(64 << 20, 'x');
    m->router.add(route("GET", "/large", [&large](const Request&) {
        return Response::text(200, "text/plain", large);
    }));
    QVERIFY(m->start(hasty()));
    auto connection = RawConnection(m->server->port(), 4096);
    connection.send(HttpFixture::text("GET", "/large"));
    std::this_thread::sleep_for(1500ms); // real time: the sockets' time-outs are the subject
    QVERIFY(connection.closesWithin(20s));
    QVERIFY(connection.received().size() < large.size());
}

void TestHttpClients::aSlowButSteadyReaderGetsEverything()
{
    const std::string large(2 << 20, 'x');
    m->router.add(route("GET", "/large", [&large](const Request&) {
        return Response::text(200, "text/plain", large);
    }));
    QVERIFY(m->start(hasty()));
    auto connection = RawConnection(m->server->port(), 4096);
    connection.send(HttpFixture::text("GET", "/large"));
    QElapsedTimer timer;
    timer.start();
    // Far slower than the stall time-out allows for the whole, but never silent for so long.
    while (connection.received().size() < large.size() && connection.readSome())
        if (timer.elapsed() < 1'500)
            std::this_thread::sleep_for(20ms);
    QVERIFY(timer.elapsed() > 1'000);
    QVERIFY(connection.received().size() >= large.size());
}

void TestHttpClients::twoHundredIdleConnectionsDoNotDisturb()
{
    QVERIFY(m->start());
    std::vector<RawConnection> idle;
    for (int i = 0; i < 200; ++i) {
        idle.push_back(m->connect());
        QVERIFY(idle.back().isOpen());
    }
    for (int i = 0; i < 20; ++i)
        QCOMPARE(m->ask("GET", "/hello").status, 200);
    for (auto& connection : idle) {
        connection.send(HttpFixture::text("GET", "/hello"));
        QCOMPARE(connection.readAnswer().body, std::string("hello"));
    }
}

void TestHttpClients::tooManyConnectionsAreTurnedAway()
{
    HttpServerOptions options;
    options.connectionsAtMost = 3;
    QVERIFY(m->start(options));
    std::vector<RawConnection> first;
    for (int i = 0; i < 3; ++i) {
        first.push_back(m->connect());
        first.back().send(HttpFixture::text("GET", "/hello"));
        QCOMPARE(first.back().readAnswer().status, 200);
    }
    auto fourth = m->connect();
    const auto answer = fourth.readAnswer();
    QCOMPARE(answer.status, 503);
    QCOMPARE(answer.header("retry-after"), std::string("30"));
    QVERIFY(fourth.closesWithin(5s));
    first.pop_back();
    // One answer decides: the connection of the last question may still count against the next one.
    QVERIFY(QTest::qWaitFor([&] { return m->ask("GET", "/hello").status == 200; }, 20'000));
}

void TestHttpClients::aSlowHandlerDoesNotStopOthers()
{
    std::mutex mutex;
    std::condition_variable released;
    bool isReleased = false;
    m->router.add(route("GET", "/slow", [&](const Request&) {
        std::unique_lock lock(mutex);
        released.wait_for(lock, 20s, [&] { return isReleased; });
        return Response::text(200, "text/plain", "slow");
    }));
    QVERIFY(m->start());
    auto slow = m->connect();
    slow.send(HttpFixture::text("GET", "/slow"));
    QCOMPARE(m->ask("GET", "/hello").body, std::string("hello"));
    {
        const std::scoped_lock lock(mutex);
        isReleased = true;
    }
    released.notify_all();
    QCOMPARE(slow.readAnswer().body, std::string("slow"));
}

QTEST_GUILESS_MAIN(TestHttpClients)
#include "tst_http_clients.moc"
