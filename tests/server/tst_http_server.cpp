// The server against polite clients, its handlers and its end.

#include "tests/server/hello_routes.h"
#include "tests/support/kind_of.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <stdexcept>
#include <thread>

using namespace commonweight;
using namespace commonweight::server;
using namespace std::chrono_literals;

class TestHttpServer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m = fixtureWithRoutes(); }

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
