#include "engine/agent/blob_cache.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace commonweight;
using namespace commonweight::agent;
namespace fs = std::filesystem;

namespace {

/// A file of 1000 bytes that was used `age` hours ago.
work::BlobRef makeBlob(const BlobCache& cache, char letter, int age)
{
    const std::string content(1000, letter);
    const work::BlobRef ref{sha256(asBytes(content)), content.size()};
    std::ofstream(cache.pathOf(ref.sha256)) << content;
    fs::last_write_time(cache.pathOf(ref.sha256),
                        fs::file_time_type::clock::now() - std::chrono::hours{age});
    return ref;
}

work::WorkUnit unitWith(const work::BlobRef& anchor, const work::BlobRef& shard)
{
    work::WorkUnit unit;
    unit.anchor.fragments = {{0, anchor}};
    unit.shards = {shard};
    return unit;
}

} // namespace

class TestBlobCache : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theLeastRecentlyUsedGoesFirst()
    {
        const QTemporaryDir folder;
        BlobCache cache(folder.path().toStdString());
        const auto newest = makeBlob(cache, 'a', 1);
        const auto oldest = makeBlob(cache, 'b', 3);
        const auto middle = makeBlob(cache, 'c', 2);
        QCOMPARE(cache.trim(3000), std::uint64_t{0});
        QCOMPARE(cache.trim(2999), std::uint64_t{1000});
        QVERIFY(!cache.has(oldest));
        QVERIFY(cache.has(middle) && cache.has(newest));
        cache.touch(unitWith(middle, middle));
        QCOMPARE(cache.trim(1500), std::uint64_t{1000});
        QVERIFY(cache.has(middle) && !cache.has(newest));
    }

    void aFragmentNeedNotComeWholeWhereDifferencesAreFewerBytes()
    {
        const QTemporaryDir folder;
        BlobCache cache(folder.path().toStdString());
        const auto base = makeBlob(cache, 'a', 1);
        const auto shard = makeBlob(cache, 's', 1);
        const work::BlobRef whole{sha256(asBytes("whole")), 1000};
        const work::BlobRef first{sha256(asBytes("first")), 250};
        const work::BlobRef second{sha256(asBytes("second")), 250};
        auto unit = unitWith(whole, shard);
        QCOMPARE(cache.missing(unit), std::vector<work::BlobRef>{whole});
        unit.anchor.chain = {{0, {{8, base.sha256, first}, {9, sha256(asBytes("8")), second}}}};
        QCOMPARE(cache.missing(unit), (std::vector<work::BlobRef>{first, second}));
        QCOMPARE(cache.missingBytes(unit), std::uint64_t{500});
        QVERIFY(!cache.hasAll(unit));
        std::ofstream(cache.pathOf(first.sha256)) << std::string(250, '1');
        QCOMPARE(cache.missingBytes(unit), std::uint64_t{250});
        std::ofstream(cache.pathOf(second.sha256)) << std::string(250, '2');
        QVERIFY(cache.hasAll(unit));
        // The unit keeps what it would be rebuilt from.
        cache.pin(unit);
        QCOMPARE(cache.trim(0), std::uint64_t{0});
        cache.unpin(unit);
        fs::remove(cache.pathOf(base.sha256));
        QCOMPARE(cache.missing(unit), std::vector<work::BlobRef>{whole});
    }

    void whatTheTrainerRebuiltIsTakenOver()
    {
        const QTemporaryDir folder;
        const fs::path rebuilt = fs::path(folder.path().toStdString()) / "rebuilt";
        const fs::path blobs = fs::path(folder.path().toStdString()) / "blobs";
        fs::create_directory(rebuilt);
        fs::create_directory(blobs);
        const BlobCache cache(blobs);
        const BlobCache made(rebuilt);
        const auto whole = makeBlob(made, 'w', 1);
        const auto other = makeBlob(made, 'o', 1);
        auto anchor = unitWith(whole, whole).anchor;
        anchor.fragments.push_back({1, {other.sha256, 999}}); // has not the right size
        cache.adopt(anchor, rebuilt);
        QVERIFY(cache.has(whole));
        QVERIFY(!made.has(whole));
        QVERIFY(made.has(other));
        cache.adopt(anchor, rebuilt); // nothing to do
    }

    void pinnedBlobsStayWhateverTheLimit()
    {
        const QTemporaryDir folder;
        BlobCache cache(folder.path().toStdString());
        const auto anchor = makeBlob(cache, 'a', 9);
        const auto shard = makeBlob(cache, 'b', 8);
        const auto other = makeBlob(cache, 'c', 0);
        cache.pin(unitWith(anchor, shard));
        cache.pin(unitWith(anchor, shard)); // two units share them
        QCOMPARE(cache.trim(0), std::uint64_t{1000});
        QVERIFY(!cache.has(other));
        cache.unpin(unitWith(anchor, shard));
        QCOMPARE(cache.trim(0), std::uint64_t{0});
        cache.unpin(unitWith(anchor, shard));
        QCOMPARE(cache.trim(0), std::uint64_t{2000});
    }

    void aPartOfAPinnedBlobStaysToo()
    {
        const QTemporaryDir folder;
        BlobCache cache(folder.path().toStdString());
        const auto anchor = makeBlob(cache, 'a', 1);
        fs::rename(cache.pathOf(anchor.sha256), cache.pathOf(anchor.sha256).string() + ".part");
        cache.pin(unitWith(anchor, anchor));
        QCOMPARE(cache.trim(0), std::uint64_t{0});
        cache.unpin(unitWith(anchor, anchor));
        QCOMPARE(cache.trim(0), std::uint64_t{1000});
    }

    void aFileOfAnotherSizeIsNotThere()
    {
        const QTemporaryDir folder;
        BlobCache cache(folder.path().toStdString());
        auto blob = makeBlob(cache, 'a', 1);
        QVERIFY(cache.hasAll(unitWith(blob, blob)));
        ++blob.bytes;
        QVERIFY(!cache.has(blob));
        QCOMPARE(cache.missingBytes(unitWith(blob, blob)), std::uint64_t{2002});
    }

    void aFolderThatWasDeletedIsEmpty()
    {
        BlobCache cache("/nowhere/at/all");
        QCOMPARE(cache.trim(0), std::uint64_t{0});
    }
};

QTEST_GUILESS_MAIN(TestBlobCache)
#include "tst_blob_cache.moc"
