// What is removed from a project's files, and what stays: replays from the newest snapshots,
// everything that volunteers may still download, the way back to the last good version.

#include "server/sync/blob_sweep.h"
#include "server/sync/rollback.h"
#include "server/sync/work_claim.h"
#include "tests/server/sample_rounds.h"

using namespace commonweight;
using namespace commonweight::server;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t kVersions = 18;

/// Eighteen versions with a snapshot every fourth.
class LongProject {
public:
    LongProject() : project({.snapshotEvery = 4})
    {
        for (std::uint64_t i = 0; i < kVersions; ++i)
            playRound(project, {host}, 0.01F + 0.001F * static_cast<float>(i % 3));
    }
    SweepReport sweep(std::uint32_t snapshots = 2)
    {
        return sure(sweepBlobs(project.store(), project.blobs(), project.clock,
                               {.unusedAge = 1h, .retention = {snapshots}}));
    }
    bool holds(const work::BlobRef& blob) { return project.blobs().size(blob.sha256).ok(); }
    VersionRecord version(std::uint64_t number)
    {
        return sure(project.store().version("sample", number));
    }
    bool holdsMerged(std::uint64_t number)
    {
        for (const auto& line : sure(project.store().merges("sample", number)))
            for (const auto& input : sure(mergeLogEntryFromJson(line.body)).inputs)
                if (!holds(input.outerGradient))
                    return false;
        return true;
    }

    SampleProject project;
    Volunteer host = project.volunteer();
};

} // namespace

class BlobSweepTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void versionsSinceTheSecondNewestSnapshotCanBeRebuilt()
    {
        LongProject run;
        QVERIFY(run.sweep().blobs > 0);
        QCOMPARE(run.sweep().blobs, std::size_t{0});
        QCOMPARE(sure(replayStart(run.project.store(), run.project.blobs(), run.project.run())),
                 std::uint64_t{12});
        const auto replayed = replayAll(run.project);
        QCOMPARE(replayed.size(), std::size_t{6});
        for (const auto& version : replayed)
            QVERIFY(version.equal);
        QVERIFY(!run.holdsMerged(12)); // nobody needs what went into the snapshot
        QVERIFY(run.holdsMerged(13));
    }

    void everyAnchorThatAResultMayHaveStays()
    {
        LongProject run;
        run.sweep();
        for (std::uint64_t number = 0; number <= kVersions; ++number) {
            const bool there = isStored(run.project.blobs(), run.version(number));
            // S_max = 8: 9 … 18 may be anchors or come right before one; 12 and 16 are snapshots.
            QCOMPARE(there, number >= kVersions - 9);
        }
        for (const auto& chain : sure(run.project.store().chainTo("sample", kVersions)))
            for (const auto& delta : chain.deltas)
                QVERIFY(run.holds(delta.blob));
    }

    void howManySnapshotsIsTheOperatorsChoice()
    {
        LongProject run;
        QCOMPARE(run.sweep(0).blobs, std::size_t{0}); // everything
        run.sweep(4);
        QCOMPARE(sure(replayStart(run.project.store(), run.project.blobs(), run.project.run())),
                 std::uint64_t{4});
        QCOMPARE(replayAll(run.project).size(), std::size_t{14});
        run.sweep(1);
        QCOMPARE(replayAll(run.project).size(), std::size_t{2});
    }

    void theRunGoesOnAfterASweep()
    {
        LongProject run;
        run.sweep();
        for (int i = 0; i < 5; ++i)
            playRound(run.project, {run.host}, 0.01F);
        run.sweep();
        const auto replayed = replayAll(run.project);
        QCOMPARE(replayed.front().version, std::uint64_t{17});
        QVERIFY(replayed.back().equal);
        QCOMPARE(replayed.back().version, kVersions + 5);
    }

    void theWayBackToTheLastGoodVersionStays()
    {
        LongProject run;
        sure(run.project.store().addLoss("sample", {5, 1, 2.0, {}}));
        run.sweep();
        QVERIFY(isStored(run.project.blobs(), run.version(5)));
        QVERIFY(!isStored(run.project.blobs(), run.version(6)));
        sure(rollBack(run.project.store(), run.project.blobs(), run.project.clock,
                      run.project.run(), {5, {}, false, "a test"}));
        QVERIFY(parametersOf(run.project, kVersions + 1) == parametersOf(run.project, 5));
    }

    void whatSomebodyIsDownloadingStays()
    {
        LongProject run;
        // A unit on a version that is long superseded, in the hands of a host that is slow.
        const auto unit = run.project.unitIn(run.project.ask(run.host));
        auto old = sure(run.project.store().unit(unit.id));
        old.id = "old";
        old.baseVersion = 7;
        sure(run.project.store().addUnit(old));
        run.sweep();
        QVERIFY(run.holds(run.version(7).fragments[0].parameters));
        sure(run.project.store().endUnit("old", UnitState::Expired, run.project.clock.wall()));
        run.sweep();
        QVERIFY(!run.holds(run.version(7).fragments[0].parameters));
    }

    void whatWaitsForTheMergeStays()
    {
        LongProject run;
        const auto unit = run.project.unitIn(run.project.ask(run.host));
        const auto result = run.project.answerTo(run.host, unit, 20);
        sure(run.project.deliver(run.host, result));
        run.sweep();
        QVERIFY(run.holds(result.outerGradients[0].blob));
        QCOMPARE(sure(run.project.syncer->tick()), 1);
    }

    void aRunThatIsBeingPublishedKeepsEverything()
    {
        LongProject run;
        const auto claim = sure(
            WorkClaim::take(run.project.store(), run.project.clock, publicationClaim("sample")));
        QCOMPARE(run.sweep().blobs, std::size_t{0});
    }
};

QTEST_GUILESS_MAIN(BlobSweepTest)
#include "tst_blob_sweep.moc"
