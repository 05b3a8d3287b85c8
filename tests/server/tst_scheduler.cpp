// The periodic call against a real store: units, their bounds and signatures, what comes back, what
// is withdrawn.

#include "server/schedule/lane_order.h"
#include "tests/server/sample_project.h"

#include <QTest>

using namespace commonweight;
using namespace commonweight::server;
using namespace std::chrono_literals;

namespace {

work::SchedulerRequest requestOf(const Volunteer& host)
{
    work::SchedulerRequest request;
    request.host = host.id;
    return request;
}

/// Delivers `unit` and lets the round close.
void finish(SampleProject& project, const Volunteer& host, const work::WorkUnit& unit)
{
    QVERIFY(project.deliver(host, project.answerTo(host, unit, unit.stepsAtMost)).ok());
    QCOMPARE(sure(project.syncer->tick()), 1);
}

} // namespace

class SchedulerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aUnitSaysAllThatDecidesItsResult()
    {
        SampleProject project;
        const auto host = project.volunteer();
        const auto reply = project.ask(host);
        const auto unit = project.unitIn(reply);
        const auto& run = *project.run().definition;
        QCOMPARE(unit.run, std::string("sample"));
        QCOMPARE(unit.anchor.version, std::uint64_t{0});
        QVERIFY(unit.anchor.fragments[0].blob == project.newest().fragments[0].parameters);
        QVERIFY(unit.optimizer.biasCorrection); // there is no table of second moments
        QCOMPARE(unit.stepsAtMost, std::uint64_t{20});
        QCOMPARE(unit.stepsAtLeast, std::uint64_t{1});
        QCOMPARE(unit.data.size(), std::size_t{8});
        QVERIFY(unit.closesAt == project.clock.wall() + 100s);
        QVERIFY(unit.deadline > unit.closesAt + 100s);
        QVERIFY(project.run().status.round.closesAt == unit.closesAt);
        QCOMPARE(unit.learningRate.position, 0.0);
        QCOMPARE(unit.learningRate.advance, 8.0);
        const LaneOrder order(run, 0);
        for (std::size_t i = 0; i < unit.data.size(); ++i) {
            const auto lane = order.at(i);
            QCOMPARE(unit.data[i].firstToken, lane.firstToken);
            QCOMPARE(unit.data[i].tokens, std::uint64_t{20});
            QVERIFY(unit.shards[unit.data[i].shard] == run.shards[lane.shard].blob);
        }
    }

    void aChangedUnitHasNoSignature()
    {
        SampleProject project;
        auto envelope = project.ask(project.volunteer()).units.front();
        envelope["unit"]["steps_at_most"] = 1;
        QCOMPARE(verifiedJson("unit", envelope, project.projectKey.publicKey()).error().kind,
                 ErrorKind::Denied);
    }

    void theMeasuredSpeedBoundsTheUnit()
    {
        SampleProject project;
        // 8 tokens a step, 100 s: 0.4 tokens a second make 5 steps.
        const auto unit = project.unitIn(project.ask(project.volunteer(), {}, 0.4));
        QCOMPARE(unit.stepsAtMost, std::uint64_t{10});
        QCOMPARE(unit.stepsAtLeast, std::uint64_t{1});
        const auto faster = project.unitIn(project.ask(project.volunteer(), {}, 1000));
        QCOMPARE(faster.stepsAtMost, std::uint64_t{20});
        QCOMPARE(faster.stepsAtLeast, std::uint64_t{5});
    }

    void theEndOfTheRunBoundsTheUnit()
    {
        SampleProject project({.totalTokens = 40});
        const auto unit = project.unitIn(project.ask(project.volunteer()));
        QCOMPARE(unit.stepsAtMost, std::uint64_t{5});
    }

    void hostsOfOneRoundGetDifferentText()
    {
        SampleProject project;
        const auto first = project.unitIn(project.ask(project.volunteer()));
        const auto second = project.unitIn(project.ask(project.volunteer()));
        QVERIFY(first.seed != second.seed);
        QVERIFY(first.closesAt == second.closesAt);
        QCOMPARE(second.learningRate.advance, 16.0); // two hosts are at work now
        QCOMPARE(leaseProblem(project.store(), "sample"), std::string());
        QVERIFY(project.run().status.cursor == (LeaseCursor{0, 16}));
    }

    void aLostUnitComesAgain()
    {
        SampleProject project;
        const auto host = project.volunteer();
        const auto first = project.ask(host);
        project.clock.advance(10s);
        const auto again = project.ask(host);
        QCOMPARE(again.units.size(), std::size_t{1});
        QVERIFY(again.units[0] == first.units[0]);
    }

    void noSecondUnitOnTheSameAnchor()
    {
        SampleProject project;
        const auto host = project.volunteer();
        const auto unit = project.unitIn(project.ask(host));
        project.clock.advance(1s);
        QVERIFY(project.ask(host, {unit.id}).units.empty());
        project.unitIn(project.ask(project.volunteer()));
        QVERIFY(project.deliver(host, project.answerTo(host, unit, 20)).ok());
        const auto reply = project.ask(host);
        QVERIFY(reply.units.empty());
        QVERIFY(!reply.reason.empty());
        QVERIFY(reply.retryAfter <= Seconds{30});
    }

    void theNextVersionBringsTheNextUnit()
    {
        SampleProject project;
        const auto host = project.volunteer();
        finish(project, host, project.unitIn(project.ask(host)));
        const auto next = project.unitIn(project.ask(host));
        QCOMPARE(next.anchor.version, std::uint64_t{1});
        QCOMPARE(next.learningRate.position, 160.0);
    }

    void eachDeviceMayHaveAUnit()
    {
        SampleProject project;
        const auto host = project.volunteer();
        auto request = requestOf(host);
        request.devices = {{.name = "Processor", .backend = "cpu", .wantsWork = true},
                           {.name = "Card", .backend = "cuda", .wantsWork = true}};
        const auto reply = sure(project.scheduler->answer(host.id, request));
        QCOMPARE(reply.units.size(), std::size_t{2});
        QVERIFY(project.unitIn(reply, 0).id != project.unitIn(reply, 1).id);
    }

    void whatFailedGoesBackToThePool()
    {
        SampleProject project;
        const auto host = project.volunteer();
        const auto unit = project.unitIn(project.ask(host));
        auto request = requestOf(host);
        request.failed = {{unit.id, "device", "the device was lost"}};
        QVERIFY(sure(project.scheduler->answer(host.id, request)).units.empty());
        QCOMPARE(sure(project.store().unit(unit.id)).state, UnitState::Failed);
        QCOMPARE(sure(project.store().freeLeases("sample")).size(), std::size_t{1});
        // A repeated report changes nothing; somebody else's unit is not touched.
        QVERIFY(project.scheduler->answer(host.id, request).ok());
        const auto other = project.volunteer();
        const auto theirs = project.unitIn(project.ask(other));
        request.failed = {{theirs.id, "device", "not mine"}};
        QVERIFY(project.scheduler->answer(host.id, request).ok());
        QCOMPARE(sure(project.store().unit(theirs.id)).state, UnitState::Open);
    }

    void aHostThatFailsAgainAndAgainWaits()
    {
        SampleProject project;
        const auto host = project.volunteer();
        for (int i = 0; i < 3; ++i) {
            auto request = requestOf(host);
            request.failed = {{project.unitIn(project.ask(host)).id, "out_of_memory", "too large"}};
            QVERIFY(project.scheduler->answer(host.id, request).ok());
        }
        const auto reply = project.ask(host);
        QVERIFY(reply.units.empty());
        QVERIFY(reply.retryAfter >= Seconds{60});
        project.clock.advance(2h);
        QCOMPARE(project.ask(host).units.size(), std::size_t{1});
    }

    void handingBackIsNoFailure()
    {
        SampleProject project;
        const auto host = project.volunteer();
        for (int i = 0; i < 4; ++i) {
            auto request = requestOf(host);
            request.failed = {{project.unitIn(project.ask(host)).id, "declined", ""}};
            QVERIFY(project.scheduler->answer(host.id, request).ok());
        }
        QCOMPARE(project.ask(host).units.size(), std::size_t{1});
    }

    void whatIsNoLongerWantedIsWithdrawn()
    {
        SampleProject project;
        const auto host = project.volunteer(), other = project.volunteer();
        const auto late = project.unitIn(project.ask(host));
        auto request = requestOf(host);
        request.running = {{late.id, 3}, {"u-unknown", 1}};
        QCOMPARE(sure(project.scheduler->answer(host.id, request)).withdrawn,
                 std::vector<std::string>{"u-unknown"});
        QCOMPARE(sure(project.scheduler->answer(other.id,
                                                [&] {
                                                    auto theirs = requestOf(other);
                                                    theirs.running = {{late.id, 3}};
                                                    return theirs;
                                                }()))
                     .withdrawn,
                 std::vector<std::string>{late.id});
        project.clock.advance(24h);
        QCOMPARE(sure(project.scheduler->answer(host.id, request)).withdrawn.size(),
                 std::size_t{1});
        request.devices = {{.name = "Processor", .backend = "cpu", .wantsWork = true}};
        QVERIFY(project.scheduler->answer(host.id, request).ok()); // expires it
        QCOMPARE(sure(project.scheduler->answer(host.id, request)).withdrawn.size(),
                 std::size_t{2});
    }

    void aRoundNobodyServedStartsItsClockAgain()
    {
        SampleProject project;
        const auto host = project.volunteer();
        const auto lost = project.unitIn(project.ask(host));
        project.clock.advance(125s);
        const auto unit = project.unitIn(project.ask(host));
        QVERIFY(unit.id != lost.id);
        QVERIFY(unit.closesAt == project.clock.wall() + 100s);
        QCOMPARE(sure(project.store().unit(lost.id)).state, UnitState::Lost);
        QCOMPARE(leaseProblem(project.store(), "sample"), std::string());
    }

    void badCallsAreRefused()
    {
        SampleProject project;
        const auto host = project.volunteer(), other = project.volunteer();
        QCOMPARE(project.scheduler->answer(other.id, requestOf(host)).error().kind,
                 ErrorKind::Denied);
        auto request = requestOf(host);
        request.run = "nothing";
        QCOMPARE(project.scheduler->answer(host.id, request).error().kind, ErrorKind::NotFound);
        request = requestOf(host);
        request.protocol = 2;
        QCOMPARE(project.scheduler->answer(host.id, request).error().kind, ErrorKind::Protocol);
        Volunteer stranger{.key = SigningKey::generate(), .id = "h1"};
        QCOMPARE(project.scheduler->answer("h1", requestOf(stranger)).error().kind,
                 ErrorKind::NotFound);
    }

    void aPausedProjectGivesNothing()
    {
        SampleProject project;
        const auto host = project.volunteer();
        sure(project.store().setRunState("sample", "paused"));
        const auto reply = project.ask(host);
        QVERIFY(reply.units.empty());
        QVERIFY(!reply.reason.empty());
    }
};

QTEST_GUILESS_MAIN(SchedulerTest)
#include "tst_scheduler.moc"
