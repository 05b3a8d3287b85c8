// libcurl behind the Transport interface, against real sockets.

#include "engine/transfer/curl_transport.h"
#include "tests/server/http_fixture.h"
#include "tests/support/kind_of.h"
#include "tests/transfer/flaky_proxy.h"
#include "tests/transfer/scripted_server.h"

#include <QElapsedTimer>
#include <QTest>

#include <future>

using namespace commonweight;
using namespace commonweight::transfer;
using namespace std::chrono_literals;
using commonweight::server::Access;
using commonweight::server::Handler;
using commonweight::server::HttpFixture;
using commonweight::server::Request;
using commonweight::server::Response;

namespace {

Response text(std::string_view body)
{
    return Response::text(200, "text/plain", body);
}

std::string joined(const std::map<std::string, std::string>& headers)
{
    std::string lines;
    for (const auto& [name, value] : headers)
        lines += name + ": " + value + "\n";
    return lines;
}

} // namespace

class TestCurlTransport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();

    void aRequestIsSentAndItsAnswerComesBack_data();
    void aRequestIsSentAndItsAnswerComesBack();
    void headersGoBothWays();
    void noContentTypeIsMadeUp();
    void aLineBreakInAHeaderIsRefused();
    void aLargeBodyIsSent();
    void aTooLongAnswerIsProtocol();
    void tooManyHeadersAreProtocol();
    void anyStatusIsASuccess();
    void getFollowsRedirectsAndPostDoesNot();
    void redirectsEnd();
    void redirectsLeadToHttpOnly();
    void connectionsAreUsedAgain();
    void callsFromManyThreadsDoNotDisturbEachOther();

    void streamingHandsTheBodyOn();
    void streamingKeepsABoundedErrorBody();
    void anErrorOfTheSinkEndsTheExchange();
    void anErrorAtTheHeadEndsTheExchange();

    void nobodyThereIsNetwork();
    void aBadAddressIsProtocol_data();
    void aBadAddressIsProtocol();
    void whatIsNotHttpIsAnError_data();
    void whatIsNotHttpIsAnError();
    void aCutConnectionIsNetwork();
    void aSilentServerIsATimeout();
    void aServerThatFallsSilentIsATimeout();
    void cancellingTakesLessThanASecondOrTwo();
    void aCancelledCallIsNotEvenMade();

    void aProxyIsUsed();
    void downloadsKeepTheirPace();
    void uploadsKeepTheirPace();

private:
    std::string url(const std::string& path) const
    {
        return "http://127.0.0.1:" + std::to_string(m->server->port()) + path;
    }
    HttpRequest request(const std::string& method, const std::string& path,
                        const std::string& body = {}) const
    {
        const auto view = asBytes(body);
        HttpRequest made;
        made.method = method;
        made.url = url(path);
        made.body.assign(view.begin(), view.end());
        return made;
    }
    Result<HttpResponse> send(const HttpRequest& made) { return m_transport->send(made, m_cancel); }

    std::unique_ptr<HttpFixture> m;
    std::unique_ptr<Transport> m_transport;
    CancelFlag m_cancel = false;
};

void TestCurlTransport::init()
{
    m_cancel = false;
    m_transport = makeCurlTransport("Commonweight/test");
    m = std::make_unique<HttpFixture>();
    const auto add = [this](const char* method, const char* pattern, Handler handler) {
        m->router.add({method, pattern, Access::Anyone, std::move(handler), 64u << 20});
    };
    for (const char* method : {"GET", "POST", "PUT", "PATCH", "DELETE"})
        add(method, "/echo", [](const Request& made) {
            return text(made.method + ":" + std::string(asText(made.body)));
        });
    add("GET", "/headers", [](const Request& made) {
        auto answer = text(joined(made.headers));
        answer.headers["X-Mixed-Case"] = "Yes";
        return answer;
    });
    add("POST", "/headers", [](const Request& made) { return text(joined(made.headers)); });
    add("GET", "/huge", [](const Request&) { return text(std::string(4'000'000, 'x')); });
    add("GET", "/long", [](const Request&) { return text(std::string(300'000, 'x')); });
    add("POST", "/size",
        [](const Request& made) { return text(std::to_string(made.body.size())); });
    add("GET", "/teapot", [](const Request&) {
        return Response::text(418, "text/plain", std::string(200'000, 't'));
    });
    for (const char* method : {"GET", "POST"}) {
        add(method, "/moved", [](const Request&) { return Response::redirect("/echo"); });
        add(method, "/loop", [](const Request&) { return Response::redirect("/loop"); });
        add(method, "/file",
            [](const Request&) { return Response::redirect("file:///etc/passwd"); });
        add(method, "/ftp", [](const Request&) { return Response::redirect("ftp://127.0.0.1/x"); });
    }
    QVERIFY(m->start());
}

void TestCurlTransport::aRequestIsSentAndItsAnswerComesBack_data()
{
    QTest::addColumn<QByteArray>("method");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("answer");
    QTest::newRow("GET") << QByteArray("GET") << QByteArray() << QByteArray("GET:");
    QTest::newRow("HEAD") << QByteArray("HEAD") << QByteArray() << QByteArray();
    QTest::newRow("DELETE") << QByteArray("DELETE") << QByteArray() << QByteArray("DELETE:");
    QTest::newRow("empty POST") << QByteArray("POST") << QByteArray() << QByteArray("POST:");
    for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
        const QByteArray body("a\0b\r\n\xff", 6);
        QTest::addRow("%s with a body", method)
            << QByteArray(method) << body << method + QByteArray(":") + body;
    }
}

void TestCurlTransport::aRequestIsSentAndItsAnswerComesBack()
{
    QFETCH(QByteArray, method);
    QFETCH(QByteArray, body);
    QFETCH(QByteArray, answer);
    const auto response = send(request(method.toStdString(), "/echo", body.toStdString()));
    QVERIFY(response.ok());
    QCOMPARE(response->status, 200);
    QCOMPARE(asText(response->body),
             std::string_view(answer.constData(), std::size_t(answer.size())));
}

void TestCurlTransport::headersGoBothWays()
{
    auto made = request("GET", "/headers");
    made.headers = {{"X-One", "1"}, {"Range", "bytes=0-5"}};
    const auto response = send(made);
    QCOMPARE(response->header("x-mixed-case"), std::string("Yes"));
    QCOMPARE(response->header("content-type"), std::string("text/plain"));
    const std::string seen(asText(response->body));
    QVERIFY(seen.find("x-one: 1\n") != std::string::npos);
    QVERIFY(seen.find("range: bytes=0-5\n") != std::string::npos);
    QVERIFY(seen.find("user-agent: Commonweight/test\n") != std::string::npos);
}

void TestCurlTransport::noContentTypeIsMadeUp()
{
    auto made = request("POST", "/headers", "{}");
    const auto bare = send(made);
    QVERIFY(asText(bare->body).find("content-type") == std::string_view::npos);
    made.headers["Content-Type"] = "application/json";
    const auto typed = send(made);
    QVERIFY(asText(typed->body).find("content-type: application/json\n") != std::string_view::npos);
}

void TestCurlTransport::aLineBreakInAHeaderIsRefused()
{
    auto made = request("GET", "/headers");
    made.headers["X-One"] = "1\r\nX-Two: 2";
    QCOMPARE(kindOf(send(made)), QByteArray("protocol"));
}

void TestCurlTransport::aLargeBodyIsSent()
{
    const auto response = send(request("POST", "/size", std::string(20 << 20, 'x')));
    QVERIFY(response.ok());
    QCOMPARE(asText(response->body), std::string_view("20971520"));
}

void TestCurlTransport::aTooLongAnswerIsProtocol()
{
    auto made = request("GET", "/long");
    made.maxResponseBytes = 299'999;
    QCOMPARE(kindOf(send(made)), QByteArray("protocol"));
    made.maxResponseBytes = 300'000;
    QCOMPARE(send(made)->body.size(), std::size_t(300'000));

    // Without a length ahead, it shows while it comes.
    ScriptedServer endless(
        [](const std::string&) { return "HTTP/1.1 200 OK\r\n\r\n" + std::string(100'000, 'x'); });
    made.url = endless.url();
    made.maxResponseBytes = 50'000;
    QCOMPARE(kindOf(send(made)), QByteArray("protocol"));
}

void TestCurlTransport::tooManyHeadersAreProtocol()
{
    ScriptedServer server([](const std::string&) {
        std::string answer = "HTTP/1.1 200 OK\r\n";
        for (int i = 0; i < 3000; ++i)
            answer += "X-" + std::to_string(i) + ": " + std::string(50, 'y') + "\r\n";
        return answer + "\r\n";
    });
    HttpRequest made;
    made.url = server.url();
    QCOMPARE(kindOf(send(made)), QByteArray("protocol"));
}

void TestCurlTransport::anyStatusIsASuccess()
{
    QCOMPARE(send(request("GET", "/nowhere"))->status, 404);
    QCOMPARE(send(request("PUT", "/long"))->status, 405);
}

void TestCurlTransport::getFollowsRedirectsAndPostDoesNot()
{
    QCOMPARE(asText(send(request("GET", "/moved"))->body), std::string_view("GET:"));
    const auto posted = send(request("POST", "/moved", "x"));
    QCOMPARE(posted->status, 302);
    QCOMPARE(posted->header("location"), std::string("/echo"));
}

void TestCurlTransport::redirectsEnd()
{
    QCOMPARE(kindOf(send(request("GET", "/loop"))), QByteArray("protocol"));
}

void TestCurlTransport::redirectsLeadToHttpOnly()
{
    QCOMPARE(kindOf(send(request("GET", "/file"))), QByteArray("protocol"));
    QCOMPARE(kindOf(send(request("GET", "/ftp"))), QByteArray("protocol"));
}

void TestCurlTransport::connectionsAreUsedAgain()
{
    const FlakyProxy proxy(m->server->port());
    auto made = request("GET", "/echo");
    made.url = "http://127.0.0.1:" + std::to_string(proxy.port()) + "/echo";
    for (int i = 0; i < 10; ++i)
        QVERIFY(send(made).ok());
    QCOMPARE(proxy.connections.load(), 1);
}

void TestCurlTransport::callsFromManyThreadsDoNotDisturbEachOther()
{
    std::vector<std::future<bool>> calls;
    for (int t = 0; t < 6; ++t)
        calls.push_back(std::async(std::launch::async, [this, t] {
            for (int i = 0; i < 30; ++i) {
                const auto body = std::to_string(t * 1000 + i);
                const auto response = send(request("POST", "/echo", body));
                if (!response.ok() || asText(response->body) != "POST:" + body)
                    return false;
            }
            return true;
        }));
    for (auto& call : calls)
        QVERIFY(call.get());
}

void TestCurlTransport::streamingHandsTheBodyOn()
{
    std::string received;
    int heads = 0;
    auto made = request("GET", "/long");
    made.onHead = [&](const HttpResponse& head) -> Result<void> {
        heads += head.status == 200 && head.header("content-length") == "300000" && received.empty()
                     ? 1
                     : 0;
        return {};
    };
    const auto sink = [&](ByteView piece) -> Result<void> {
        received += asText(piece);
        return {};
    };
    const auto response = m_transport->stream(made, sink, m_cancel);
    QCOMPARE(response->status, 200);
    QVERIFY(response->body.empty());
    QCOMPARE(received.size(), std::size_t(300'000));
    QCOMPARE(heads, 1);
}

void TestCurlTransport::streamingKeepsABoundedErrorBody()
{
    bool isAsked = false;
    const auto sink = [&](ByteView) -> Result<void> {
        isAsked = true;
        return {};
    };
    const auto response = m_transport->stream(request("GET", "/teapot"), sink, m_cancel);
    QVERIFY(response.ok());
    QCOMPARE(response->status, 418);
    QCOMPARE(response->body.size(), std::size_t(64 << 10));
    QVERIFY(!isAsked);
}

void TestCurlTransport::anErrorOfTheSinkEndsTheExchange()
{
    const auto sink = [](ByteView) -> Result<void> { return Error{ErrorKind::Full, "no space"}; };
    const auto response = m_transport->stream(request("GET", "/long"), sink, m_cancel);
    QCOMPARE(kindOf(response), QByteArray("full"));
    QCOMPARE(response.error().message, std::string("no space"));
}

void TestCurlTransport::anErrorAtTheHeadEndsTheExchange()
{
    bool isAsked = false;
    auto made = request("GET", "/long");
    made.onHead = [](const HttpResponse&) -> Result<void> {
        return Error{ErrorKind::Corrupt, "no"};
    };
    const auto sink = [&](ByteView) -> Result<void> {
        isAsked = true;
        return {};
    };
    QCOMPARE(kindOf(m_transport->stream(made, sink, m_cancel)), QByteArray("corrupt"));
    QVERIFY(!isAsked);
    // Also when there is no body at all.
    made.url = url("/echo");
    made.method = "HEAD";
    QCOMPARE(kindOf(m_transport->stream(made, sink, m_cancel)), QByteArray("corrupt"));
}

void TestCurlTransport::nobodyThereIsNetwork()
{
    auto made = request("GET", "/echo");
    m->server->stop();
    const auto response = send(made);
    QCOMPARE(kindOf(response), QByteArray("network"));
    QVERIFY(response.error().message.find("127.0.0.1") != std::string::npos);
    made.url = "http://name.invalid/";
    QCOMPARE(kindOf(send(made)), QByteArray("network"));
}

void TestCurlTransport::aBadAddressIsProtocol_data()
{
    QTest::addColumn<QByteArray>("url");
    for (const char* url : {"", "example", "file:///etc/passwd", "ftp://127.0.0.1/", "http://"})
        QTest::addRow("'%s'", url) << QByteArray(url);
}

void TestCurlTransport::aBadAddressIsProtocol()
{
    QFETCH(QByteArray, url);
    HttpRequest made;
    made.url = url.toStdString();
    QCOMPARE(kindOf(send(made)), QByteArray("protocol"));
}

void TestCurlTransport::whatIsNotHttpIsAnError_data()
{
    QTest::addColumn<QByteArray>("answer");
    QTest::addColumn<int>("kind");
    QTest::newRow("a greeting") << QByteArray("220 mail.example.org ESMTP\r\n")
                                << int(ErrorKind::Protocol);
    QTest::newRow("nothing") << QByteArray() << int(ErrorKind::Network);
    QTest::newRow("half a header")
        << QByteArray("HTTP/1.1 200 OK\r\nContent-") << int(ErrorKind::Network);
    QTest::newRow("half a body") << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
                                 << int(ErrorKind::Network);
}

void TestCurlTransport::whatIsNotHttpIsAnError()
{
    QFETCH(QByteArray, answer);
    QFETCH(int, kind);
    ScriptedServer server([&](const std::string&) { return answer.toStdString(); });
    HttpRequest made;
    made.url = server.url();
    const auto response = send(made);
    QVERIFY(!response.ok());
    QCOMPARE(int(response.error().kind), kind);
}

void TestCurlTransport::aCutConnectionIsNetwork()
{
    FlakyProxy proxy(m->server->port());
    proxy.cutDownAfter = 100'000;
    auto made = request("GET", "/long");
    made.url = "http://127.0.0.1:" + std::to_string(proxy.port()) + "/long";
    QCOMPARE(kindOf(send(made)), QByteArray("network"));
}

void TestCurlTransport::aSilentServerIsATimeout()
{
    ScriptedServer silent([](const std::string&) { return std::string(); }, true);
    HttpRequest made;
    made.url = silent.url();
    made.stallTimeout = Seconds{0.4};
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(kindOf(send(made)), QByteArray("timeout"));
    QVERIFY(timer.elapsed() < 5'000);
}

void TestCurlTransport::aServerThatFallsSilentIsATimeout()
{
    FlakyProxy proxy(m->server->port());
    proxy.muteDownAfter = 100'000;
    auto made = request("GET", "/long");
    made.url = "http://127.0.0.1:" + std::to_string(proxy.port()) + "/long";
    made.stallTimeout = Seconds{0.4};
    QCOMPARE(kindOf(send(made)), QByteArray("timeout"));
}

void TestCurlTransport::cancellingTakesLessThanASecondOrTwo()
{
    ScriptedServer silent([](const std::string&) { return std::string(); }, true);
    HttpRequest made;
    made.url = silent.url();
    auto call = std::async(std::launch::async, [&] { return send(made); });
    QTRY_COMPARE(silent.requests().size(), std::size_t(1));
    QElapsedTimer timer;
    timer.start();
    m_cancel = true;
    QCOMPARE(kindOf(call.get()), QByteArray("cancelled"));
    QVERIFY(timer.elapsed() < 3'000);
}

void TestCurlTransport::aCancelledCallIsNotEvenMade()
{
    const FlakyProxy proxy(m->server->port());
    m_cancel = true;
    HttpRequest made;
    made.url = "http://127.0.0.1:" + std::to_string(proxy.port()) + "/echo";
    QCOMPARE(kindOf(send(made)), QByteArray("cancelled"));
    QCOMPARE(proxy.connections.load(), 0);
}

void TestCurlTransport::aProxyIsUsed()
{
    ScriptedServer proxy([](const std::string&) {
        return std::string("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nproxy");
    });
    m_transport->setLimits({proxy.url(), 0, 0});
    HttpRequest made;
    made.url = "http://name.invalid/v1/project";
    QCOMPARE(asText(send(made)->body), std::string_view("proxy"));
    QVERIFY(
        proxy.requests().front().starts_with("GET http://name.invalid/v1/project HTTP/1.1\r\n"));
    m_transport->setLimits({});
    QCOMPARE(asText(send(request("GET", "/echo"))->body), std::string_view("GET:"));
}

void TestCurlTransport::downloadsKeepTheirPace()
{
    // 4 s of bytes. libcurl lets what lies ready pass at once, and those of about the first second.
    auto made = request("GET", "/huge");
    made.maxResponseBytes = 4'000'000;
    m_transport->setLimits({{}, 1'000'000, 0});
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(send(made)->body.size(), std::size_t(4'000'000));
    const auto limited = timer.elapsed();
    QVERIFY2(limited > 450, qPrintable(QString::number(limited)));
    m_transport->setLimits({});
    timer.restart();
    QVERIFY(send(made).ok());
    QVERIFY(timer.elapsed() < limited);
}

void TestCurlTransport::uploadsKeepTheirPace()
{
    m_transport->setLimits({{}, 0, 400'000});
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(asText(send(request("POST", "/size", std::string(600'000, 'x')))->body),
             std::string_view("600000"));
    QVERIFY(timer.elapsed() > 450);
}

QTEST_GUILESS_MAIN(TestCurlTransport)
#include "tst_curl_transport.moc"
