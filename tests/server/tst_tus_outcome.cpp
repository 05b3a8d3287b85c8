// Uploads that expire, are given up, or become blobs; and who may send them.

#include "tests/server/small_disk.h"
#include "tests/server/tus_fixture.h"

#include <QTest>

#include <fstream>

using namespace commonweight;
using namespace commonweight::server;
using namespace std::chrono_literals;

class TestTusOutcome : public QObject, protected TusFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { reset(); }

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
};

void TestTusOutcome::uploadsExpire()
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

void TestTusOutcome::anUploadCanBeTerminated()
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

void TestTusOutcome::aCompleteUploadIsABlob()
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

void TestTusOutcome::uploadsGoToTheSameBlob()
{
    QVERIFY(start());
    const auto first = created(), second = created();
    QCOMPARE(patch(first, 0, kContent).status, 204);
    QCOMPARE(patch(second, 0, kContent).status, 204);
    QCOMPARE(blobCount(), 1);
    QCOMPARE(offsetOf(first), offsetOf(second));
}

void TestTusOutcome::bytesThatDoNotFitThePromiseAreRemoved()
{
    QVERIFY(start());
    const auto location = created();
    auto wrong = kContent;
    wrong[7] ^= 1;
    QCOMPARE(patch(location, 0, wrong).status, 460);
    QCOMPARE(ask("HEAD", location, {}).status, 404);
    QCOMPARE(blobCount(), 0);
}

void TestTusOutcome::aLostAnswerDoesNoHarm()
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

void TestTusOutcome::aServerThatDiedBeforeTheBlobMakesItLater()
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

void TestTusOutcome::uploadsGoOnAfterARestart()
{
    QVERIFY(start());
    const auto location = created();
    QCOMPARE(patch(location, 0, kContent.substr(0, 12)).status, 204);
    QVERIFY(start());
    QCOMPARE(offsetOf(location), std::string("12"));
    QCOMPARE(patch(location, 12, kContent.substr(12)).status, 204);
    QCOMPARE(blobCount(), 1);
}

void TestTusOutcome::anUnsignedRequestIsRefused()
{
    QVERIFY(start());
    const auto location = created();
    const Headers version{{"Tus-Resumable", "1.0.0"}};
    QCOMPARE(m->ask("POST", kUploads, version).status, 401);
    QCOMPARE(m->ask("HEAD", location, version).status, 401);
    QCOMPARE(m->ask("PATCH", location, version, "x").status, 401);
    QCOMPARE(m->ask("DELETE", location, version).status, 401);
}

void TestTusOutcome::anotherHostsUploadIsNotThere()
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

void TestTusOutcome::aTamperedChunkIsNotKept()
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

void TestTusOutcome::aBrokenConnectionKeepsNothingOfASignedChunk()
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

void TestTusOutcome::aBrokenConnectionKeepsWhatNothingCovers()
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

void TestTusOutcome::aSecondWriterIsToldToWait()
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

void TestTusOutcome::aFullDiskIs507()
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

QTEST_GUILESS_MAIN(TestTusOutcome)
#include "tst_tus_outcome.moc"
