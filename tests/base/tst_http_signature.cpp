#include "engine/base/http_signature.h"
#include "tests/base/result_checks.h"

#include <QTest>

#include <set>

using namespace commonweight;
using namespace std::chrono_literals;

namespace {

const WallTime kNow{1'800'000'000'500ms};
const SignedParts kParts{"POST", "/v1/scheduler", contentDigest(asBytes("{\"a\":1}"))};
const SigningKey kKey = SigningKey::fromSeed({1, 2, 3});

using Headers = std::map<std::string, std::string>;

Headers signedHeaders()
{
    return signRequest(kParts, "host-1", kKey, kNow, "00112233445566778899aabbccddeeff");
}

Result<void> check(const Headers& headers, const SignedParts& parts = kParts, WallTime now = kNow,
                   const PublicKey& key = kKey.publicKey())
{
    CW_TRY(const auto claim,
           parseSignature(headers.at("Signature-Input"), headers.at("Signature")));
    return verifyRequest(claim, parts, key, now);
}

const std::string kComponents = R"(("@method" "@path" "content-digest"))";
const std::string kParameters = R"(;created=1800000000;nonce="n";keyid="k";alg="ed25519")";
const std::string kGoodSignature = "sig1=:" + toBase64(Bytes(64)) + ":";

} // namespace

class TestHttpSignature : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theDigestIsThatOfTheStandard();
    void headersAreThoseOfTheStandard();
    void aSignedRequestIsAccepted();
    void theClaimNamesKeyNonceAndTime();
    void everyChangedPartIsDenied_data();
    void everyChangedPartIsDenied();
    void everyChangedParameterIsDenied_data();
    void everyChangedParameterIsDenied();
    void anotherKeyIsDenied();
    void aLineBreakInAPartIsDenied();
    void theClockMayDifferByFiveMinutes_data();
    void theClockMayDifferByFiveMinutes();
    void parametersMayComeInAnyOrder();
    void malformedHeadersAreRefused_data();
    void malformedHeadersAreRefused();
    void malformedSignaturesAreRefused_data();
    void malformedSignaturesAreRefused();
    void noncesDiffer();
};

void TestHttpSignature::theDigestIsThatOfTheStandard()
{
    // RFC 9530, appendix B.1 and the digest of nothing.
    QCOMPARE(contentDigest(asBytes("{\"hello\": \"world\"}\n")),
             std::string("sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:"));
    QCOMPARE(contentDigest({}),
             std::string("sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"));
}

void TestHttpSignature::headersAreThoseOfTheStandard()
{
    const auto headers = signedHeaders();
    QCOMPARE(headers.size(), std::size_t(3));
    QCOMPARE(headers.at("Content-Digest"), kParts.digest);
    const std::string parameters = kComponents +
                                   ";created=1800000000;nonce=\"00112233445566778899aabbccddeeff\";"
                                   "keyid=\"host-1\";alg=\"ed25519\"";
    QCOMPARE(headers.at("Signature-Input"), "sig1=" + parameters);
    // The signature base of RFC 9421 section 2.5, written out.
    const std::string base =
        "\"@method\": POST\n\"@path\": /v1/scheduler\n\"content-digest\": " + kParts.digest +
        "\n\"@signature-params\": " + parameters;
    QCOMPARE(headers.at("Signature"), "sig1=:" + toBase64(kKey.sign(asBytes(base))) + ":");
}

void TestHttpSignature::aSignedRequestIsAccepted()
{
    VERIFY_OK(check(signedHeaders()));
    const SignedParts empty{"GET", "/", contentDigest({})};
    VERIFY_OK(check(signRequest(empty, "h", kKey, kNow, freshNonce()), empty));
}

void TestHttpSignature::theClaimNamesKeyNonceAndTime()
{
    const auto headers = signedHeaders();
    const auto claim = parseSignature(headers.at("Signature-Input"), headers.at("Signature"));
    VERIFY_OK(claim);
    QCOMPARE(claim->keyId, std::string("host-1"));
    QCOMPARE(claim->nonce, std::string("00112233445566778899aabbccddeeff"));
    QVERIFY(claim->created == WallTime{1'800'000'000s});
}

void TestHttpSignature::everyChangedPartIsDenied_data()
{
    QTest::addColumn<QByteArray>("method");
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<QByteArray>("body");
    QTest::newRow("method") << QByteArray("GET") << QByteArray("/v1/scheduler")
                            << QByteArray("{\"a\":1}");
    QTest::newRow("case of the method")
        << QByteArray("post") << QByteArray("/v1/scheduler") << QByteArray("{\"a\":1}");
    QTest::newRow("path") << QByteArray("POST") << QByteArray("/v1/results")
                          << QByteArray("{\"a\":1}");
    QTest::newRow("end of the path")
        << QByteArray("POST") << QByteArray("/v1/scheduler/") << QByteArray("{\"a\":1}");
    QTest::newRow("body") << QByteArray("POST") << QByteArray("/v1/scheduler")
                          << QByteArray("{\"a\":2}");
    QTest::newRow("no body") << QByteArray("POST") << QByteArray("/v1/scheduler") << QByteArray();
}

void TestHttpSignature::everyChangedPartIsDenied()
{
    QFETCH(QByteArray, method);
    QFETCH(QByteArray, path);
    QFETCH(QByteArray, body);
    const SignedParts parts{method.toStdString(), path.toStdString(),
                            contentDigest(asBytes(body.toStdString()))};
    VERIFY_ERROR(check(signedHeaders(), parts), ErrorKind::Denied);
}

void TestHttpSignature::everyChangedParameterIsDenied_data()
{
    QTest::addColumn<QByteArray>("old");
    QTest::addColumn<QByteArray>("changed");
    QTest::newRow("created") << QByteArray("1800000000") << QByteArray("1800000001");
    QTest::newRow("nonce") << QByteArray("nonce=\"00") << QByteArray("nonce=\"01");
    QTest::newRow("keyid") << QByteArray("host-1") << QByteArray("host-2");
    QTest::newRow("order") << QByteArray(";keyid=\"host-1\";alg=\"ed25519\"")
                           << QByteArray(";alg=\"ed25519\";keyid=\"host-1\"");
}

void TestHttpSignature::everyChangedParameterIsDenied()
{
    QFETCH(QByteArray, old);
    QFETCH(QByteArray, changed);
    auto headers = signedHeaders();
    auto input = QByteArray::fromStdString(headers.at("Signature-Input"));
    QVERIFY(input.contains(old));
    headers["Signature-Input"] = input.replace(old, changed).toStdString();
    VERIFY_ERROR(check(headers), ErrorKind::Denied);
}

void TestHttpSignature::anotherKeyIsDenied()
{
    VERIFY_ERROR(check(signedHeaders(), kParts, kNow, SigningKey::generate().publicKey()),
                 ErrorKind::Denied);
}

void TestHttpSignature::aLineBreakInAPartIsDenied()
{
    // Signed by the key itself, so only the line break can be the reason.
    const SignedParts forged{"POST", "/a\n\"content-digest\": x", kParts.digest};
    const auto base = "\"@method\": POST\n\"@path\": " + forged.path +
                      "\n\"content-digest\": " + forged.digest +
                      "\n\"@signature-params\": " + kComponents + kParameters;
    const auto claim = parseSignature("sig1=" + kComponents + kParameters,
                                      "sig1=:" + toBase64(kKey.sign(asBytes(base))) + ":");
    VERIFY_OK(claim);
    VERIFY_ERROR(verifyRequest(*claim, forged, kKey.publicKey(), kNow), ErrorKind::Denied);
}

void TestHttpSignature::theClockMayDifferByFiveMinutes_data()
{
    QTest::addColumn<qint64>("milliseconds");
    QTest::addColumn<bool>("accepted");
    QTest::newRow("same") << qint64(0) << true;
    QTest::newRow("five minutes later") << qint64(299'500) << true;
    QTest::newRow("just too late") << qint64(299'501) << false;
    QTest::newRow("five minutes earlier") << qint64(-300'500) << true;
    QTest::newRow("just too early") << qint64(-300'501) << false;
    QTest::newRow("a month later") << qint64(30ll * 86'400'000) << false;
    QTest::newRow("a month earlier") << qint64(-30ll * 86'400'000) << false;
}

void TestHttpSignature::theClockMayDifferByFiveMinutes()
{
    QFETCH(qint64, milliseconds);
    QFETCH(bool, accepted);
    const auto result =
        check(signedHeaders(), kParts, kNow + std::chrono::milliseconds{milliseconds});
    QCOMPARE(result.ok(), accepted);
    if (!accepted) {
        VERIFY_ERROR(result, ErrorKind::Denied);
        QVERIFY(result.error().message.find("clock") != std::string::npos);
    }
}

void TestHttpSignature::parametersMayComeInAnyOrder()
{
    const std::string parameters =
        kComponents + R"(;alg="ed25519";keyid="k";nonce="n";created=1800000000)";
    const auto base =
        "\"@method\": POST\n\"@path\": /v1/scheduler\n\"content-digest\": " + kParts.digest +
        "\n\"@signature-params\": " + parameters;
    const auto claim =
        parseSignature("sig1=" + parameters, "sig1=:" + toBase64(kKey.sign(asBytes(base))) + ":");
    VERIFY_OK(claim);
    VERIFY_OK(verifyRequest(*claim, kParts, kKey.publicKey(), kNow));
}

void TestHttpSignature::malformedHeadersAreRefused_data()
{
    QTest::addColumn<QByteArray>("input");
    const auto row = [](const char* name, const std::string& input) {
        QTest::newRow(name) << QByteArray::fromStdString(input);
    };
    const auto parameters = [&](const char* name, const std::string& text) {
        row(name, "sig1=" + kComponents + text);
    };
    row("empty", "");
    row("another label", "sig2=" + kComponents + kParameters);
    row("no components", "sig1=()" + kParameters);
    row("no digest", R"(sig1=("@method" "@path"))" + kParameters);
    row("no path", R"(sig1=("@method" "content-digest"))" + kParameters);
    row("another order", R"(sig1=("@path" "@method" "content-digest"))" + kParameters);
    row("one more component", R"(sig1=("@method" "@path" "content-digest" "date"))" + kParameters);
    row("two signatures",
        "sig1=" + kComponents + kParameters + ", sig2=" + kComponents + kParameters);
    row("too long", "sig1=" + kComponents + kParameters + std::string(2000, ' '));
    parameters("no parameters", "");
    parameters("no created", R"(;nonce="n";keyid="k";alg="ed25519")");
    parameters("no nonce", R"(;created=1800000000;keyid="k";alg="ed25519")");
    parameters("no keyid", R"(;created=1800000000;nonce="n";alg="ed25519")");
    parameters("no alg", R"(;created=1800000000;nonce="n";keyid="k")");
    parameters("another alg", R"(;created=1800000000;nonce="n";keyid="k";alg="hmac-sha256")");
    parameters("nonce twice", kParameters + R"(;nonce="m")");
    parameters("unknown parameter", kParameters + ";expires=1800000000");
    parameters("created is text", R"(;created="1800000000";nonce="n";keyid="k";alg="ed25519")");
    parameters("created is negative", R"(;created=-5;nonce="n";keyid="k";alg="ed25519")");
    parameters("created is a fraction", R"(;created=1.5;nonce="n";keyid="k";alg="ed25519")");
    parameters("created is huge",
               R"(;created=999999999999999999;nonce="n";keyid="k";alg="ed25519")");
    parameters("created passes 64 bits",
               R"(;created=99999999999999999999999;nonce="n";keyid="k";alg="ed25519")");
    parameters("nonce is no text", R"(;created=1800000000;nonce=n;keyid="k";alg="ed25519")");
    parameters("nonce is empty", R"(;created=1800000000;nonce="";keyid="k";alg="ed25519")");
    parameters("nonce is long", ";created=1800000000;nonce=\"" + std::string(129, 'n') +
                                    R"(";keyid="k";alg="ed25519")");
    parameters("keyid has an escape", R"(;created=1800000000;nonce="n";keyid="k\"";alg="ed25519")");
    parameters("keyid has a line break",
               ";created=1800000000;nonce=\"n\";keyid=\"k\n\";alg=\"ed25519\"");
    parameters("keyid is not ASCII",
               ";created=1800000000;nonce=\"n\";keyid=\"\xc3\xa9\";alg=\"ed25519\"");
    parameters("open quote", R"(;created=1800000000;nonce="n";keyid="k";alg="ed25519)");
    parameters("no equals sign", ";created");
    parameters("no value", ";created=");
    parameters("no semicolon", R"(created=1800000000;nonce="n";keyid="k";alg="ed25519")");
    parameters("text after a quote", R"(;created=1800000000;nonce="n"x;keyid="k";alg="ed25519")");
}

void TestHttpSignature::malformedHeadersAreRefused()
{
    QFETCH(QByteArray, input);
    VERIFY_OK(parseSignature("sig1=" + kComponents + kParameters, kGoodSignature));
    VERIFY_ERROR(parseSignature(input.toStdString(), kGoodSignature), ErrorKind::Protocol);
}

void TestHttpSignature::malformedSignaturesAreRefused_data()
{
    QTest::addColumn<QByteArray>("signature");
    const QByteArray good = QByteArray(64, '\0').toBase64();
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("label only") << QByteArray("sig1=");
    QTest::newRow("one colon") << QByteArray("sig1=:");
    QTest::newRow("another label") << "sig2=:" + good + ":";
    QTest::newRow("no colons") << "sig1=" + good;
    QTest::newRow("not base64") << QByteArray("sig1=:?:");
    QTest::newRow("short") << "sig1=:" + QByteArray(63, '\0').toBase64() + ":";
    QTest::newRow("long") << "sig1=:" + QByteArray(65, '\0').toBase64() + ":";
    QTest::newRow("too long") << "sig1=:" + QByteArray(4000, '\0').toBase64() + ":";
}

void TestHttpSignature::malformedSignaturesAreRefused()
{
    QFETCH(QByteArray, signature);
    VERIFY_ERROR(parseSignature("sig1=" + kComponents + kParameters, signature.toStdString()),
                 ErrorKind::Protocol);
}

void TestHttpSignature::noncesDiffer()
{
    std::set<std::string> nonces;
    for (int i = 0; i < 100; ++i)
        nonces.insert(freshNonce());
    QCOMPARE(nonces.size(), std::size_t(100));
    QCOMPARE(nonces.begin()->size(), std::size_t(32));
    VERIFY_OK(fromHex(*nonces.begin()));
}

QTEST_GUILESS_MAIN(TestHttpSignature)
#include "tst_http_signature.moc"
