// What answers mean, and addresses.

#include "engine/transfer/http.h"
#include "engine/transfer/url.h"
#include "tests/support/fake_transport.h"
#include "tests/support/kind_of.h"

#include <QTest>

using namespace commonweight;
using namespace commonweight::transfer;

namespace {

const WallTime kNow{std::chrono::seconds{784111777}}; // Sun, 06 Nov 1994 08:49:37 GMT

HttpResponse answer(int status, const std::string& type, const std::string& body)
{
    const auto view = asBytes(body);
    return {status, {{"content-type", type}}, {view.begin(), view.end()}};
}

} // namespace

class TestTransferValues : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void retryAfterIsRead_data();
    void retryAfterIsRead();
    void theKindFollowsTheStatus_data();
    void theKindFollowsTheStatus();
    void aProblemDocumentSpeaksForItself();
    void aBrokenProblemDocumentDoesNotMatter();
    void aCaptivePortalIsANetworkError();
    void aReplayIsWorthANewTry();
    void urlsAreTakenApart();
    void otherUrlsAreRefused_data();
    void otherUrlsAreRefused();
    void locationsAreResolved_data();
    void locationsAreResolved();
    void httpsNeverBecomesHttp();
    void loopbackAddressesAreKnown();
    void theFakeTransportKeepsTheContract();
};

void TestTransferValues::retryAfterIsRead_data()
{
    QTest::addColumn<QByteArray>("header");
    QTest::addColumn<double>("seconds");
    const auto row = [](const char* header, double seconds) {
        QTest::addRow("'%s'", header) << QByteArray(header) << seconds;
    };
    row("", -1);
    row("0", 0);
    row("120", 120);
    row("86400", 86400);
    row("86401", 86400);
    row("99999999999999999999", 86400);
    row("-5", -1);
    row("soon", -1);
    row("1.5", -1);
    row("Sun, 06 Nov 1994 08:50:37 GMT", 60);
    row("Sun, 06 Nov 1994 08:49:36 GMT", 0);
    row("Sun, 06 Nov 2094 08:49:37 GMT", 86400);
    row("Sun, 31 Feb 1995 08:49:37 GMT", -1);
    row("Sun, 06 Xyz 1994 08:50:37 GMT", -1);
    row("Sunday, 06-Nov-94 08:50:37 GMT", -1);
}

void TestTransferValues::retryAfterIsRead()
{
    QFETCH(QByteArray, header);
    QFETCH(double, seconds);
    HttpResponse response;
    if (!header.isEmpty())
        response.headers["retry-after"] = header.toStdString();
    QCOMPARE(response.retryAfter(kNow).count(), seconds);
}

void TestTransferValues::theKindFollowsTheStatus_data()
{
    QTest::addColumn<int>("status");
    QTest::addColumn<int>("kind");
    const auto row = [](int status, ErrorKind kind) {
        QTest::addRow("%d", status) << status << int(kind);
    };
    row(302, ErrorKind::Network);
    row(400, ErrorKind::Protocol);
    row(401, ErrorKind::Denied);
    row(403, ErrorKind::Denied);
    row(404, ErrorKind::NotFound);
    row(405, ErrorKind::Protocol);
    row(408, ErrorKind::Network);
    row(409, ErrorKind::Conflict);
    row(410, ErrorKind::NotFound);
    row(412, ErrorKind::Protocol);
    row(413, ErrorKind::Full);
    row(423, ErrorKind::Network);
    row(429, ErrorKind::Network);
    row(460, ErrorKind::Corrupt);
    row(500, ErrorKind::Network);
    row(502, ErrorKind::Network);
    row(503, ErrorKind::Network);
    row(507, ErrorKind::Full);
    row(511, ErrorKind::Network);
}

void TestTransferValues::theKindFollowsTheStatus()
{
    QFETCH(int, status);
    QFETCH(int, kind);
    const auto error = errorFromResponse(answer(status, "text/html", "<html>"), "cannot do it");
    QCOMPARE(int(error.kind), kind);
    QCOMPARE(error.message, "cannot do it: HTTP " + std::to_string(status));
}

void TestTransferValues::aProblemDocumentSpeaksForItself()
{
    const auto both = answer(409, "application/problem+json; charset=utf-8",
                             R"({"title":"Conflict","detail":"too late"})");
    QCOMPARE(errorFromResponse(both, "cannot commit").message,
             std::string("cannot commit: too late"));
    const auto title = answer(409, "application/problem+json", R"({"title":"Conflict"})");
    QCOMPARE(errorFromResponse(title, "cannot commit").message,
             std::string("cannot commit: Conflict"));
    const auto long_ = answer(409, "application/problem+json",
                              R"({"detail":")" + std::string(4000, 'x') + R"("})");
    QVERIFY(errorFromResponse(long_, "cannot commit").message.size() < 400);
}

void TestTransferValues::aBrokenProblemDocumentDoesNotMatter()
{
    for (const char* body : {"", "{", "[]", "3", R"({"detail":3})"})
        QCOMPARE(errorFromResponse(answer(500, "application/problem+json", body), "x").message,
                 std::string("x: HTTP 500"));
}

void TestTransferValues::aCaptivePortalIsANetworkError()
{
    for (const char* type :
         {"text/html", "text/html; charset=utf-8", "TEXT/HTML", "application/xhtml+xml"})
        QCOMPARE(kindOf(errorFromResponse(answer(200, type, "<html>please log in"), "x")),
                 QByteArray("network"));
    QCOMPARE(kindOf(errorFromResponse(answer(200, "application/json", "{}"), "x")),
             QByteArray("protocol"));
}

void TestTransferValues::aReplayIsWorthANewTry()
{
    const auto replay = answer(401, "application/problem+json",
                               R"({"type":"/problems/replayed-request","title":"x"})");
    QCOMPARE(kindOf(errorFromResponse(replay, "x")), QByteArray("network"));
}

void TestTransferValues::urlsAreTakenApart()
{
    const auto url = parseUrl("https://example.org:8443/v1/a%20b?x=1");
    QVERIFY(url.ok());
    QCOMPARE(url->scheme, std::string("https"));
    QCOMPARE(url->host, std::string("example.org"));
    QCOMPARE(url->path, std::string("/v1/a%20b"));
    QCOMPARE(parseUrl("http://[::1]:80")->host, std::string("[::1]"));
    QCOMPARE(parseUrl("http://[::1]:80")->path, std::string("/"));
}

void TestTransferValues::otherUrlsAreRefused_data()
{
    QTest::addColumn<QByteArray>("url");
    for (const char* url : {"", "example.org", "/v1", "file:///etc/passwd", "ftp://example.org",
                            "javascript:alert(1)", "http://", "http://a b/"})
        QTest::addRow("'%s'", url) << QByteArray(url);
}

void TestTransferValues::otherUrlsAreRefused()
{
    QFETCH(QByteArray, url);
    const auto parsed = parseUrl(url.toStdString());
    QVERIFY(!parsed.ok());
    QCOMPARE(kindOf(parsed), QByteArray("protocol"));
}

void TestTransferValues::locationsAreResolved_data()
{
    QTest::addColumn<QByteArray>("location");
    QTest::addColumn<QByteArray>("resolved");
    QTest::newRow("absolute path")
        << QByteArray("/v1/uploads/7") << QByteArray("http://example.org:81/v1/uploads/7");
    QTest::newRow("relative path")
        << QByteArray("uploads/7") << QByteArray("http://example.org:81/v1/uploads/7");
    QTest::newRow("absolute") << QByteArray("http://other.org/7")
                              << QByteArray("http://other.org/7");
    QTest::newRow("to https") << QByteArray("https://example.org/7")
                              << QByteArray("https://example.org/7");
}

void TestTransferValues::locationsAreResolved()
{
    QFETCH(QByteArray, location);
    QFETCH(QByteArray, resolved);
    const auto url = resolveUrl("http://example.org:81/v1/uploads", location.toStdString());
    QVERIFY(url.ok());
    QCOMPARE(*url, resolved.toStdString());
}

void TestTransferValues::httpsNeverBecomesHttp()
{
    QCOMPARE(kindOf(resolveUrl("https://example.org/v1/uploads", "http://example.org/7")),
             QByteArray("protocol"));
    QCOMPARE(kindOf(resolveUrl("https://example.org/v1/uploads", "file:///etc/passwd")),
             QByteArray("protocol"));
    QCOMPARE(kindOf(resolveUrl("https://example.org/v1/uploads", "")), QByteArray("protocol"));
}

void TestTransferValues::loopbackAddressesAreKnown()
{
    for (const char* url :
         {"http://localhost:1/", "http://127.0.0.1/", "http://127.3.2.1/", "http://[::1]/"})
        QVERIFY(isLoopback(*parseUrl(url)));
    for (const char* url : {"http://localhost.example.org/", "http://10.0.0.1/", "http://[::2]/"})
        QVERIFY(!isLoopback(*parseUrl(url)));
}

void TestTransferValues::theFakeTransportKeepsTheContract()
{
    FakeTransport transport;
    CancelFlag cancel = false;
    HttpRequest request;
    request.url = "http://example.org/";
    QCOMPARE(kindOf(transport.send(request, cancel)), QByteArray("network"));
    transport.setAnswer(
        [](const HttpRequest&) { return answer(200, "text/plain", std::string(2500, 'x')); });
    QCOMPARE(transport.send(request, cancel)->body.size(), std::size_t(2500));
    std::size_t bytes = 0, heads = 0;
    request.onHead = [&](const HttpResponse& head) -> Result<void> {
        heads += head.status == 200 && bytes == 0 ? 1 : 0;
        return {};
    };
    const auto count = [&](ByteView piece) -> Result<void> {
        bytes += piece.size();
        return {};
    };
    QVERIFY(transport.stream(request, count, cancel)->body.empty());
    QCOMPARE(bytes, std::size_t(2500));
    QCOMPARE(heads, std::size_t(1));
    request.maxResponseBytes = 2499;
    QCOMPARE(kindOf(transport.send(request, cancel)), QByteArray("protocol"));
    cancel = true;
    QCOMPARE(kindOf(transport.send(request, cancel)), QByteArray("cancelled"));
    QCOMPARE(transport.requests().size(), std::size_t(5));
}

QTEST_GUILESS_MAIN(TestTransferValues)
#include "tst_transfer_values.moc"
