// Publishing: one version for a round, the merge log that rebuilds it, late and damaged results.

#include "engine/exchange/codec.h"
#include "server/store/claim_owner.h"
#include "server/sync/blob_sweep.h"
#include "server/sync/work_claim.h"
#include "tests/server/sample_rounds.h"

#include <QTest>

#include <fstream>

using namespace commonweight;
using namespace commonweight::server;
using namespace std::chrono_literals;

namespace {

void damage(SampleProject& project, const work::BlobRef& blob)
{
    const auto path = sure(project.blobs().file(blob.sha256));
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << "gone";
}

} // namespace

class SyncerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRoundBecomesOneVersion()
    {
        SampleProject project;
        const auto first = project.volunteer("first"), second = project.volunteer("second");
        const auto one = project.unitIn(project.ask(first)),
                   two = project.unitIn(project.ask(second));
        sure(project.deliver(first, project.answerTo(first, one, 20)));
        QCOMPARE(sure(project.syncer->tick()), 0); // the other one is still at work
        sure(project.deliver(second, project.answerTo(second, two, 10)));
        QCOMPARE(sure(project.syncer->tick()), 1);
        QCOMPARE(sure(project.syncer->tick()), 0);

        const auto version = project.newest();
        QCOMPARE(version.version, std::uint64_t{1});
        QCOMPARE(version.tokensMerged, std::uint64_t{240});
        QCOMPARE(version.resultsMerged, std::uint64_t{2});
        QVERIFY(version.fragments[0].momentum.has_value());
        QVERIFY(!project.run().status.round.closesAt.has_value());
        QVERIFY(sure(project.store().waitingResults("sample")).empty());
        QVERIFY(std::find(project.events.begin(), project.events.end(), "version") !=
                project.events.end());
        for (const auto& lease : sure(project.store().leases("sample")))
            QVERIFY(lease.state != LeaseState::Leased);
    }

    void equalContributionsMoveTheModelByTheOuterStep()
    {
        SampleProject project({.downlink = "none"});
        const auto before = parametersOf(project, 0);
        playRound(project, {project.volunteer()}, 0.01F);
        const auto after = parametersOf(project, 1);
        // Nesterov from rest: Θ − η (1 + μ) v.
        for (std::size_t i = 0; i < before.size(); ++i)
            QVERIFY(std::abs(before[i] - after[i] - 0.42F * 1.9F * 0.01F) < 1e-5F);
    }

    void theMergeLogRebuildsEveryVersion_data()
    {
        QTest::addColumn<qulonglong>("fragmentBytes");
        QTest::addColumn<QString>("codec");
        QTest::newRow("one fragment, fp32") << (64ULL << 20) << "fp32";
        QTest::newRow("two fragments, int4") << 300ULL << "int4";
    }
    void theMergeLogRebuildsEveryVersion()
    {
        QFETCH(qulonglong, fragmentBytes);
        QFETCH(QString, codec);
        SampleProject project({.fragmentBytes = fragmentBytes, .codec = codec.toStdString()});
        const std::vector<Volunteer> hosts{project.volunteer(), project.volunteer(),
                                           project.volunteer()};
        for (int round = 0; round < 5; ++round)
            playRound(project, hosts, 0.01F * static_cast<float>(round - 2) + 0.003F);
        QCOMPARE(project.run().definition->fragments.size() > 1, fragmentBytes == 300);
        const auto replayed = replayAll(project);
        QCOMPARE(replayed.size(), std::size_t{5});
        for (const auto& version : replayed) {
            QVERIFY(version.equal);
            QCOMPARE(version.results, std::size_t{3});
        }
    }

    void aForgedVersionIsFound()
    {
        SampleProject project;
        const auto host = project.volunteer();
        playRound(project, {host}, 0.01F);
        // Somebody publishes the first version's parameters once more, with the log of an honest
        // merge.
        auto version = project.newest();
        auto log = sure(mergeLogEntryFromJson(sure(project.store().merges("sample", 1))[0].body));
        version.version = 2;
        log.after.parameters = sure(project.store().version("sample", 0)).fragments[0].parameters;
        version.fragments[0] = log.after;
        sure(project.store().addVersion(version));
        sure(project.store().addMerge({"sample", 2, 0, toJson(log)}));
        const auto replayed = replayAll(project);
        QVERIFY(replayed[0].equal);
        QVERIFY(!replayed[1].equal);
    }

    void aLateResultIsMergedWithLessWeight()
    {
        SampleProject project;
        const auto punctual = project.volunteer("punctual"), late = project.volunteer("late");
        const auto lateUnit = project.unitIn(project.ask(late));
        const auto unit = project.unitIn(project.ask(punctual));
        sure(project.deliver(punctual, project.answerTo(punctual, unit, 20)));
        project.clock.advance(121s);
        QCOMPARE(sure(project.syncer->tick()), 1);
        sure(project.deliver(late, project.answerTo(late, lateUnit, 20)));
        QCOMPARE(sure(project.syncer->tick()), 0); // alone it makes no version
        const auto next = project.unitIn(project.ask(punctual));
        sure(project.deliver(punctual, project.answerTo(punctual, next, 20)));
        project.clock.advance(11s); // the late host is not waited for
        QCOMPARE(sure(project.syncer->tick()), 1);
        const auto log =
            sure(mergeLogEntryFromJson(sure(project.store().merges("sample", 2))[0].body));
        QCOMPARE(log.inputs.size(), std::size_t{2});
        QCOMPARE(log.inputs[0].staleness, std::uint64_t{1});
        // σ(1) = 0.8776, and the punctual host has one validated unit more: 0.325 against 0.25.
        QVERIFY(std::abs(log.inputs[0].weight - 0.4030) < 1e-4);
        QVERIFY(std::abs(log.inputs[0].weight + log.inputs[1].weight - 1) < 1e-12);
    }

    void aRoundIsMergedWithoutTheHostThatIsGone()
    {
        SampleProject project;
        const auto host = project.volunteer(), gone = project.volunteer();
        const auto lost = project.unitIn(project.ask(gone));
        const auto unit = project.unitIn(project.ask(host));
        sure(project.deliver(host, project.answerTo(host, unit, 20)));
        // Who reported at once has nothing to do any more: the least grace, a tenth of a round.
        project.clock.advance(109s);
        QCOMPARE(sure(project.syncer->tick()), 0);
        project.clock.advance(1s);
        QCOMPARE(sure(project.syncer->tick()), 1);
        project.clock.advance(1h);
        sure(project.syncer->tick());
        QCOMPARE(sure(project.store().unit(lost.id)).state, UnitState::Expired);
        QCOMPARE(sure(project.store().freeLeases("sample")).size(), std::size_t{1});
    }

    void aDamagedResultIsSetAsideAndTheOthersAreMerged()
    {
        SampleProject project;
        const auto good = project.volunteer("good"), bad = project.volunteer("bad");
        const auto badUnit = project.unitIn(project.ask(bad));
        const auto badResult = project.answerTo(bad, badUnit, 20);
        const auto goodUnit = project.unitIn(project.ask(good));
        sure(project.deliver(bad, badResult));
        sure(project.deliver(good, project.answerTo(good, goodUnit, 20)));
        damage(project, badResult.outerGradients[0].blob);
        QCOMPARE(sure(project.syncer->tick()), 0);
        QCOMPARE(sure(project.store().result(badResult.id)).state, ResultState::Credited);
        QCOMPARE(sure(project.syncer->tick()), 1);
        QCOMPARE(project.newest().resultsMerged, std::uint64_t{1});
        QCOMPARE(leaseProblem(project.store(), "sample"), std::string());
    }

    void theRunEndsWhenItsTokensAreMerged()
    {
        SampleProject project({.totalTokens = 160});
        const auto host = project.volunteer();
        playRound(project, {host}, 0.01F);
        QCOMPARE(project.run().status.state, std::string("finished"));
        QVERIFY(project.ask(host).units.empty());
    }

    void theSecondMomentsStayWithTheModel()
    {
        SampleProject project;
        auto version = project.newest();
        version.version = 1;
        version.secondMoments = work::BlobRef{sure(project.blobs().put(asBytes("table"))), 5};
        sure(project.store().addVersion(version));
        const auto host = project.volunteer();
        const auto unit = project.unitIn(project.ask(host));
        QVERIFY(!unit.optimizer.biasCorrection);
        sure(project.deliver(host, project.answerTo(host, unit, 20)));
        QCOMPARE(sure(project.syncer->tick()), 1);
        QVERIFY(project.newest().secondMoments == version.secondMoments);
    }

    void theSweepKeepsWhatIsInUse()
    {
        SampleProject project;
        const auto host = project.volunteer();
        playRound(project, {host}, 0.01F);
        const auto unused = sure(project.blobs().put(asBytes("nobody refers to me")));
        auto& clock = project.clock;
        QCOMPARE(sure(sweepBlobs(project.store(), project.blobs(), clock, {1h, {}})).blobs,
                 std::size_t{0}); // still young
        QCOMPARE(sure(sweepBlobs(project.store(), project.blobs(), clock, {-1h, {}})).blobs,
                 std::size_t{1});
        QCOMPARE(project.blobs().size(unused).error().kind, ErrorKind::NotFound);
        QVERIFY(replayAll(project)[0].equal);
    }

    void aReplayIsExactAcrossARestartOfTheMomentum()
    {
        SampleProject project;
        const auto host = project.volunteer();
        // Every one of these opposes the momentum that the ones before it left.
        std::vector<int> restarted;
        const std::vector<float> sizes{0.01F,  -0.015F, 0.015F, -0.02F,
                                       -0.02F, 0.03F,   0.001F, 0.002F};
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            playRound(project, {host}, sizes[i]);
            const auto log =
                sure(mergeLogEntryFromJson(sure(project.store().merges("sample", i + 1))[0].body));
            if (log.report.momentumRestarted)
                restarted.push_back(static_cast<int>(i + 1));
        }
        QCOMPARE(restarted, (std::vector<int>{4, 8}));
        const auto replayed = replayAll(project);
        QCOMPARE(replayed.size(), sizes.size());
        for (const auto& version : replayed)
            QVERIFY2(version.equal, std::to_string(version.version).c_str());
    }

    void anotherProcessThatPublishesIsNotDisturbed()
    {
        SampleProject project;
        const auto host = project.volunteer();
        const auto unit = project.unitIn(project.ask(host));
        sure(project.deliver(host, project.answerTo(host, unit, 20)));
        {
            const auto claim =
                sure(WorkClaim::take(project.store(), project.clock, publicationClaim("sample")));
            QVERIFY(claim.has_value());
            QCOMPARE(sure(project.syncer->tick()), 0);
        }
        QCOMPARE(sure(project.syncer->tick()), 1);
        QVERIFY(sure(project.store().claims()).empty());
    }

    void aClaimEndsWithItsTimeOrItsProcess()
    {
        SampleProject project;
        auto& store = project.store();
        const auto now = project.clock.wall();
        QVERIFY(sure(store.claim({"work", "elsewhere/1/2/a", now + 1min}, now)));
        QVERIFY(!sure(store.claim({"work", claimOwner("b"), now + 1min}, now)));
        QVERIFY(sure(store.claim({"work", "elsewhere/1/2/a", now + 2min}, now))); // renewed
        QVERIFY(!sure(store.claim({"work", claimOwner("b"), now + 3min}, now + 119s)));
        QVERIFY(sure(store.claim({"work", claimOwner("b"), now + 9min}, now + 2min)));
        QVERIFY(!sure(store.claim({"work", claimOwner("c"), now + 9min}, now + 2min)));
        // This process' number with another beginning: it was killed, and the number is new.
        auto gone = claimOwner("d");
        const auto slash = gone.rfind('/', gone.rfind('/') - 1);
        gone = gone.substr(0, slash) + "/1/d";
        QVERIFY(isGone(gone));
        QVERIFY(!isGone(claimOwner("d")));
        QVERIFY(sure(store.claim({"other", gone, now + 9min}, now)));
        QVERIFY(sure(store.claim({"other", claimOwner("e"), now + 9min}, now)));
    }

    void aFineTuneByOneAverageEndsWithIt()
    {
        SampleProject project({.rule = "once"});
        const auto first = project.volunteer(), second = project.volunteer();
        const auto one = project.unitIn(project.ask(first));
        const auto two = project.unitIn(project.ask(second));
        sure(project.deliver(first, project.answerTo(first, one, 20)));
        sure(project.deliver(second, project.answerTo(second, two, 20)));
        QCOMPARE(sure(project.syncer->tick()), 1);
        QCOMPARE(project.run().status.state, std::string("finished"));
    }

    void aRuleForFreshOnesCreditsTheLate()
    {
        SampleProject project({.rule = "diloco"});
        const auto punctual = project.volunteer(), late = project.volunteer();
        const auto lateUnit = project.unitIn(project.ask(late));
        const auto unit = project.unitIn(project.ask(punctual));
        sure(project.deliver(punctual, project.answerTo(punctual, unit, 20)));
        project.clock.advance(121s);
        QCOMPARE(sure(project.syncer->tick()), 1);
        const auto lateResult = project.answerTo(late, lateUnit, 20);
        sure(project.deliver(late, lateResult));
        const auto next = project.unitIn(project.ask(punctual));
        sure(project.deliver(punctual, project.answerTo(punctual, next, 20)));
        project.clock.advance(11s);
        QCOMPARE(sure(project.syncer->tick()), 1);
        QCOMPARE(sure(project.store().result(lateResult.id)).state, ResultState::Credited);
        QCOMPARE(project.newest().resultsMerged, std::uint64_t{2});
        QVERIFY(replayAll(project).back().equal);
    }

    void itsThreadPublishesAndStops()
    {
        SampleProject project;
        const auto host = project.volunteer();
        const auto unit = project.unitIn(project.ask(host));
        sure(project.deliver(host, project.answerTo(host, unit, 20)));
        project.syncer->start();
        project.syncer->notify();
        QTRY_COMPARE(project.run().status.newestVersion, std::uint64_t{1});
        project.syncer->stop();
    }
};

QTEST_GUILESS_MAIN(SyncerTest)
#include "tst_syncer.moc"
