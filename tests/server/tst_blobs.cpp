// The folder stores: blobs by their hash, and unfinished uploads with their durable offset.

#include "server/blobs/blob_store.h"
#include "server/blobs/upload_store.h"
#include "tests/server/small_disk.h"
#include "tests/support/kind_of.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace commonweight;
using namespace commonweight::server;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

constexpr WallTime kLater{std::chrono::seconds{2'000'000'000}};

std::string contentOf(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void writeTo(const fs::path& path, const std::string& text)
{
    std::ofstream(path, std::ios::binary) << text;
}

/// Sends all of the text in one chunk.
Result<Upload> append(UploadStore& store, const std::string& id, std::uint64_t offset,
                      const std::string& text)
{
    CW_TRY(const auto chunk, store.beginChunk(id, offset));
    CW_CHECK(chunk->write(asBytes(text)));
    return chunk->commit();
}

} // namespace

class TestBlobs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();

    void whatIsPutCanBeGot();
    void puttingTwiceKeepsOneFile();
    void aChangedBlobIsCorrupt();
    void tooLargeABlobIsRefused();
    void aMissingBlobIsNotFound();
    void anAdoptedFileBecomesTheBlob();
    void adoptingWhatIsThereRemovesTheFile();
    void aFileOfAnotherVolumeIsAdopted();
    void removingIsIdempotent();
    void everyBlobIsVisitedOnce();
    void leftoversAreSweptAtTheStart();
    void manyThreadsPutTheSameBlob();
    void aFullDiskIsSaidAndLeavesNothing();

    void anUploadGrowsChunkByChunk();
    void anUncommittedChunkNeverCame();
    void aSecondWriterIsAConflict();
    void aWrongOffsetIsAConflict();
    void moreBytesThanPromisedAreRefused();
    void uploadsSurviveARestart();
    void uploadsSurviveAKill();
    void aTornTailIsCutOffAtTheStart();
    void lostDataGiveTheUploadUp();
    void anUnreadableRecordGivesTheUploadUp();
    void aDeathBetweenAdoptingAndRecordIsAFinishedUpload();
    void finishedUploadsAreRememberedWithoutTheirData();
    void onlyCompleteUploadsHaveADataFile();
    void expiredUploadsGo();
    void anUploadBeingWrittenDoesNotExpire();
    void aRemovedUploadCannotBeCommitted();
    void bytesAreCountedForEachHost();
    void idsCannotLeadOutOfTheFolder_data();
    void idsCannotLeadOutOfTheFolder();
    void metadataAreKept();
    void aFullDiskLeavesTheOldOffset();

private:
    fs::path folder() const { return m_folder->path().toStdString(); }
    std::unique_ptr<BlobStore> blobs() const
    {
        return std::move(*makeFolderBlobStore(folder() / "blobs"));
    }
    std::unique_ptr<UploadStore> uploads() const
    {
        return std::move(*makeFolderUploadStore(folder() / "uploads"));
    }
    Upload created(UploadStore& store, std::uint64_t length) const
    {
        return *store.create("host-1", sha256(asBytes("x")), length, kLater);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestBlobs::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
}

void TestBlobs::whatIsPutCanBeGot()
{
    const auto store = blobs();
    const auto name = store->put(asBytes("hello"));
    QVERIFY(name.ok());
    QCOMPARE(name->hex(),
             std::string("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"));
    QCOMPARE(asText(*store->get(*name, 100)), std::string_view("hello"));
    QCOMPARE(*store->size(*name), std::uint64_t(5));
    QCOMPARE(contentOf(*store->file(*name)), std::string("hello"));
    QCOMPARE(*store->file(*name), folder() / "blobs" / "2c" / name->hex());
    QCOMPARE(asText(*blobs()->get(*name, 100)), std::string_view("hello"));
}

void TestBlobs::puttingTwiceKeepsOneFile()
{
    const auto store = blobs();
    const auto name = *store->put(asBytes("hello"));
    const auto before = fs::last_write_time(*store->file(name));
    fs::last_write_time(*store->file(name), before - 1h);
    QVERIFY(store->put(asBytes("hello")).ok());
    QCOMPARE(fs::last_write_time(*store->file(name)), before - 1h);
}

void TestBlobs::aChangedBlobIsCorrupt()
{
    const auto store = blobs();
    const auto name = *store->put(asBytes("hello"));
    writeTo(*store->file(name), "hellO");
    QCOMPARE(kindOf(store->get(name, 100)), QByteArray("corrupt"));
}

void TestBlobs::tooLargeABlobIsRefused()
{
    const auto store = blobs();
    const auto name = *store->put(asBytes("hello"));
    QCOMPARE(kindOf(store->get(name, 4)), QByteArray("protocol"));
}

void TestBlobs::aMissingBlobIsNotFound()
{
    const auto store = blobs();
    const auto name = sha256(asBytes("nobody"));
    QCOMPARE(kindOf(store->get(name, 100)), QByteArray("not_found"));
    QCOMPARE(kindOf(store->size(name)), QByteArray("not_found"));
    QCOMPARE(kindOf(store->file(name)), QByteArray("not_found"));
}

void TestBlobs::anAdoptedFileBecomesTheBlob()
{
    const auto store = blobs();
    writeTo(folder() / "upload", "hello");
    const auto name = sha256(asBytes("hello"));
    QVERIFY(store->adopt(folder() / "upload", name).ok());
    QVERIFY(!fs::exists(folder() / "upload"));
    QCOMPARE(asText(*store->get(name, 100)), std::string_view("hello"));
    QCOMPARE(kindOf(store->adopt(folder() / "gone", name)), QByteArray("not_found"));
}

void TestBlobs::adoptingWhatIsThereRemovesTheFile()
{
    const auto store = blobs();
    const auto name = *store->put(asBytes("hello"));
    writeTo(folder() / "upload", "hello");
    QVERIFY(store->adopt(folder() / "upload", name).ok());
    QVERIFY(!fs::exists(folder() / "upload"));
    QCOMPARE(*store->size(name), std::uint64_t(5));
}

void TestBlobs::aFileOfAnotherVolumeIsAdopted()
{
    const SmallDisk disk(1024);
    if (!disk.isMounted())
        QSKIP("mounting a tmpfs is not allowed here");
    const auto store = blobs();
    writeTo(disk.folder() / "upload", "hello");
    const auto name = sha256(asBytes("hello"));
    QVERIFY(store->adopt(disk.folder() / "upload", name).ok());
    QVERIFY(!fs::exists(disk.folder() / "upload"));
    QCOMPARE(asText(*store->get(name, 100)), std::string_view("hello"));
}

void TestBlobs::removingIsIdempotent()
{
    const auto store = blobs();
    const auto name = *store->put(asBytes("hello"));
    QVERIFY(store->remove(name).ok());
    QVERIFY(store->remove(name).ok());
    QCOMPARE(kindOf(store->size(name)), QByteArray("not_found"));
}

void TestBlobs::everyBlobIsVisitedOnce()
{
    const auto store = blobs();
    std::set<std::string> put, visited;
    for (int i = 0; i < 40; ++i)
        put.insert(store->put(asBytes(std::string(std::size_t(i), 'x')))->hex());
    writeTo(folder() / "blobs" / "note", "not a blob");
    std::uint64_t total = 0;
    int calls = 0;
    QVERIFY(store
                ->forEach([&](const Sha256& name, std::uint64_t bytes, fs::file_time_type time) {
                    visited.insert(name.hex());
                    total += bytes;
                    ++calls;
                    QVERIFY(time <= fs::file_time_type::clock::now());
                })
                .ok());
    QCOMPARE(visited, put);
    QCOMPARE(calls, 40);
    QCOMPARE(total, std::uint64_t(39 * 40 / 2));
}

void TestBlobs::leftoversAreSweptAtTheStart()
{
    const auto name = *blobs()->put(asBytes("hello"));
    const auto leftover = folder() / "blobs" / "2c" / (name.hex() + ".tmp");
    writeTo(leftover, "half");
    const auto store = blobs();
    QVERIFY(!fs::exists(leftover));
    QVERIFY(store->size(name).ok());
}

void TestBlobs::manyThreadsPutTheSameBlob()
{
    const auto store = blobs();
    const std::string content(300'000, 'x');
    std::atomic<int> failures = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            if (!store->put(asBytes(content)).ok())
                ++failures;
        });
    for (auto& thread : threads)
        thread.join();
    QCOMPARE(failures.load(), 0);
    QVERIFY(asText(*store->get(sha256(asBytes(content)), 1 << 20)) == content);
}

void TestBlobs::aFullDiskIsSaidAndLeavesNothing()
{
    const SmallDisk disk(512);
    if (!disk.isMounted())
        QSKIP("mounting a tmpfs is not allowed here");
    const auto store = std::move(*makeFolderBlobStore(disk.folder()));
    const std::string large(1 << 20, 'x');
    const auto put = store->put(asBytes(large));
    QVERIFY(!put.ok());
    QCOMPARE(kindOf(put), QByteArray("full"));
    int files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(disk.folder()))
        files += entry.is_regular_file() ? 1 : 0;
    QCOMPARE(files, 0);
    QVERIFY(store->put(asBytes("small")).ok());
}

void TestBlobs::anUploadGrowsChunkByChunk()
{
    const auto store = uploads();
    const auto upload = created(*store, 10);
    QCOMPARE(upload.offset, std::uint64_t(0));
    QCOMPARE(append(*store, upload.id, 0, "hello")->offset, std::uint64_t(5));
    QCOMPARE(append(*store, upload.id, 5, "world")->offset, std::uint64_t(10));
    QCOMPARE(contentOf(*store->dataFile(upload.id)), std::string("helloworld"));
    const auto found = *store->find(upload.id);
    QCOMPARE(found.host, std::string("host-1"));
    QCOMPARE(found.sha256, sha256(asBytes("x")));
    QVERIFY(found.expires == kLater);
    QVERIFY(!found.finished);
}

void TestBlobs::anUncommittedChunkNeverCame()
{
    const auto store = uploads();
    const auto upload = created(*store, 10);
    QVERIFY(append(*store, upload.id, 0, "abc").ok());
    {
        const auto chunk = std::move(*store->beginChunk(upload.id, 3));
        QVERIFY(chunk->write(asBytes("WRONG")).ok());
    }
    QCOMPARE(store->find(upload.id)->offset, std::uint64_t(3));
    QCOMPARE(fs::file_size(folder() / "uploads" / (upload.id + ".data")), std::uintmax_t(3));
    QVERIFY(append(*store, upload.id, 3, "defghij").ok());
    QCOMPARE(contentOf(*store->dataFile(upload.id)), std::string("abcdefghij"));
}

void TestBlobs::aSecondWriterIsAConflict()
{
    const auto store = uploads();
    const auto upload = created(*store, 10);
    auto chunk = std::move(*store->beginChunk(upload.id, 0));
    QCOMPARE(kindOf(store->beginChunk(upload.id, 0)), QByteArray("conflict"));
    // Committing does not let others in: the writer may go on to adopt the file.
    QVERIFY(chunk->write(asBytes("abc")).ok());
    QVERIFY(chunk->commit().ok());
    QCOMPARE(kindOf(store->beginChunk(upload.id, 3)), QByteArray("conflict"));
    chunk.reset();
    QVERIFY(store->beginChunk(upload.id, 3).ok());
}

void TestBlobs::aWrongOffsetIsAConflict()
{
    const auto store = uploads();
    const auto upload = created(*store, 10);
    QVERIFY(append(*store, upload.id, 0, "abc").ok());
    for (const std::uint64_t offset : {0, 2, 4, 10})
        QCOMPARE(kindOf(store->beginChunk(upload.id, offset)), QByteArray("conflict"));
}

void TestBlobs::moreBytesThanPromisedAreRefused()
{
    const auto store = uploads();
    const auto upload = created(*store, 4);
    const auto chunk = std::move(*store->beginChunk(upload.id, 0));
    QVERIFY(chunk->write(asBytes("abcd")).ok());
    QCOMPARE(kindOf(chunk->write(asBytes("e"))), QByteArray("protocol"));
}

void TestBlobs::uploadsSurviveARestart()
{
    std::string id;
    {
        const auto store = uploads();
        id = created(*store, 10).id;
        QVERIFY(append(*store, id, 0, "hello").ok());
    }
    const auto store = uploads();
    const auto found = store->find(id);
    QVERIFY(found.ok());
    QCOMPARE(found->offset, std::uint64_t(5));
    QCOMPARE(found->host, std::string("host-1"));
    QVERIFY(append(*store, id, 5, "world").ok());
    QCOMPARE(contentOf(*store->dataFile(id)), std::string("helloworld"));
}

void TestBlobs::uploadsSurviveAKill()
{
    const auto id = created(*uploads(), 1 << 20).id;
    for (int round = 0; round < 8; ++round) {
        int ends[2] = {};
        QCOMPARE(::pipe(ends), 0);
        const auto child = ::fork();
        if (child == 0) {
            // Says each acknowledged offset, and dies in the middle of something.
            const auto store = uploads();
            for (auto offset = store->find(id)->offset; offset + 1000 <= 1 << 20;) {
                const auto moved =
                    append(*store, id, offset,
                           std::string(1000, static_cast<char>('a' + offset / 1000 % 26)));
                if (!moved.ok())
                    ::_exit(1);
                offset = moved->offset;
                if (::write(ends[1], &offset, sizeof offset) != sizeof offset)
                    ::_exit(1);
            }
            ::_exit(0);
        }
        ::close(ends[1]);
        std::uint64_t acknowledged = 0, next = 0;
        for (int i = 0; i < 5 + round && ::read(ends[0], &next, sizeof next) == sizeof next; ++i)
            acknowledged = next;
        ::kill(child, SIGKILL);
        while (::read(ends[0], &next, sizeof next) == sizeof next)
            acknowledged = next;
        ::close(ends[0]);
        ::waitpid(child, nullptr, 0);

        const auto store = uploads();
        const auto found = store->find(id);
        QVERIFY(found.ok());
        QVERIFY(found->offset >= acknowledged);
        QCOMPARE(fs::file_size(folder() / "uploads" / (id + ".data")),
                 std::uintmax_t(found->offset));
        const auto content = contentOf(folder() / "uploads" / (id + ".data"));
        for (std::size_t i = 0; i < content.size(); ++i)
            QCOMPARE(content[i], static_cast<char>('a' + i / 1000 % 26));
    }
}

void TestBlobs::aTornTailIsCutOffAtTheStart()
{
    const auto id = created(*uploads(), 10).id;
    writeTo(folder() / "uploads" / (id + ".data"), "torn");
    writeTo(folder() / "uploads" / (id + ".json.tmp"), "{");
    const auto store = uploads();
    QCOMPARE(store->find(id)->offset, std::uint64_t(0));
    QCOMPARE(fs::file_size(folder() / "uploads" / (id + ".data")), std::uintmax_t(0));
    QVERIFY(!fs::exists(folder() / "uploads" / (id + ".json.tmp")));
}

void TestBlobs::lostDataGiveTheUploadUp()
{
    std::string id;
    {
        const auto store = uploads();
        id = created(*store, 10).id;
        QVERIFY(append(*store, id, 0, "hello").ok());
    }
    fs::resize_file(folder() / "uploads" / (id + ".data"), 4);
    QCOMPARE(kindOf(uploads()->find(id)), QByteArray("not_found"));
    QVERIFY(fs::is_empty(folder() / "uploads"));
}

void TestBlobs::anUnreadableRecordGivesTheUploadUp()
{
    const auto id = created(*uploads(), 10).id;
    writeTo(folder() / "uploads" / (id + ".json"), "{\"id\":\"" + id + "\"}");
    QCOMPARE(kindOf(uploads()->find(id)), QByteArray("not_found"));
    QVERIFY(fs::is_empty(folder() / "uploads"));
    writeTo(folder() / "uploads" / "note.txt", "the operator's");
    QVERIFY(makeFolderUploadStore(folder() / "uploads").ok());
    QVERIFY(fs::exists(folder() / "uploads" / "note.txt"));
}

void TestBlobs::aDeathBetweenAdoptingAndRecordIsAFinishedUpload()
{
    std::string id;
    {
        const auto store = uploads();
        id = created(*store, 5).id;
        QVERIFY(append(*store, id, 0, "hello").ok());
        fs::remove(*store->dataFile(id));
    }
    const auto found = uploads()->find(id);
    QVERIFY(found.ok());
    QVERIFY(found->finished);
}

void TestBlobs::finishedUploadsAreRememberedWithoutTheirData()
{
    std::string id;
    {
        const auto store = uploads();
        id = created(*store, 5).id;
        QVERIFY(!store->markFinished(id).ok());
        QVERIFY(append(*store, id, 0, "hello").ok());
        QVERIFY(store->markFinished(id).ok());
        QVERIFY(!fs::exists(folder() / "uploads" / (id + ".data")));
        QCOMPARE(kindOf(store->beginChunk(id, 5)), QByteArray("conflict"));
    }
    QVERIFY(uploads()->find(id)->finished);
}

void TestBlobs::onlyCompleteUploadsHaveADataFile()
{
    const auto store = uploads();
    const auto id = created(*store, 5).id;
    QCOMPARE(kindOf(store->dataFile(id)), QByteArray("conflict"));
    QCOMPARE(kindOf(store->dataFile(std::string(32, '0'))), QByteArray("not_found"));
}

void TestBlobs::expiredUploadsGo()
{
    const auto store = uploads();
    const auto early = *store->create("h", sha256({}), 5, kLater);
    const auto late = *store->create("h", sha256({}), 5, kLater + 1h);
    QCOMPARE(*store->removeExpired(kLater - 1s), 0);
    QCOMPARE(*store->removeExpired(kLater), 1);
    QCOMPARE(kindOf(store->find(early.id)), QByteArray("not_found"));
    QVERIFY(store->find(late.id).ok());
    QVERIFY(!fs::exists(folder() / "uploads" / (early.id + ".data")));
    QCOMPARE(kindOf(uploads()->find(early.id)), QByteArray("not_found"));
}

void TestBlobs::anUploadBeingWrittenDoesNotExpire()
{
    const auto store = uploads();
    const auto upload = created(*store, 5);
    auto chunk = std::move(*store->beginChunk(upload.id, 0));
    QCOMPARE(*store->removeExpired(kLater + 1h), 0);
    chunk.reset();
    QCOMPARE(*store->removeExpired(kLater + 1h), 1);
}

void TestBlobs::aRemovedUploadCannotBeCommitted()
{
    const auto store = uploads();
    const auto upload = created(*store, 5);
    const auto chunk = std::move(*store->beginChunk(upload.id, 0));
    QVERIFY(chunk->write(asBytes("hello")).ok());
    QVERIFY(store->remove(upload.id).ok());
    QCOMPARE(kindOf(chunk->commit()), QByteArray("not_found"));
    QVERIFY(fs::is_empty(folder() / "uploads"));
    QCOMPARE(kindOf(store->remove(upload.id)), QByteArray("not_found"));
}

void TestBlobs::bytesAreCountedForEachHost()
{
    constexpr std::uint64_t kRecord = 64 << 10;
    const auto store = uploads();
    const auto id = created(*store, 1000).id;
    (void)created(*store, 500);
    (void)*store->create("host-2", sha256({}), 7, kLater);
    QCOMPARE(*store->unfinishedBytes("host-1"), 1500 + 2 * kRecord);
    QCOMPARE(*store->unfinishedBytes("host-2"), 7 + kRecord);
    QCOMPARE(*store->unfinishedBytes("host-3"), std::uint64_t(0));
    QVERIFY(append(*store, id, 0, std::string(1000, 'x')).ok());
    QVERIFY(store->markFinished(id).ok());
    QCOMPARE(*store->unfinishedBytes("host-1"), 500 + 2 * kRecord);
}

void TestBlobs::idsCannotLeadOutOfTheFolder_data()
{
    QTest::addColumn<QByteArray>("id");
    for (const char* id :
         {"", ".", "..", "../x", "/etc/passwd", "abc", "ABCDEF00112233445566778899aabbcc"})
        QTest::addRow("'%s'", id) << QByteArray(id);
}

void TestBlobs::idsCannotLeadOutOfTheFolder()
{
    QFETCH(QByteArray, id);
    const auto store = uploads();
    QCOMPARE(kindOf(store->find(id.toStdString())), QByteArray("not_found"));
    QCOMPARE(kindOf(store->beginChunk(id.toStdString(), 0)), QByteArray("not_found"));
    QCOMPARE(kindOf(store->remove(id.toStdString())), QByteArray("not_found"));
}

void TestBlobs::metadataAreKept()
{
    const auto id = uploads()->create("h", sha256({}), 5, kLater, "sha256 abc=,name ZGVm")->id;
    QCOMPARE(uploads()->find(id)->metadata, std::string("sha256 abc=,name ZGVm"));
}

void TestBlobs::aFullDiskLeavesTheOldOffset()
{
    const SmallDisk disk(1024);
    if (!disk.isMounted())
        QSKIP("mounting a tmpfs is not allowed here");
    const auto store = std::move(*makeFolderUploadStore(disk.folder()));
    QCOMPARE(kindOf(store->create("h", sha256({}), 2 << 20, kLater)), QByteArray("full"));
    const auto id = store->create("h", sha256({}), 900 << 10, kLater)->id;
    const std::string piece(100 << 10, 'x');
    QVERIFY(append(*store, id, 0, piece).ok());
    // Somebody else takes what was free when the upload was created.
    writeTo(disk.folder() / "other", std::string(700 << 10, 'y'));
    {
        const auto chunk = std::move(*store->beginChunk(id, piece.size()));
        Result<void> written;
        for (int i = 0; i < 8 && written.ok(); ++i)
            written = chunk->write(asBytes(piece));
        QVERIFY(!written.ok());
        QCOMPARE(kindOf(written), QByteArray("full"));
    }
    QCOMPARE(store->find(id)->offset, std::uint64_t(piece.size()));
    fs::remove(disk.folder() / "other");
    QVERIFY(append(*store, id, piece.size(), std::string(800 << 10, 'z')).ok());
    const auto again = std::move(*makeFolderUploadStore(disk.folder()));
    QCOMPARE(again->find(id)->offset, std::uint64_t(900 << 10));
}

QTEST_GUILESS_MAIN(TestBlobs)
#include "tst_blobs.moc"
