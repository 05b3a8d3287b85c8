// The tus extensions creation, creation with upload, and checksum.

#include "tests/server/tus_fixture.h"

#include <QTest>

using namespace commonweight;
using namespace commonweight::server;
using namespace std::chrono_literals;

class TestTusCreation : public QObject, protected TusFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { reset(); }

    void creationAnswersWithALocation();
    void creationWithoutALengthIs400_data();
    void creationWithoutALengthIs400();
    void aTooLongUploadIs413();
    void metadataMustPromiseAHash_data();
    void metadataMustPromiseAHash();
    void metadataComeBackAsTheyWere();
    void anEmptyUploadIsCompleteAtOnce();
    void creationMayBringTheFirstBytes();
    void aQuotaBoundsUnfinishedUploads();

    // Checksum
    void aFittingChecksumIsAccepted_data();
    void aFittingChecksumIsAccepted();
    void aWrongChecksumIs460AndKeepsNothing();
    void anUnusableChecksumIs400_data();
    void anUnusableChecksumIs400();
};

void TestTusCreation::creationAnswersWithALocation()
{
    QVERIFY(start());
    const auto answer = post({{"Upload-Length", "5"}, {"Upload-Metadata", metadataFor("hello")}});
    QCOMPARE(answer.status, 201);
    QVERIFY(answer.header("location").starts_with("/v1/uploads/"));
    QCOMPARE(answer.header("location").size(), std::size_t(12 + 32));
    QVERIFY(answer.header("access-control-expose-headers").find("Location") != std::string::npos);
    QVERIFY(answer.body.empty());
    QVERIFY(answer.header("location") != created());
}

void TestTusCreation::creationWithoutALengthIs400_data()
{
    QTest::addColumn<QByteArray>("length");
    for (const char* length : {"", "-1", "abc", "1e3", "18446744073709551616"})
        QTest::addRow("'%s'", length) << QByteArray(length);
}

void TestTusCreation::creationWithoutALengthIs400()
{
    QFETCH(QByteArray, length);
    QVERIFY(start());
    QCOMPARE(post({{"Upload-Length", length.toStdString()}, {"Upload-Metadata", metadataFor("x")}})
                 .status,
             400);
    QCOMPARE(post({{"Upload-Defer-Length", "1"}, {"Upload-Metadata", metadataFor("x")}}).status,
             400);
}

void TestTusCreation::aTooLongUploadIs413()
{
    TusOptions options;
    options.maxBytes = 1000;
    QVERIFY(start(options));
    QCOMPARE(post({{"Upload-Length", "1001"}, {"Upload-Metadata", metadataFor("x")}}).status, 413);
    QCOMPARE(post({{"Upload-Length", "1000"}, {"Upload-Metadata", metadataFor("x")}}).status, 201);
}

void TestTusCreation::metadataMustPromiseAHash_data()
{
    QTest::addColumn<QByteArray>("metadata");
    const auto hex = QByteArray::fromStdString(sha256(asBytes("x")).hex());
    QTest::newRow("none") << QByteArray();
    QTest::newRow("another key") << QByteArray("filename ZGVm");
    QTest::newRow("no value") << QByteArray("sha256");
    QTest::newRow("not base64") << "sha256 " + hex.left(63) + "!";
    QTest::newRow("not a hash") << QByteArray("sha256 ZGVm");
    QTest::newRow("upper case") << "sha256 " + hex.toUpper().toBase64();
    QTest::newRow("twice") << "sha256 " + hex.toBase64() + ",sha256 " + hex.toBase64();
    QTest::newRow("too long") << "sha256 " + hex.toBase64() + ",filename " + QByteArray(5000, 'A');
}

void TestTusCreation::metadataMustPromiseAHash()
{
    QFETCH(QByteArray, metadata);
    QVERIFY(start());
    QCOMPARE(post({{"Upload-Length", "5"}, {"Upload-Metadata", metadata.toStdString()}}).status,
             400);
}

void TestTusCreation::metadataComeBackAsTheyWere()
{
    QVERIFY(start());
    const auto metadata = "filename ZGVm, " + metadataFor("hello") + ",is_confidential";
    const auto location =
        post({{"Upload-Length", "5"}, {"Upload-Metadata", metadata}}).header("location");
    QCOMPARE(ask("HEAD", location, {}).header("upload-metadata"), metadata);
}

void TestTusCreation::anEmptyUploadIsCompleteAtOnce()
{
    QVERIFY(start());
    const auto answer = post({{"Upload-Length", "0"}, {"Upload-Metadata", metadataFor("")}});
    QCOMPARE(answer.status, 201);
    QCOMPARE(offsetOf(answer.header("location")), std::string("0"));
    QVERIFY(m_blobs->size(sha256({})).ok());
    QCOMPARE(post({{"Upload-Length", "0"}, {"Upload-Metadata", metadataFor("x")}}).status, 460);
}

void TestTusCreation::creationMayBringTheFirstBytes()
{
    QVERIFY(start());
    Headers headers{{"Upload-Length", std::to_string(kContent.size())},
                    {"Upload-Metadata", metadataFor(kContent)},
                    {"Content-Type", "application/offset+octet-stream"}};
    const auto part = post(headers, kContent.substr(0, 9));
    QCOMPARE(part.status, 201);
    QCOMPARE(part.header("upload-offset"), std::string("9"));
    QCOMPARE(patch(part.header("location"), 9, kContent.substr(9)).status, 204);
    QCOMPARE(blobCount(), 1);
    const auto whole = post(headers, kContent);
    QCOMPARE(whole.status, 201);
    QCOMPARE(whole.header("upload-offset"), std::to_string(kContent.size()));
    QCOMPARE(blobCount(), 1);
}

void TestTusCreation::aQuotaBoundsUnfinishedUploads()
{
    TusOptions options;
    options.bytesPerHost = 300'000;
    QVERIFY(start(options));
    const Headers headers{{"Upload-Length", "100000"}, {"Upload-Metadata", metadataFor("x")}};
    const auto first = post(headers);
    QCOMPARE(first.status, 201);
    const auto refused = post({{"Upload-Length", "200000"}, {"Upload-Metadata", metadataFor("x")}});
    QCOMPARE(refused.status, 507);
    QCOMPARE(ask("DELETE", first.header("location"), {}).status, 204);
    QCOMPARE(post({{"Upload-Length", "200000"}, {"Upload-Metadata", metadataFor("x")}}).status,
             201);
    QCOMPARE(post(headers).status, 507);
    m->clock.advance(std::chrono::hours(24 * 4));
    QCOMPARE(post(headers).status, 201);
}

void TestTusCreation::aFittingChecksumIsAccepted_data()
{
    QTest::addColumn<QByteArray>("checksum");
    QTest::newRow("sha256") << QByteArray::fromStdString(checksumOf("hello world"));
    QTest::newRow("sha1, which the protocol demands")
        << QByteArray("sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=");
}

void TestTusCreation::aFittingChecksumIsAccepted()
{
    QFETCH(QByteArray, checksum);
    QVERIFY(start());
    const auto location = created("hello world");
    auto headers = patchHeaders(0);
    headers["Upload-Checksum"] = checksum.toStdString();
    QCOMPARE(ask("PATCH", location, headers, "hello world").status, 204);
    QVERIFY(m_blobs->size(sha256(asBytes("hello world"))).ok());
}

void TestTusCreation::aWrongChecksumIs460AndKeepsNothing()
{
    QVERIFY(start());
    const auto location = created();
    auto headers = patchHeaders(0);
    headers["Upload-Checksum"] = checksumOf("something else");
    QCOMPARE(ask("PATCH", location, headers, kContent.substr(0, 10)).status, 460);
    QCOMPARE(offsetOf(location), std::string("0"));
    headers["Upload-Checksum"] = checksumOf(kContent.substr(0, 10));
    QCOMPARE(ask("PATCH", location, headers, kContent.substr(0, 10)).status, 204);
    QCOMPARE(offsetOf(location), std::string("10"));
}

void TestTusCreation::anUnusableChecksumIs400_data()
{
    QTest::addColumn<QByteArray>("checksum");
    for (const char* checksum : {"md5 1B2M2Y8AsgTpgAmY7PhCfg==", "sha256", "sha256 ", "sha256 !!!",
                                 "sha256 AAAA", "SHA256 AAAA", "crc32 AAAA"})
        QTest::addRow("%s", checksum) << QByteArray(checksum);
}

void TestTusCreation::anUnusableChecksumIs400()
{
    QFETCH(QByteArray, checksum);
    QVERIFY(start());
    const auto location = created();
    auto headers = patchHeaders(0);
    headers["Upload-Checksum"] = checksum.toStdString();
    QCOMPARE(ask("PATCH", location, headers, kContent).status, 400);
    QCOMPARE(offsetOf(location), std::string("0"));
}

QTEST_GUILESS_MAIN(TestTusCreation)
#include "tst_tus_creation.moc"
