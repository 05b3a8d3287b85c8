// The server against clients that are polite, rude, slow and many.

#include "tests/server/http_fixture.h"
#include "tests/support/kind_of.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <condition_variable>
#include <fstream>
#include <stdexcept>
#include <thread>

using namespace commonweight;
using namespace commonweight::server;
using namespace std::chrono_literals;

namespace {

Route route(const std::string& method, const std::string& pattern, Handler handler,
            std::uint64_t maxBody = 1 << 20)
{
    return {method, pattern, Access::Anyone, std::move(handler), maxBody};
}

Response echo(const Request& request)
{
    return Response::text(200, "text/plain", asText(request.body));
}

HttpServerOptions hasty()
{
    HttpServerOptions options;
    options.idleTimeout = Seconds{0.3};
    options.stallTimeout = Seconds{0.3};
    return options;
}

} // namespace

class TestHttpServer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();

    void anAnswerCarriesDateLengthAndType();
    void theDateIsThatOfTheServersClock();
    void aConnectionServesManyRequests();
    void pipelinedRequestsAreAnsweredInOrder();
    void oldClientsGetTheirConnectionClosed();
    void headHasTheHeadersOfGetAndNoBody();
    void optionsListsTheMethods();
    void anUnknownMethodIsRefusedWithTheKnownOnes();
    void anUnknownPathIsAProblemDocument();
    void getMayBeReadByPagesElsewhere();
    void queryAndCapturesReachTheHandler();
    void handlersSeeTheRemoteAddress();

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

    void anExceptionInAHandlerIsAnError500();
    void aFileIsSentInPieces();
    void aMissingFileIsAnError();
    void stopLetsARunningRequestEnd();
    void stopClosesIdleConnections();
    void aTakenPortIsAConflict();
    void thePortCanBeUsedAgainAtOnce();
    void aBadAddressIsRefused();

private:
    std::unique_ptr<HttpFixture> m;
};

void TestHttpServer::init()
{
    m = std::make_unique<HttpFixture>();
    m->router.add(route("GET", "/hello",
                        [](const Request&) { return Response::text(200, "text/plain", "hello"); }));
    m->router.add(route("POST", "/echo", echo, 100'000));
    m->router.add(route("GET", "/echo/{word}", [](const Request& request) {
        return Response::text(200, "text/plain",
                              request.captures.at("word") + "|" + request.query.at("q"));
    }));
}

void TestHttpServer::anAnswerCarriesDateLengthAndType()
{
    QVERIFY(m->start());
    const auto answer = m->ask("GET", "/hello");
    QCOMPARE(answer.status, 200);
    QCOMPARE(answer.body, std::string("hello"));
    QCOMPARE(answer.header("content-length"), std::string("5"));
    QCOMPARE(answer.header("content-type"), std::string("text/plain"));
}

void TestHttpServer::theDateIsThatOfTheServersClock()
{
    QVERIFY(m->start());
    QCOMPARE(m->ask("GET", "/hello").header("date"), std::string("Fri, 15 Jan 2027 08:00:00 GMT"));
    m->clock.jumpWall(1h);
    QCOMPARE(m->ask("GET", "/hello").header("date"), std::string("Fri, 15 Jan 2027 09:00:00 GMT"));
    QVERIFY(!m->ask("GET", "/nowhere").header("date").empty());
}

void TestHttpServer::aConnectionServesManyRequests()
{
    QVERIFY(m->start());
    auto connection = m->connect();
    for (int i = 0; i < 50; ++i) {
        const auto body = "number " + std::to_string(i);
        connection.send(HttpFixture::text("POST", "/echo", {}, body));
        const auto answer = connection.readAnswer();
        QCOMPARE(answer.body, body);
        QCOMPARE(answer.header("connection"), std::string("keep-alive"));
    }
}

void TestHttpServer::pipelinedRequestsAreAnsweredInOrder()
{
    QVERIFY(m->start());
    auto connection = m->connect();
    connection.send(HttpFixture::text("POST", "/echo", {}, "one") +
                    HttpFixture::text("GET", "/hello") +
                    HttpFixture::text("POST", "/echo", {}, "three"));
    QCOMPARE(connection.readAnswer().body, std::string("one"));
    QCOMPARE(connection.readAnswer().body, std::string("hello"));
    QCOMPARE(connection.readAnswer().body, std::string("three"));
}

void TestHttpServer::oldClientsGetTheirConnectionClosed()
{
    QVERIFY(m->start());
    auto connection = m->connect();
    connection.send("GET /hello HTTP/1.0\r\n\r\n");
    const auto answer = connection.readAnswer();
    QCOMPARE(answer.body, std::string("hello"));
    QCOMPARE(answer.header("connection"), std::string("close"));
    QVERIFY(connection.closesWithin(5s));
}

void TestHttpServer::headHasTheHeadersOfGetAndNoBody()
{
    QVERIFY(m->start());
    auto connection = m->connect();
    connection.send(HttpFixture::text("HEAD", "/hello"));
    const auto answer = connection.readAnswer(true);
    QCOMPARE(answer.status, 200);
    QCOMPARE(answer.header("content-length"), std::string("5"));
    connection.send(HttpFixture::text("HEAD", "/nowhere"));
    QCOMPARE(connection.readAnswer(true).status, 404);
    connection.send(HttpFixture::text("GET", "/hello"));
    QCOMPARE(connection.readAnswer().body, std::string("hello"));
}

void TestHttpServer::optionsListsTheMethods()
{
    QVERIFY(m->start());
    const auto answer = m->ask("OPTIONS", "/hello");
    QCOMPARE(answer.status, 204);
    QCOMPARE(answer.header("allow"), std::string("GET, HEAD, OPTIONS"));
    QCOMPARE(answer.header("access-control-allow-methods"), std::string("GET, HEAD, OPTIONS"));
    QVERIFY(answer.header("content-length").empty());
    QCOMPARE(m->ask("OPTIONS", "/nowhere").status, 404);
}

void TestHttpServer::anUnknownMethodIsRefusedWithTheKnownOnes()
{
    QVERIFY(m->start());
    for (const char* method : {"DELETE", "PUT", "BREW"}) {
        const auto answer = m->ask(method, "/hello");
        QCOMPARE(answer.status, 405);
        QCOMPARE(answer.header("allow"), std::string("GET, HEAD, OPTIONS"));
    }
}

void TestHttpServer::anUnknownPathIsAProblemDocument()
{
    QVERIFY(m->start());
    const auto answer = m->ask("GET", "/nowhere");
    QCOMPARE(answer.status, 404);
    QCOMPARE(answer.header("content-type"), std::string("application/problem+json"));
    const auto json = parseJson(answer.body);
    QVERIFY(json.ok());
    QCOMPARE(*textMember(*json, "type"), std::string("/problems/not-found"));
    QCOMPARE(*integerMember(*json, "status", 0, 999), std::int64_t(404));
    QVERIFY(!textMember(*json, "title")->empty());
    QVERIFY(!textMember(*json, "detail")->empty());
}

void TestHttpServer::getMayBeReadByPagesElsewhere()
{
    QVERIFY(m->start());
    QCOMPARE(m->ask("GET", "/hello").header("access-control-allow-origin"), std::string("*"));
    QCOMPARE(m->ask("POST", "/echo", {}, "x").header("access-control-allow-origin"), std::string());
}

void TestHttpServer::queryAndCapturesReachTheHandler()
{
    QVERIFY(m->start());
    QCOMPARE(m->ask("GET", "/echo/a%20b?q=c%20d").body, std::string("a b|c d"));
}

void TestHttpServer::handlersSeeTheRemoteAddress()
{
    m->router.add(route("GET", "/who", [](const Request& request) {
        return Response::text(200, "text/plain", request.remoteAddress + request.host);
    }));
    QVERIFY(m->start());
    QCOMPARE(m->ask("GET", "/who").body, std::string("127.0.0.1"));
}

void TestHttpServer::malformedRequestsAreRefused_data()
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

void TestHttpServer::malformedRequestsAreRefused()
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

void TestHttpServer::pathTricksAreRefused_data()
{
    QTest::addColumn<QByteArray>("path");
    for (const char* path : {"/../hello", "/x/../hello", "/%2e%2e/hello", "/x%2fhello", "/hello%00",
                             "//hello", "/./hello"})
        QTest::addRow("%s", path) << QByteArray(path);
}

void TestHttpServer::pathTricksAreRefused()
{
    QFETCH(QByteArray, path);
    QVERIFY(m->start());
    QCOMPARE(m->ask("GET", path.toStdString()).status, 400);
}

void TestHttpServer::aHeaderOfMoreThan16KiBIsRefused()
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

void TestHttpServer::aHeaderOf15KiBIsTaken()
{
    QVERIFY(m->start());
    QCOMPARE(m->ask("GET", "/hello", {{"X-Long", std::string(15'000, 'x')}}).status, 200);
}

void TestHttpServer::aLongBodyIsRefusedBeforeItIsSent()
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

void TestHttpServer::aLongChunkedBodyIsRefusedWhileItComes()
{
    QVERIFY(m->start());
    auto connection = m->connect();
    connection.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "8000\r\n" + std::string(0x8000, 'x') + "\r\n";
    for (int i = 0; i < 10 && connection.send(chunk); ++i) {
    }
    QCOMPARE(connection.readAnswer().status, 413);
}

void TestHttpServer::aChunkedBodyIsPutTogether()
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

void TestHttpServer::continueIsSaidBeforeTheBodyIsRead()
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

void TestHttpServer::anotherExpectationIsRefused()
{
    QVERIFY(m->start());
    QCOMPARE(m->ask("POST", "/echo", {{"Expect", "coffee"}}, "x").status, 417);
}

void TestHttpServer::aRefusalReachesAClientThatKeepsSending()
{
    QVERIFY(m->start());
    auto connection = m->connect();
    connection.send("POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n");
    connection.send(std::string(3'000'000, 'x'));
    QCOMPARE(connection.readAnswer().status, 404);
}

void TestHttpServer::aSilentConnectionIsClosed()
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

void TestHttpServer::aSlowHeaderIsDropped()
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

void TestHttpServer::aSlowBodyIsDropped()
{
    QVERIFY(m->start(hasty()));
    auto connection = m->connect();
    connection.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
    QVERIFY(connection.closesWithin(5s));
    QVERIFY(connection.received().empty());
}

void TestHttpServer::aReaderThatStopsReadingIsDropped()
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

void TestHttpServer::aSlowButSteadyReaderGetsEverything()
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

void TestHttpServer::twoHundredIdleConnectionsDoNotDisturb()
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

void TestHttpServer::tooManyConnectionsAreTurnedAway()
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
    QTRY_COMPARE(m->ask("GET", "/hello").status, 200);
}

void TestHttpServer::aSlowHandlerDoesNotStopOthers()
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

void TestHttpServer::anExceptionInAHandlerIsAnError500()
{
    m->router.add(route("GET", "/throws",
                        [](const Request&) -> Response { throw std::runtime_error("secret"); }));
    m->router.add(route("GET", "/throws/odd", [](const Request&) -> Response { throw 3; }));
    QVERIFY(m->start());
    auto connection = m->connect();
    for (const char* path : {"/throws", "/throws/odd"}) {
        connection.send(HttpFixture::text("GET", path));
        const auto answer = connection.readAnswer();
        QCOMPARE(answer.status, 500);
        QVERIFY(answer.body.find("secret") == std::string::npos);
    }
    connection.send(HttpFixture::text("GET", "/hello"));
    QCOMPARE(connection.readAnswer().body, std::string("hello"));
}

void TestHttpServer::aFileIsSentInPieces()
{
    QTemporaryDir folder;
    const auto path = std::filesystem::path(folder.path().toStdString()) / "file";
    std::string content(3'000'000, '\0');
    for (std::size_t i = 0; i < content.size(); ++i)
        content[i] = static_cast<char>(i * 7 + i / 1000);
    std::ofstream(path, std::ios::binary) << content;
    m->router.add(route("GET", "/file", [&path](const Request&) {
        return Response{200, {}, FileBody{path, 1'000, 2'500'000}};
    }));
    QVERIFY(m->start());
    const auto answer = m->ask("GET", "/file");
    QCOMPARE(answer.header("content-length"), std::string("2500000"));
    QVERIFY(answer.body == content.substr(1'000, 2'500'000));
    QCOMPARE(m->ask("HEAD", "/file").header("content-length"), std::string("2500000"));
}

void TestHttpServer::aMissingFileIsAnError()
{
    m->router.add(route("GET", "/file", [](const Request&) {
        return Response{200, {}, FileBody{"/nowhere/at/all", 0, 10}};
    }));
    QVERIFY(m->start());
    QCOMPARE(m->ask("GET", "/file").status, 503);
}

void TestHttpServer::stopLetsARunningRequestEnd()
{
    std::atomic<bool> begun = false;
    m->router.add(route("GET", "/slow", [&](const Request&) {
        begun = true;
        std::this_thread::sleep_for(300ms);
        return Response::text(200, "text/plain", "slow");
    }));
    QVERIFY(m->start());
    auto connection = m->connect();
    connection.send(HttpFixture::text("GET", "/slow"));
    QTRY_VERIFY(begun);
    m->server->stop();
    QCOMPARE(connection.readAnswer().body, std::string("slow"));
    QVERIFY(connection.closesWithin(5s));
}

void TestHttpServer::stopClosesIdleConnections()
{
    QVERIFY(m->start());
    auto connection = m->connect();
    connection.send(HttpFixture::text("GET", "/hello"));
    QCOMPARE(connection.readAnswer().status, 200);
    QElapsedTimer timer;
    timer.start();
    m->server->stop();
    QVERIFY(timer.elapsed() < 3'000);
    QVERIFY(connection.closesWithin(5s));
    QVERIFY(!m->connect().isOpen());
}

void TestHttpServer::aTakenPortIsAConflict()
{
    QVERIFY(m->start());
    HttpServerOptions options;
    options.port = m->server->port();
    const auto second = HttpServer::start(options, m->router, m->hosts, m->clock);
    QVERIFY(!second.ok());
    QCOMPARE(kindOf(second), QByteArray("conflict"));
}

void TestHttpServer::thePortCanBeUsedAgainAtOnce()
{
    QVERIFY(m->start());
    HttpServerOptions options;
    options.port = m->server->port();
    QCOMPARE(m->ask("GET", "/hello").status, 200);
    m->server.reset();
    QVERIFY(m->start(options));
    QCOMPARE(m->ask("GET", "/hello").status, 200);
}

void TestHttpServer::aBadAddressIsRefused()
{
    HttpServerOptions options;
    options.address = "example.org";
    const auto server = HttpServer::start(options, m->router, m->hosts, m->clock);
    QVERIFY(!server.ok());
    QCOMPARE(kindOf(server), QByteArray("protocol"));
}

QTEST_GUILESS_MAIN(TestHttpServer)
#include "tst_http_server.moc"
