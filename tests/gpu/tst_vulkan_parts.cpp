// The arithmetic and bookkeeping of the Vulkan device, without one.
#include "engine/base/atomic_file.h"
#include "gpu/vulkan/hazard_tracker.h"
#include "gpu/vulkan/kept_file.h"
#include "gpu/vulkan/pacer.h"
#include "gpu/vulkan/product_plan.h"

#include <QTemporaryDir>
#include <QTest>

#include <array>

using namespace commonweight;
using namespace commonweight::gpu::vulkan;

class VulkanPartsTest : public QObject {
    Q_OBJECT

private:
    static Region region(std::uintptr_t buffer, VkDeviceSize offset, VkDeviceSize bytes)
    {
        return {reinterpret_cast<VkBuffer>(buffer), offset, bytes};
    }
    static bool next(HazardTracker& tracker, const Use& use)
    {
        return tracker.next(std::span(&use, 1));
    }
    static Sha256 key(const char* text) { return sha256(asBytes(text)); }

private Q_SLOTS:
    void readersNeedNoBarrierAndWritersDo()
    {
        HazardTracker tracker;
        const Region a = region(1, 0, 100);
        QVERIFY(!next(tracker, {a, Access::Read}));
        QVERIFY(!next(tracker, {a, Access::Read}));
        QVERIFY(next(tracker, {a, Access::Write}));
        QVERIFY(next(tracker, {a, Access::Write}));
        QVERIFY(next(tracker, {a, Access::Read}));
        QVERIFY(!next(tracker, {a, Access::Read}));
    }

    void neighboursDoNotTouch()
    {
        HazardTracker tracker;
        QVERIFY(!next(tracker, {region(1, 0, 100), Access::Write}));
        QVERIFY(!next(tracker, {region(1, 100, 100), Access::Write}));
        QVERIFY(!next(tracker, {region(2, 0, 100), Access::Write}));
        QVERIFY(next(tracker, {region(1, 199, 1), Access::Read}));
    }

    void aBarrierSettlesAllThatWentBefore()
    {
        HazardTracker tracker;
        QVERIFY(!next(tracker, {region(1, 0, 8), Access::Write}));
        QVERIFY(!next(tracker, {region(2, 0, 8), Access::Write}));
        QVERIFY(next(tracker, {region(1, 0, 8), Access::Read}));
        QVERIFY(!next(tracker, {region(2, 0, 8), Access::Write}));
    }

    void aCommandMayWriteWhatItReads()
    {
        HazardTracker tracker;
        const std::array<Use, 2> uses = {
            {{region(1, 0, 8), Access::Read}, {region(1, 0, 8), Access::Write}}};
        QVERIFY(!tracker.next(uses));
        QVERIFY(tracker.next(uses));
    }

    void pacingLearnsFastAndSlowDevices_data()
    {
        QTest::addColumn<double>("rate"); // nanoseconds for a unit of work
        QTest::newRow("lavapipe, busy") << 20.0;
        QTest::newRow("lavapipe") << 1.0;
        QTest::newRow("integrated") << 1e-3;
        QTest::newRow("discrete") << 1e-4;
    }
    void pacingLearnsFastAndSlowDevices()
    {
        QFETCH(double, rate);
        Pacer pacer;
        constexpr double kWork = 1e10;
        for (int step = 0; step < 4; ++step) {
            const double each = kWork / pacer.parts("product", kWork);
            pacer.learn({{"product", each}}, each * rate);
        }
        const double longest = kWork / pacer.parts("product", kWork) * rate;
        QVERIFY2(longest < 50e6, qPrintable(QString::number(longest)));
        QVERIFY(longest > 1e5 || pacer.parts("product", kWork) == 1);
    }

    void pacingTellsKernelsApart()
    {
        Pacer pacer;
        for (int step = 0; step < 60; ++step) {
            pacer.learn({{"slow", 1e6}, {"fast", 1e6}}, 1e6 * 3 + 1e6 * 0.01);
            pacer.learn({{"slow", 1e6}}, 3e6);
            pacer.learn({{"fast", 1e6}}, 1e4);
        }
        QVERIFY(std::abs(pacer.nanoseconds("slow", 1) - 3) < 0.1);
        QVERIFY(std::abs(pacer.nanoseconds("fast", 1) - 0.01) < 0.002);
    }

    void pacingSurvivesClocksThatLie()
    {
        Pacer pacer;
        for (const double nanoseconds : {0.0, -5.0, double(NAN), double(INFINITY), 1e300, 1e-300}) {
            pacer.learn({{"any", 1e6}}, nanoseconds);
            QVERIFY(pacer.parts("any", 1e9) >= 1);
            QVERIFY(std::isfinite(pacer.nanoseconds("any", 1)));
        }
    }

    void plansCoverTheProduct_data()
    {
        QTest::addColumn<qint64>("m");
        QTest::addColumn<qint64>("n");
        QTest::addColumn<qint64>("k");
        const qint64 shapes[][3] = {{1, 1, 1},         {64, 64, 100'000},  {4096, 4096, 4096},
                                    {1, 50'000, 4096}, {384, 384, 16'384}, {65, 63, 257}};
        for (const auto& s : shapes)
            QTest::addRow("%lld x %lld x %lld", s[0], s[1], s[2]) << s[0] << s[1] << s[2];
    }
    void plansCoverTheProduct()
    {
        QFETCH(qint64, m);
        QFETCH(qint64, n);
        QFETCH(qint64, k);
        std::vector<RatedTile> tiles;
        for (const auto& tile : kTileClasses)
            tiles.push_back({tile, 1});
        for (const int units : {1, 16, 128}) {
            const auto plan = planProduct({m, n, k}, tiles, units);
            QVERIFY(static_cast<qint64>(plan.groupsM) * plan.tile.rows >= m);
            QVERIFY(static_cast<qint64>(plan.groupsN) * plan.tile.columns >= n);
            QVERIFY(plan.splits * plan.chunk >= k && (plan.splits - 1) * plan.chunk < k);
            QVERIFY(plan.splits == 1 || plan.chunk % plan.tile.depth == 0);
            QVERIFY(plan.splits == 1 || plan.splits * m * n <= (16 << 20));
        }
    }

    void deepProductsAreSplitWhereADeviceWouldIdle()
    {
        const std::array<RatedTile, 1> tiles = {{{kTileClasses[0], 1}}};
        QVERIFY(planProduct({384, 384, 16'384}, tiles, 64).splits > 1);
        QCOMPARE(planProduct({4096, 4096, 16'384}, tiles, 64).splits, std::int64_t(1));
        QCOMPARE(planProduct({384, 384, 300}, tiles, 64).splits, std::int64_t(1));
    }

    void measurementsChooseTheTileButNeverTheSums()
    {
        const std::array<RatedTile, 2> slow = {{{kTileClasses[0], 100}, {kTileClasses[1], 1}}};
        const std::array<RatedTile, 2> fast = {{{kTileClasses[0], 1}, {kTileClasses[1], 100}}};
        const ProductShape shape{1024, 1024, 20'000};
        const auto one = planProduct(shape, slow, 128);
        const auto other = planProduct(shape, fast, 128);
        QVERIFY(one.tile == kTileClasses[0] && other.tile == kTileClasses[1]);
        QCOMPARE(one.splits, other.splits);
        QCOMPARE(one.chunk, other.chunk);
    }

    void everyTileClassIsWhole()
    {
        VkPhysicalDeviceLimits least{};
        least.maxComputeSharedMemorySize = 16'384;
        least.maxComputeWorkGroupInvocations = 256;
        least.maxComputeWorkGroupSize[0] = 256;
        for (const auto& tile : kTileClasses) {
            QVERIFY(tile.rows % tile.threadRows == 0 && tile.columns % tile.threadColumns == 0);
            QVERIFY(tile.threadRows % 4 == 0 && tile.threadColumns % 4 == 0 && tile.depth % 4 == 0);
            QVERIFY(32 % tile.depth == 0); // chunks along k are multiples of 32
            QVERIFY(tile.threads() >= 32 && tile.threads() <= 256);
        }
        QVERIFY(kTileClasses.front().fits(least));
        QVERIFY(kTileClasses.size() <= 8);
    }

    void tuningKeepsWhatIsRightAndAtMostEight()
    {
        std::vector<TileClass> candidates;
        for (std::uint32_t i = 1; i <= 12; ++i)
            candidates.push_back({i * 4, 4, 4, 4, 4});
        int tries = 0;
        const auto tuned = tuneTiles(candidates, [&](const TileClass& tile) -> Result<TileTrial> {
            ++tries;
            return TileTrial{tile.rows != 8, static_cast<double>(tile.rows)};
        });
        QVERIFY(tuned.ok());
        QCOMPARE(tries, 8);
        QCOMPARE(tuned->size(), std::size_t(7));
        QVERIFY(std::none_of(tuned->begin(), tuned->end(),
                             [](const RatedTile& t) { return t.tile.rows == 8; }));
    }

    void aDeviceThatIsAlwaysWrongIsRefused()
    {
        const auto tuned = tuneTiles(kTileClasses, [](const TileClass&) -> Result<TileTrial> {
            return TileTrial{false, 1};
        });
        QVERIFY(!tuned.ok());
        QCOMPARE(tuned.error().kind, ErrorKind::Device);
        QVERIFY(tuned.error().message.find("wrongly") != std::string::npos);
    }

    void tilesComeBackAsTheyWereKept()
    {
        const std::vector<RatedTile> tiles = {{kTileClasses[2], 12.5}, {kTileClasses[0], 0.25}};
        auto bytes = writeTiles(tiles);
        const auto read = readTiles(bytes, kTileClasses);
        QVERIFY(read.has_value());
        QVERIFY(*read == tiles);
        QVERIFY(!readTiles(bytes, std::span(kTileClasses).first(2))); // one is no longer known
        bytes.pop_back();
        QVERIFY(!readTiles(bytes, kTileClasses));
        QVERIFY(!readTiles({}, kTileClasses));
        const std::vector<RatedTile> absurd = {{kTileClasses[0], -1}};
        QVERIFY(!readTiles(writeTiles(absurd), kTileClasses));
    }

    void aKeptFileIsReadByItsKeyOnly()
    {
        const QTemporaryDir folder;
        const auto path = std::filesystem::path(folder.path().toStdString()) / "deep" / "file";
        const Bytes content = {1, 2, 3};
        KeptFile(path, key("one")).write(content);
        QVERIFY(KeptFile(path, key("one")).read() == content);
        QVERIFY(!KeptFile(path, key("another driver")).read());
        QVERIFY(!KeptFile({}, key("one")).read());
    }

    void aDamagedKeptFileReadsAsAbsent()
    {
        const QTemporaryDir folder;
        const auto path = std::filesystem::path(folder.path().toStdString()) / "file";
        KeptFile(path, key("one")).write(Bytes(100, 7));
        const auto whole = readFile(path, 1 << 20);
        QVERIFY(whole.ok());
        for (std::size_t i = 0; i < whole->size(); i += 9) {
            auto damaged = *whole;
            damaged[i] ^= 1;
            QVERIFY(writeFileAtomically(path, damaged).ok());
            QVERIFY(!KeptFile(path, key("one")).read());
            QVERIFY(writeFileAtomically(path, ByteView(*whole).first(i)).ok());
            QVERIFY(!KeptFile(path, key("one")).read());
        }
    }

    void aFolderThatCannotBeWrittenCostsNothing()
    {
        KeptFile("/proc/nothing/file", key("one")).write(Bytes{1});
        QVERIFY(!KeptFile("/proc/nothing/file", key("one")).read());
    }
};

QTEST_GUILESS_MAIN(VulkanPartsTest)
#include "tst_vulkan_parts.moc"
