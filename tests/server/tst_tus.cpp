// Uploads against the published protocol, tus 1.0.0 (tus.io/protocols/resumable-upload): header by
// header.

#include "server/api/transfer_routes.h"
#include "tests/server/http_fixture.h"
#include "tests/server/small_disk.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace commonweight;
using namespace commonweight::server;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

const std::string kUploads = "/v1/uploads";
const std::string kContent = "The quick brown fox jumps over the lazy dog";

std::string metadataFor(const std::string& content)
{
    return "sha256 " + toBase64(asBytes(sha256(asBytes(content)).hex()));
}

std::string checksumOf(const std::string& content)
{
    return "sha256 " + toBase64(sha256(asBytes(content)).bytes);
}

} // namespace

class TestTus : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();

    // Core protocol
    void optionsSayWhatTheServerKnows();
    void optionsNeedNoSignatureAndNoVersion();
    void aWrongVersionIs412_data();
    void aWrongVersionIs412();
    void headTellsTheOffset();
    void headIsNeverCached();
    void headOfAnUnknownUploadIs404WithoutOffset();
    void patchMovesTheOffset();
    void patchAtAnotherOffsetIs409();
    void patchWithAnotherTypeIs415_data();
    void patchWithAnotherTypeIs415();
    void patchWithoutAnOffsetIs400_data();
    void patchWithoutAnOffsetIs400();
    void patchOfAnUnknownUploadIs404();
    void moreBytesThanTheLengthAre413();
    void everyAnswerNamesTheVersion();
    void theMethodCanBeOverridden();
    void otherMethodsAreRefused();

    // Creation, and creation with upload
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

    // Expiration and termination
    void uploadsExpire();
    void anUploadCanBeTerminated();

    // What becomes of it
    void aCompleteUploadIsABlob();
    void uploadsGoToTheSameBlob();
    void bytesThatDoNotFitThePromiseAreRemoved();
    void aLostAnswerDoesNoHarm();
    void aServerThatDiedBeforeTheBlobMakesItLater();
    void uploadsGoOnAfterARestart();

    // Who may
    void anUnsignedRequestIsRefused();
    void anotherHostsUploadIsNotThere();
    void aTamperedChunkIsNotKept();
    void aBrokenConnectionKeepsNothingOfASignedChunk();
    void aBrokenConnectionKeepsWhatNothingCovers();
    void aSecondWriterIsToldToWait();
    void aFullDiskIs507();

private:
    bool start(const TusOptions& options = {}, fs::path uploadFolder = {});
    RawAnswer ask(const std::string& method, const std::string& path, Headers headers,
                  const std::string& body = {})
    {
        headers.emplace("Tus-Resumable", "1.0.0");
        return m->askSigned(method, path, headers, body);
    }
    RawAnswer post(Headers headers, const std::string& body = {})
    {
        return ask("POST", kUploads, std::move(headers), body);
    }
    std::string created(const std::string& content = kContent)
    {
        return post({{"Upload-Length", std::to_string(content.size())},
                     {"Upload-Metadata", metadataFor(content)}})
            .header("location");
    }
    static Headers patchHeaders(std::size_t offset)
    {
        return {{"Upload-Offset", std::to_string(offset)},
                {"Content-Type", "application/offset+octet-stream"}};
    }
    RawAnswer patch(const std::string& location, std::size_t offset, const std::string& bytes)
    {
        return ask("PATCH", location, patchHeaders(offset), bytes);
    }
    std::string offsetOf(const std::string& location)
    {
        return ask("HEAD", location, {}).header("upload-offset");
    }
    int blobCount() const
    {
        int count = 0;
        (void)m_blobs->forEach(
            [&count](const Sha256&, std::uint64_t, fs::file_time_type) { ++count; });
        return count;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<BlobStore> m_blobs;
    std::unique_ptr<UploadStore> m_uploads;
    std::unique_ptr<HttpFixture> m;
};

void TestTus::init()
{
    m = nullptr;
    m_uploads = nullptr;
    m_folder = std::make_unique<QTemporaryDir>();
}

/// Also a restart: the folder stays.
bool TestTus::start(const TusOptions& options, fs::path uploadFolder)
{
    const fs::path folder = m_folder->path().toStdString();
    const auto key = m ? m->key : SigningKey::generate();
    m = nullptr;
    m_uploads = nullptr;
    m_blobs = std::move(*makeFolderBlobStore(folder / "blobs"));
    m_uploads =
        std::move(*makeFolderUploadStore(uploadFolder.empty() ? folder / "uploads" : uploadFolder));
    m = std::make_unique<HttpFixture>();
    m->key = key;
    addTusRoutes(m->router, *m_uploads, *m_blobs, options, m->clock);
    return m->start();
}

void TestTus::optionsSayWhatTheServerKnows()
{
    TusOptions options;
    options.maxBytes = 12345;
    QVERIFY(start(options));
    const auto answer = m->ask("OPTIONS", kUploads);
    QCOMPARE(answer.status, 204);
    QCOMPARE(answer.header("tus-resumable"), std::string("1.0.0"));
    QCOMPARE(answer.header("tus-version"), std::string("1.0.0"));
    QCOMPARE(answer.header("tus-max-size"), std::string("12345"));
    QCOMPARE(answer.header("tus-extension"),
             std::string("creation,creation-with-upload,checksum,expiration,termination"));
    QCOMPARE(answer.header("tus-checksum-algorithm"), std::string("sha256,sha1"));
    QCOMPARE(answer.header("access-control-allow-origin"), std::string("*"));
    QVERIFY(answer.header("access-control-allow-headers").find("Upload-Offset") !=
            std::string::npos);
    QVERIFY(answer.header("access-control-allow-methods").find("PATCH") != std::string::npos);
}

void TestTus::optionsNeedNoSignatureAndNoVersion()
{
    QVERIFY(start());
    QCOMPARE(m->ask("OPTIONS", created()).status, 204);
    QCOMPARE(m->ask("OPTIONS", kUploads, {{"Tus-Resumable", "0.2.2"}}).status, 204);
}

void TestTus::aWrongVersionIs412_data()
{
    QTest::addColumn<QByteArray>("method");
    for (const char* method : {"POST", "HEAD", "PATCH", "DELETE"})
        QTest::addRow("%s", method) << QByteArray(method);
}

void TestTus::aWrongVersionIs412()
{
    QFETCH(QByteArray, method);
    QVERIFY(start());
    const auto location = created();
    const auto path = method == "POST" ? kUploads : location;
    for (const char* version : {"0.2.2", "1.0", "1.0.1"}) {
        auto headers = patchHeaders(0);
        headers["Tus-Resumable"] = version;
        const auto answer = m->askSigned(method.toStdString(), path, headers);
        QCOMPARE(answer.status, 412);
        QCOMPARE(answer.header("tus-version"), std::string("1.0.0"));
        QVERIFY(answer.header("upload-offset").empty());
    }
    QCOMPARE(m->askSigned(method.toStdString(), path).status, 412);
    QCOMPARE(offsetOf(location), std::string("0"));
}

void TestTus::headTellsTheOffset()
{
    QVERIFY(start());
    const auto location = created();
    const auto fresh = ask("HEAD", location, {});
    QCOMPARE(fresh.status, 200);
    QCOMPARE(fresh.header("upload-offset"), std::string("0"));
    QCOMPARE(fresh.header("upload-length"), std::to_string(kContent.size()));
    QCOMPARE(patch(location, 0, kContent.substr(0, 10)).status, 204);
    QCOMPARE(offsetOf(location), std::string("10"));
}

void TestTus::headIsNeverCached()
{
    QVERIFY(start());
    QCOMPARE(ask("HEAD", created(), {}).header("cache-control"), std::string("no-store"));
    QCOMPARE(ask("HEAD", kUploads + "/" + std::string(32, '0'), {}).header("cache-control"),
             std::string("no-store"));
}

void TestTus::headOfAnUnknownUploadIs404WithoutOffset()
{
    QVERIFY(start());
    for (const auto& id : {std::string(32, '0'), std::string("x")}) {
        const auto answer = ask("HEAD", kUploads + "/" + id, {});
        QCOMPARE(answer.status, 404);
        QVERIFY(answer.header("upload-offset").empty());
    }
}

void TestTus::patchMovesTheOffset()
{
    QVERIFY(start());
    const auto location = created();
    const auto first = patch(location, 0, kContent.substr(0, 20));
    QCOMPARE(first.status, 204);
    QCOMPARE(first.header("upload-offset"), std::string("20"));
    QVERIFY(first.header("content-length").empty());
    const auto second = patch(location, 20, kContent.substr(20));
    QCOMPARE(second.status, 204);
    QCOMPARE(second.header("upload-offset"), std::to_string(kContent.size()));
}

void TestTus::patchAtAnotherOffsetIs409()
{
    QVERIFY(start());
    const auto location = created();
    QCOMPARE(patch(location, 0, kContent.substr(0, 20)).status, 204);
    for (const std::size_t offset : {0, 19, 21, 43, 1000})
        QCOMPARE(patch(location, offset, "x").status, 409);
    QCOMPARE(offsetOf(location), std::string("20"));
}

void TestTus::patchWithAnotherTypeIs415_data()
{
    QTest::addColumn<QByteArray>("type");
    for (const char* type : {"", "application/octet-stream", "text/plain"})
        QTest::addRow("'%s'", type) << QByteArray(type);
}

void TestTus::patchWithAnotherTypeIs415()
{
    QFETCH(QByteArray, type);
    QVERIFY(start());
    const auto location = created();
    auto headers = patchHeaders(0);
    headers["Content-Type"] = type.toStdString();
    QCOMPARE(ask("PATCH", location, headers, kContent).status, 415);
    headers.erase("Content-Type");
    QCOMPARE(ask("PATCH", location, headers, kContent).status, 415);
    QCOMPARE(offsetOf(location), std::string("0"));
}

void TestTus::patchWithoutAnOffsetIs400_data()
{
    QTest::addColumn<QByteArray>("offset");
    for (const char* offset : {"", "-1", "abc", "1.5", "0x1", "99999999999999999999"})
        QTest::addRow("'%s'", offset) << QByteArray(offset);
}

void TestTus::patchWithoutAnOffsetIs400()
{
    QFETCH(QByteArray, offset);
    QVERIFY(start());
    auto headers = patchHeaders(0);
    headers["Upload-Offset"] = offset.toStdString();
    QCOMPARE(ask("PATCH", created(), headers, kContent).status, 400);
}

void TestTus::patchOfAnUnknownUploadIs404()
{
    QVERIFY(start());
    QCOMPARE(patch(kUploads + "/" + std::string(32, '0'), 0, "x").status, 404);
}

void TestTus::moreBytesThanTheLengthAre413()
{
    QVERIFY(start());
    const auto location = created();
    QCOMPARE(patch(location, 0, kContent + "!").status, 413);
    // Without a length ahead it shows only on the way.
    auto headers = patchHeaders(0);
    headers["Tus-Resumable"] = "1.0.0";
    headers["Transfer-Encoding"] = "chunked";
    headers = m->signedBy(m->key, HttpFixture::kHost, "PATCH", location, kContent + "!", headers);
    const auto answer = m->ask("PATCH", location, headers, "2c\r\n" + kContent + "!\r\n0\r\n\r\n");
    QCOMPARE(answer.status, 400);
    QCOMPARE(answer.header("tus-resumable"), std::string("1.0.0"));
    QCOMPARE(offsetOf(location), std::string("0"));
}

void TestTus::everyAnswerNamesTheVersion()
{
    QVERIFY(start());
    const auto location = created();
    const auto unknown = kUploads + "/" + std::string(32, '0');
    const RawAnswer answers[] = {
        post({}),
        post({{"Upload-Length", "5"}, {"Upload-Metadata", metadataFor("hello")}}),
        ask("HEAD", location, {}),
        ask("HEAD", unknown, {}),
        patch(location, 5, "x"),
        patch(location, 0, kContent),
        patch(unknown, 0, "x"),
        ask("DELETE", location, {}),
        ask("DELETE", location, {})};
    for (const auto& answer : answers) {
        QVERIFY(answer.status > 0);
        QCOMPARE(answer.header("tus-resumable"), std::string("1.0.0"));
    }
}

void TestTus::theMethodCanBeOverridden()
{
    QVERIFY(start());
    const auto location = created();
    auto headers = patchHeaders(0);
    headers["X-HTTP-Method-Override"] = "PATCH";
    QCOMPARE(ask("POST", location, headers, kContent.substr(0, 7)).status, 204);
    const auto described = ask("POST", location, {{"X-HTTP-Method-Override", "HEAD"}});
    QCOMPARE(described.header("upload-offset"), std::string("7"));
    QCOMPARE(ask("POST", location, {{"X-HTTP-Method-Override", "DELETE"}}).status, 204);
    QCOMPARE(ask("HEAD", location, {}).status, 404);
}

void TestTus::otherMethodsAreRefused()
{
    QVERIFY(start());
    const auto location = created();
    for (const char* method : {"GET", "PUT"}) {
        const auto answer = ask(method, location, {});
        QCOMPARE(answer.status, 405);
        QCOMPARE(answer.header("allow"), std::string("DELETE, HEAD, OPTIONS, PATCH, POST"));
    }
    QCOMPARE(ask("POST", location, {}).status, 405);
    QCOMPARE(ask("POST", kUploads, {{"X-HTTP-Method-Override", "PUT"}}).status, 405);
}

void TestTus::creationAnswersWithALocation()
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

void TestTus::creationWithoutALengthIs400_data()
{
    QTest::addColumn<QByteArray>("length");
    for (const char* length : {"", "-1", "abc", "1e3", "18446744073709551616"})
        QTest::addRow("'%s'", length) << QByteArray(length);
}

void TestTus::creationWithoutALengthIs400()
{
    QFETCH(QByteArray, length);
    QVERIFY(start());
    QCOMPARE(post({{"Upload-Length", length.toStdString()}, {"Upload-Metadata", metadataFor("x")}})
                 .status,
             400);
    QCOMPARE(post({{"Upload-Defer-Length", "1"}, {"Upload-Metadata", metadataFor("x")}}).status,
             400);
}

void TestTus::aTooLongUploadIs413()
{
    TusOptions options;
    options.maxBytes = 1000;
    QVERIFY(start(options));
    QCOMPARE(post({{"Upload-Length", "1001"}, {"Upload-Metadata", metadataFor("x")}}).status, 413);
    QCOMPARE(post({{"Upload-Length", "1000"}, {"Upload-Metadata", metadataFor("x")}}).status, 201);
}

void TestTus::metadataMustPromiseAHash_data()
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

void TestTus::metadataMustPromiseAHash()
{
    QFETCH(QByteArray, metadata);
    QVERIFY(start());
    QCOMPARE(post({{"Upload-Length", "5"}, {"Upload-Metadata", metadata.toStdString()}}).status,
             400);
}

void TestTus::metadataComeBackAsTheyWere()
{
    QVERIFY(start());
    const auto metadata = "filename ZGVm, " + metadataFor("hello") + ",is_confidential";
    const auto location =
        post({{"Upload-Length", "5"}, {"Upload-Metadata", metadata}}).header("location");
    QCOMPARE(ask("HEAD", location, {}).header("upload-metadata"), metadata);
}

void TestTus::anEmptyUploadIsCompleteAtOnce()
{
    QVERIFY(start());
    const auto answer = post({{"Upload-Length", "0"}, {"Upload-Metadata", metadataFor("")}});
    QCOMPARE(answer.status, 201);
    QCOMPARE(offsetOf(answer.header("location")), std::string("0"));
    QVERIFY(m_blobs->size(sha256({})).ok());
    QCOMPARE(post({{"Upload-Length", "0"}, {"Upload-Metadata", metadataFor("x")}}).status, 460);
}

void TestTus::creationMayBringTheFirstBytes()
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

void TestTus::aQuotaBoundsUnfinishedUploads()
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

void TestTus::aFittingChecksumIsAccepted_data()
{
    QTest::addColumn<QByteArray>("checksum");
    QTest::newRow("sha256") << QByteArray::fromStdString(checksumOf("hello world"));
    QTest::newRow("sha1, which the protocol demands")
        << QByteArray("sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=");
}

void TestTus::aFittingChecksumIsAccepted()
{
    QFETCH(QByteArray, checksum);
    QVERIFY(start());
    const auto location = created("hello world");
    auto headers = patchHeaders(0);
    headers["Upload-Checksum"] = checksum.toStdString();
    QCOMPARE(ask("PATCH", location, headers, "hello world").status, 204);
    QVERIFY(m_blobs->size(sha256(asBytes("hello world"))).ok());
}

void TestTus::aWrongChecksumIs460AndKeepsNothing()
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

void TestTus::anUnusableChecksumIs400_data()
{
    QTest::addColumn<QByteArray>("checksum");
    for (const char* checksum : {"md5 1B2M2Y8AsgTpgAmY7PhCfg==", "sha256", "sha256 ", "sha256 !!!",
                                 "sha256 AAAA", "SHA256 AAAA", "crc32 AAAA"})
        QTest::addRow("%s", checksum) << QByteArray(checksum);
}

void TestTus::anUnusableChecksumIs400()
{
    QFETCH(QByteArray, checksum);
    QVERIFY(start());
    const auto location = created();
    auto headers = patchHeaders(0);
    headers["Upload-Checksum"] = checksum.toStdString();
    QCOMPARE(ask("PATCH", location, headers, kContent).status, 400);
    QCOMPARE(offsetOf(location), std::string("0"));
}

void TestTus::uploadsExpire()
{
    QVERIFY(start());
    const auto answer = post({{"Upload-Length", "5"}, {"Upload-Metadata", metadataFor("hello")}});
    QCOMPARE(answer.header("upload-expires"), std::string("Mon, 18 Jan 2027 08:00:00 GMT"));
    const auto location = answer.header("location");
    QCOMPARE(patch(location, 0, "he").header("upload-expires"),
             std::string("Mon, 18 Jan 2027 08:00:00 GMT"));
    m->clock.advance(std::chrono::hours(71));
    QCOMPARE(offsetOf(location), std::string("2"));
    m->clock.advance(std::chrono::hours(1));
    const auto expired = ask("HEAD", location, {});
    QCOMPARE(expired.status, 410);
    QVERIFY(expired.header("upload-offset").empty());
    QCOMPARE(patch(location, 2, "llo").status, 410);
    QVERIFY(post({{"Upload-Length", "5"}, {"Upload-Metadata", metadataFor("hello")}}).status ==
            201);
    QCOMPARE(ask("HEAD", location, {}).status, 404);
}

void TestTus::anUploadCanBeTerminated()
{
    QVERIFY(start());
    const auto location = created();
    QCOMPARE(patch(location, 0, "The").status, 204);
    QCOMPARE(ask("DELETE", location, {}).status, 204);
    QCOMPARE(ask("HEAD", location, {}).status, 404);
    QCOMPARE(patch(location, 3, " quick").status, 404);
    QCOMPARE(ask("DELETE", location, {}).status, 404);
    QVERIFY(fs::is_empty(fs::path(m_folder->path().toStdString()) / "uploads"));
}

void TestTus::aCompleteUploadIsABlob()
{
    QVERIFY(start());
    const auto location = created();
    for (std::size_t i = 0; i < kContent.size(); ++i) {
        QCOMPARE(m_blobs->size(sha256(asBytes(kContent))).ok(), false);
        QCOMPARE(patch(location, i, kContent.substr(i, 1)).status, 204);
    }
    QCOMPARE(asText(*m_blobs->get(sha256(asBytes(kContent)), 1000)), std::string_view(kContent));
    QCOMPARE(offsetOf(location), std::to_string(kContent.size()));
}

void TestTus::uploadsGoToTheSameBlob()
{
    QVERIFY(start());
    const auto first = created(), second = created();
    QCOMPARE(patch(first, 0, kContent).status, 204);
    QCOMPARE(patch(second, 0, kContent).status, 204);
    QCOMPARE(blobCount(), 1);
    QCOMPARE(offsetOf(first), offsetOf(second));
}

void TestTus::bytesThatDoNotFitThePromiseAreRemoved()
{
    QVERIFY(start());
    const auto location = created();
    auto wrong = kContent;
    wrong[7] ^= 1;
    QCOMPARE(patch(location, 0, wrong).status, 460);
    QCOMPARE(ask("HEAD", location, {}).status, 404);
    QCOMPARE(blobCount(), 0);
}

void TestTus::aLostAnswerDoesNoHarm()
{
    QVERIFY(start());
    const auto location = created();
    QCOMPARE(patch(location, 0, kContent).status, 204);
    // The client never saw the answer: it sends the same again, then asks.
    QCOMPARE(patch(location, 0, kContent).status, 409);
    QCOMPARE(offsetOf(location), std::to_string(kContent.size()));
    QCOMPARE(patch(location, kContent.size(), "").status, 204);
    QCOMPARE(blobCount(), 1);
}

void TestTus::aServerThatDiedBeforeTheBlobMakesItLater()
{
    QVERIFY(start());
    const auto location = created();
    const auto id = location.substr(kUploads.size() + 1);
    {
        const auto chunk = std::move(*m_uploads->beginChunk(id, 0));
        QVERIFY(chunk->write(asBytes(kContent)).ok());
        QVERIFY(chunk->commit().ok());
    }
    QVERIFY(start());
    QCOMPARE(blobCount(), 0);
    QCOMPARE(offsetOf(location), std::to_string(kContent.size()));
    QCOMPARE(blobCount(), 1);

    const auto other = created("what was promised");
    {
        const auto chunk = std::move(*m_uploads->beginChunk(other.substr(kUploads.size() + 1), 0));
        QVERIFY(chunk->write(asBytes("what really came!")).ok());
        QVERIFY(chunk->commit().ok());
    }
    QCOMPARE(ask("HEAD", other, {}).status, 410);
    QCOMPARE(blobCount(), 1);
}

void TestTus::uploadsGoOnAfterARestart()
{
    QVERIFY(start());
    const auto location = created();
    QCOMPARE(patch(location, 0, kContent.substr(0, 12)).status, 204);
    QVERIFY(start());
    QCOMPARE(offsetOf(location), std::string("12"));
    QCOMPARE(patch(location, 12, kContent.substr(12)).status, 204);
    QCOMPARE(blobCount(), 1);
}

void TestTus::anUnsignedRequestIsRefused()
{
    QVERIFY(start());
    const auto location = created();
    const Headers version{{"Tus-Resumable", "1.0.0"}};
    QCOMPARE(m->ask("POST", kUploads, version).status, 401);
    QCOMPARE(m->ask("HEAD", location, version).status, 401);
    QCOMPARE(m->ask("PATCH", location, version, "x").status, 401);
    QCOMPARE(m->ask("DELETE", location, version).status, 401);
}

void TestTus::anotherHostsUploadIsNotThere()
{
    QVERIFY(start());
    const auto location = created();
    const auto other = SigningKey::generate();
    m->hosts.add("host-2", other.publicKey());
    for (const char* method : {"HEAD", "PATCH", "DELETE"}) {
        auto headers = patchHeaders(0);
        headers["Tus-Resumable"] = "1.0.0";
        headers = m->signedBy(other, "host-2", method, location, "", headers);
        QCOMPARE(m->ask(method, location, headers).status, 404);
    }
    QCOMPARE(offsetOf(location), std::string("0"));
}

void TestTus::aTamperedChunkIsNotKept()
{
    QVERIFY(start());
    const auto location = created();
    auto headers = patchHeaders(0);
    headers["Tus-Resumable"] = "1.0.0";
    headers = m->signedBy(m->key, HttpFixture::kHost, "PATCH", location, "The quick", headers);
    const auto answer = m->ask("PATCH", location, headers, "The quack");
    QCOMPARE(answer.status, 400);
    QCOMPARE(answer.header("tus-resumable"), std::string("1.0.0"));
    QCOMPARE(offsetOf(location), std::string("0"));
}

void TestTus::aBrokenConnectionKeepsNothingOfASignedChunk()
{
    QVERIFY(start());
    const auto location = created();
    auto headers = patchHeaders(0);
    headers["Tus-Resumable"] = "1.0.0";
    headers["Content-Length"] = std::to_string(kContent.size());
    headers = m->signedBy(m->key, HttpFixture::kHost, "PATCH", location, kContent, headers);
    auto connection = m->connect();
    connection.send(HttpFixture::text("PATCH", location, headers, kContent.substr(0, 10)));
    connection.shutdownSend();
    QVERIFY(connection.closesWithin(5s));
    // The server may notice a little later; then it has nothing of the chunk.
    QTRY_VERIFY(m_uploads->beginChunk(location.substr(kUploads.size() + 1), 0).ok());
    QCOMPARE(offsetOf(location), std::string("0"));
    QCOMPARE(patch(location, 0, "The").status, 204);
}

void TestTus::aBrokenConnectionKeepsWhatNothingCovers()
{
    TusOptions options;
    options.access = Access::Anyone;
    QVERIFY(start(options));
    const Headers version{{"Tus-Resumable", "1.0.0"}};
    auto creation = version;
    creation["Upload-Length"] = std::to_string(kContent.size());
    creation["Upload-Metadata"] = metadataFor(kContent);
    const auto location = m->ask("POST", kUploads, creation).header("location");
    auto headers = patchHeaders(0);
    headers.insert(version.begin(), version.end());
    headers["Content-Length"] = std::to_string(kContent.size());
    auto connection = m->connect();
    connection.send(HttpFixture::text("PATCH", location, headers, kContent.substr(0, 10)));
    connection.shutdownSend();
    QVERIFY(connection.closesWithin(5s));
    QTRY_COMPARE(m->ask("HEAD", location, version).header("upload-offset"), std::string("10"));
}

void TestTus::aSecondWriterIsToldToWait()
{
    QVERIFY(start());
    const auto location = created();
    const auto id = location.substr(kUploads.size() + 1);
    auto chunk = std::move(*m_uploads->beginChunk(id, 0));
    const auto answer = patch(location, 0, kContent);
    QCOMPARE(answer.status, 423);
    QVERIFY(!answer.header("retry-after").empty());
    QCOMPARE(ask("DELETE", location, {}).status, 423);
    chunk.reset();
    QCOMPARE(patch(location, 0, kContent).status, 204);
}

void TestTus::aFullDiskIs507()
{
    const SmallDisk disk(1024);
    if (!disk.isMounted())
        QSKIP("mounting a tmpfs is not allowed here");
    QVERIFY(start({}, disk.folder()));
    const std::string content(800 << 10, 'x');
    QCOMPARE(post({{"Upload-Length", "2000000"}, {"Upload-Metadata", metadataFor("x")}}).status,
             507);
    const auto location = created(content);
    QCOMPARE(patch(location, 0, content.substr(0, 100)).status, 204);
    std::ofstream(disk.folder() / "other") << std::string(600 << 10, 'y');
    const auto full = patch(location, 100, content.substr(100));
    QCOMPARE(full.status, 507);
    QCOMPARE(full.header("tus-resumable"), std::string("1.0.0"));
    QVERIFY(full.body.find(disk.folder().string()) == std::string::npos);
    QCOMPARE(offsetOf(location), std::string("100"));
    fs::remove(disk.folder() / "other");
    QCOMPARE(patch(location, 100, content.substr(100)).status, 204);
    QCOMPARE(blobCount(), 1);
    m = nullptr;
    m_uploads = nullptr;
}

QTEST_GUILESS_MAIN(TestTus)
#include "tst_tus.moc"
