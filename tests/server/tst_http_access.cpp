// Who may ask: signatures of hosts, keys of new hosts, the operator's token.

#include "tests/server/http_fixture.h"

#include <QTest>

using namespace commonweight;
using namespace commonweight::server;
using namespace std::chrono_literals;

class TestHttpAccess : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();

    void aSignedRequestIsServedAsItsHost();
    void aSignedRequestWithoutBodyIsServed();
    void anUnsignedRequestIsRefused_data();
    void anUnsignedRequestIsRefused();
    void aMalformedSignatureIsRefused();
    void aWrongKeyIsRefused();
    void anUnknownHostIsRefused();
    void aBannedHostIsRefused();
    void aReplayIsRefused();
    void aRefusedSignatureDoesNotUseUpItsNonce();
    void aStaleOrEarlySignatureIsRefused_data();
    void aStaleOrEarlySignatureIsRefused();
    void aTamperedBodyIsRefused();
    void anotherMethodOrPathIsRefused();
    void theEncodedPathIsWhatIsSigned();
    void theRefusalComesBeforeTheBody();

    void aNewHostIsKnownByTheKeyItBrings();
    void aNewHostWithAnotherKeyIsRefused();
    void aNewHostsReplayIsRefused();
    void aNewHostWithoutAKeyIsRefused_data();
    void aNewHostWithoutAKeyIsRefused();

    void theOperatorsTokenOpensAdminRoutes();
    void withoutATokenThereAreNoAdminRoutes();

private:
    std::string typeOf(const RawAnswer& answer) const;
    std::unique_ptr<HttpFixture> m;
};

void TestHttpAccess::init()
{
    m = std::make_unique<HttpFixture>();
    const Handler who = [](const Request& request) {
        return Response::text(200, "text/plain",
                              request.host + ":" + std::string(asText(request.body)));
    };
    m->router.add({"POST", "/v1/scheduler", Access::Host, who});
    m->router.add({"POST", "/v1/other", Access::Host, who});
    m->router.add({"PUT", "/v1/scheduler", Access::Host, who});
    m->router.add({"GET", "/v1/mine/{name}", Access::Host, who});
    m->router.add({"POST", "/v1/hosts", Access::NewHost, who});
    m->router.add({"POST", "/v1/admin/pause", Access::Admin, who});
}

std::string TestHttpAccess::typeOf(const RawAnswer& answer) const
{
    const auto json = parseJson(answer.body);
    return json.ok() ? *textMember(*json, "type") : answer.body;
}

void TestHttpAccess::aSignedRequestIsServedAsItsHost()
{
    QVERIFY(m->start());
    const auto answer = m->askSigned("POST", "/v1/scheduler", {}, "{}");
    QCOMPARE(answer.status, 200);
    QCOMPARE(answer.body, std::string("host-1:{}"));
    QVERIFY(answer.header("access-control-allow-origin").empty());
}

void TestHttpAccess::aSignedRequestWithoutBodyIsServed()
{
    QVERIFY(m->start());
    QCOMPARE(m->askSigned("GET", "/v1/mine/x").body, std::string("host-1:"));
    QCOMPARE(m->askSigned("POST", "/v1/scheduler").body, std::string("host-1:"));
}

void TestHttpAccess::anUnsignedRequestIsRefused_data()
{
    QTest::addColumn<QByteArray>("missing");
    for (const char* name : {"Signature", "Signature-Input", "Content-Digest"})
        QTest::addRow("%s", name) << QByteArray(name);
}

void TestHttpAccess::anUnsignedRequestIsRefused()
{
    QFETCH(QByteArray, missing);
    QVERIFY(m->start());
    auto headers = m->signedBy(m->key, HttpFixture::kHost, "POST", "/v1/scheduler", "{}");
    headers.erase(missing.toStdString());
    const auto answer = m->ask("POST", "/v1/scheduler", headers, "{}");
    QCOMPARE(answer.status, 401);
    QCOMPARE(typeOf(answer), std::string("/problems/signature-missing"));
    QVERIFY(!answer.header("www-authenticate").empty());
}

void TestHttpAccess::aMalformedSignatureIsRefused()
{
    QVERIFY(m->start());
    auto headers = m->signedBy(m->key, HttpFixture::kHost, "POST", "/v1/scheduler", "{}");
    headers["Signature"] = "sig1=:AAAA:";
    const auto answer = m->ask("POST", "/v1/scheduler", headers, "{}");
    QCOMPARE(answer.status, 400);
    QCOMPARE(typeOf(answer), std::string("/problems/signature-malformed"));
}

void TestHttpAccess::aWrongKeyIsRefused()
{
    QVERIFY(m->start());
    const auto headers =
        m->signedBy(SigningKey::generate(), HttpFixture::kHost, "POST", "/v1/scheduler", "{}");
    const auto answer = m->ask("POST", "/v1/scheduler", headers, "{}");
    QCOMPARE(answer.status, 401);
    QCOMPARE(typeOf(answer), std::string("/problems/signature-refused"));
}

void TestHttpAccess::anUnknownHostIsRefused()
{
    QVERIFY(m->start());
    const auto headers = m->signedBy(m->key, "host-2", "POST", "/v1/scheduler", "{}");
    const auto answer = m->ask("POST", "/v1/scheduler", headers, "{}");
    QCOMPARE(answer.status, 401);
    QCOMPARE(typeOf(answer), std::string("/problems/unknown-host"));
}

void TestHttpAccess::aBannedHostIsRefused()
{
    QVERIFY(m->start());
    m->hosts.ban(HttpFixture::kHost);
    const auto answer = m->askSigned("POST", "/v1/scheduler", {}, "{}");
    QCOMPARE(answer.status, 403);
    QCOMPARE(typeOf(answer), std::string("/problems/banned"));
}

void TestHttpAccess::aReplayIsRefused()
{
    QVERIFY(m->start());
    const auto headers = m->signedBy(m->key, HttpFixture::kHost, "POST", "/v1/scheduler", "{}");
    QCOMPARE(m->ask("POST", "/v1/scheduler", headers, "{}").status, 200);
    const auto answer = m->ask("POST", "/v1/scheduler", headers, "{}");
    QCOMPARE(answer.status, 401);
    QCOMPARE(typeOf(answer), std::string("/problems/replayed-request"));
}

void TestHttpAccess::aRefusedSignatureDoesNotUseUpItsNonce()
{
    QVERIFY(m->start());
    const SignedParts parts{"POST", "/v1/scheduler", contentDigest(asBytes("{}"))};
    const auto forged =
        signRequest(parts, HttpFixture::kHost, SigningKey::generate(), m->clock.wall(), "0011");
    QCOMPARE(m->ask("POST", "/v1/scheduler", forged, "{}").status, 401);
    const auto real = signRequest(parts, HttpFixture::kHost, m->key, m->clock.wall(), "0011");
    QCOMPARE(m->ask("POST", "/v1/scheduler", real, "{}").status, 200);
}

void TestHttpAccess::aStaleOrEarlySignatureIsRefused_data()
{
    QTest::addColumn<int>("seconds");
    QTest::addColumn<int>("status");
    QTest::newRow("4 minutes old") << -240 << 200;
    QTest::newRow("6 minutes old") << -360 << 401;
    QTest::newRow("4 minutes early") << 240 << 200;
    QTest::newRow("6 minutes early") << 360 << 401;
    QTest::newRow("30 days old") << -30 * 86400 << 401;
}

void TestHttpAccess::aStaleOrEarlySignatureIsRefused()
{
    QFETCH(int, seconds);
    QFETCH(int, status);
    QVERIFY(m->start());
    const SignedParts parts{"POST", "/v1/scheduler", contentDigest(asBytes("{}"))};
    const auto created = m->clock.wall() + std::chrono::seconds(seconds);
    const auto headers = signRequest(parts, HttpFixture::kHost, m->key, created, freshNonce());
    QCOMPARE(m->ask("POST", "/v1/scheduler", headers, "{}").status, status);
}

void TestHttpAccess::aTamperedBodyIsRefused()
{
    QVERIFY(m->start());
    const auto headers =
        m->signedBy(m->key, HttpFixture::kHost, "POST", "/v1/scheduler", R"({"a":1})");
    const auto answer = m->ask("POST", "/v1/scheduler", headers, R"({"a":2})");
    QCOMPARE(answer.status, 400);
    QCOMPARE(typeOf(answer), std::string("/problems/digest-mismatch"));
    auto swapped = m->signedBy(m->key, HttpFixture::kHost, "POST", "/v1/scheduler", R"({"a":1})");
    swapped["Content-Digest"] = contentDigest(asBytes(R"({"a":2})"));
    QCOMPARE(m->ask("POST", "/v1/scheduler", swapped, R"({"a":2})").status, 401);
}

void TestHttpAccess::anotherMethodOrPathIsRefused()
{
    QVERIFY(m->start());
    const auto headers = m->signedBy(m->key, HttpFixture::kHost, "POST", "/v1/scheduler", "{}");
    QCOMPARE(m->ask("POST", "/v1/other", headers, "{}").status, 401);
    QCOMPARE(m->ask("PUT", "/v1/scheduler", headers, "{}").status, 401);
    QCOMPARE(m->ask("POST", "/v1/scheduler", headers, "{}").status, 200);
}

void TestHttpAccess::theEncodedPathIsWhatIsSigned()
{
    QVERIFY(m->start());
    const auto headers = m->signedBy(m->key, HttpFixture::kHost, "GET", "/v1/mine/a%20b", "");
    QCOMPARE(m->ask("GET", "/v1/mine/a%20b?x=1", headers).status, 200);
}

void TestHttpAccess::theRefusalComesBeforeTheBody()
{
    QVERIFY(m->start());
    auto headers =
        m->signedBy(SigningKey::generate(), HttpFixture::kHost, "POST", "/v1/scheduler", "{}");
    headers["Content-Length"] = "1000000";
    auto connection = m->connect();
    connection.send(HttpFixture::text("POST", "/v1/scheduler", headers));
    QCOMPARE(connection.readAnswer().status, 401);
    QVERIFY(connection.closesWithin(5s));
}

void TestHttpAccess::aNewHostIsKnownByTheKeyItBrings()
{
    QVERIFY(m->start());
    const auto key = SigningKey::generate();
    const auto body = dumpJson({{"key", key.publicKey().base64()}});
    const auto headers = m->signedBy(key, "new", "POST", "/v1/hosts", body);
    const auto answer = m->ask("POST", "/v1/hosts", headers, body);
    QCOMPARE(answer.status, 200);
    QCOMPARE(answer.body, ":" + body);
}

void TestHttpAccess::aNewHostWithAnotherKeyIsRefused()
{
    QVERIFY(m->start());
    const auto body = dumpJson({{"key", SigningKey::generate().publicKey().base64()}});
    const auto headers = m->signedBy(SigningKey::generate(), "new", "POST", "/v1/hosts", body);
    QCOMPARE(m->ask("POST", "/v1/hosts", headers, body).status, 401);
    QCOMPARE(m->ask("POST", "/v1/hosts", {}, body).status, 401);
}

void TestHttpAccess::aNewHostsReplayIsRefused()
{
    QVERIFY(m->start());
    const auto key = SigningKey::generate();
    const auto body = dumpJson({{"key", key.publicKey().base64()}});
    const auto headers = m->signedBy(key, "new", "POST", "/v1/hosts", body);
    QCOMPARE(m->ask("POST", "/v1/hosts", headers, body).status, 200);
    QCOMPARE(m->ask("POST", "/v1/hosts", headers, body).status, 401);
}

void TestHttpAccess::aNewHostWithoutAKeyIsRefused_data()
{
    QTest::addColumn<QByteArray>("body");
    for (const char* body : {"", "[]", "{}", "not JSON", R"({"key":3})", R"({"key":"AAAA"})"})
        QTest::addRow("'%s'", body) << QByteArray(body);
}

void TestHttpAccess::aNewHostWithoutAKeyIsRefused()
{
    QFETCH(QByteArray, body);
    QVERIFY(m->start());
    const auto headers =
        m->signedBy(SigningKey::generate(), "new", "POST", "/v1/hosts", body.toStdString());
    QCOMPARE(m->ask("POST", "/v1/hosts", headers, body.toStdString()).status, 400);
}

void TestHttpAccess::theOperatorsTokenOpensAdminRoutes()
{
    HttpServerOptions options;
    options.adminToken = "correct horse";
    QVERIFY(m->start(options));
    const std::string path = "/v1/admin/pause";
    QCOMPARE(m->ask("POST", path, {{"Authorization", "Bearer correct horse"}}, "{}").status, 200);
    for (const char* wrong : {"Bearer correct hors", "Bearer correct horse2", "Bearer ", "Bearer",
                              "correct horse", "Basic correct horse"})
        QCOMPARE(m->ask("POST", path, {{"Authorization", wrong}}, "{}").status, 401);
    QCOMPARE(m->ask("POST", path, {}, "{}").status, 401);
}

void TestHttpAccess::withoutATokenThereAreNoAdminRoutes()
{
    QVERIFY(m->start());
    QCOMPARE(m->ask("POST", "/v1/admin/pause", {{"Authorization", "Bearer "}}, "{}").status, 404);
}

QTEST_GUILESS_MAIN(TestHttpAccess)
#include "tst_http_access.moc"
