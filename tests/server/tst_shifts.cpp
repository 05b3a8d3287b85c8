// Hosts that go on while they send: a second unit on the same version that belongs to the next
// round, and results against the version that the host moved onto.

#include "tests/server/sample_rounds.h"

#include <functional>

using namespace commonweight;
using namespace commonweight::server;
using namespace std::chrono_literals;

namespace {

/// A host whose first unit ends, and that has its second one while it still sends.
struct BusyHost {
    explicit BusyHost(bool shifts = true) : project({.shiftOnArrival = shifts})
    {
        first = project.unitIn(project.ask(host));
        project.clock.advance(90s);
    }
    work::SchedulerReply askWhileSending() { return project.ask(host, {first.id}, 0, true); }

    SampleProject project;
    Volunteer host = project.volunteer();
    work::WorkUnit first;
};

using R = work::UnitResult;

struct BadShift {
    const char* name;
    void (*spoil)(work::UnitResult&);
    const char* reason;
};

const BadShift kBadShifts[]{
    {"a version that does not exist", [](R& r) { r.shifts.back().version = 9; },
     "moved onto version 9; the newest is 1"},
    {"a file against another version", [](R& r) { r.shifts.clear(); },
     "names another base version"},
    {"it continues what it does not know",
     [](R& r) {
         r.continues = work::Continuation{"u0", r.outerGradients};
     },
     "which is not this host's on the same version"},
};

} // namespace

class ShiftsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aHostThatSendsGetsTheNextUnitOnTheSameVersion()
    {
        BusyHost busy;
        const auto second = busy.project.unitIn(busy.askWhileSending());
        QVERIFY(second.mayShift);
        QVERIFY(!busy.first.mayShift);
        QCOMPARE(second.anchor.version, std::uint64_t{0});
        QCOMPARE(second.closesAt, busy.first.closesAt + 100s);
        QVERIFY(second.data != busy.first.data);
        QCOMPARE(sure(busy.project.store().unit(second.id)).round, std::uint64_t{1});
        // One ahead is enough.
        const auto again = busy.project.ask(busy.host, {busy.first.id, second.id}, 0, true);
        QVERIFY(again.units.empty());
        QVERIFY(again.withdrawn.empty());
        QCOMPARE(leaseProblem(busy.project.store(), "sample"), std::string());
    }

    void withoutTheOptionItWaits()
    {
        BusyHost busy(false);
        QVERIFY(busy.askWhileSending().units.empty());
    }

    void whoDoesNotSendWaits()
    {
        BusyHost busy;
        QVERIFY(busy.project.ask(busy.host, {busy.first.id}).units.empty());
    }

    void theRoundAtHandDoesNotWaitForTheUnitAhead()
    {
        BusyHost busy;
        auto& project = busy.project;
        const auto second = project.unitIn(busy.askWhileSending());
        sure(project.deliver(busy.host, project.answerTo(busy.host, busy.first, 20)));
        QCOMPARE(sure(project.syncer->tick()), 1);
        // The next round began with it, clock and all.
        QVERIFY(project.run().status.round.closesAt.has_value());
        QCOMPARE(sure(project.store().roundCounts("sample", {})).openUnits, 1U);
        QVERIFY(project.ask(busy.host, {second.id}).units.empty());
        QVERIFY(project.ask(busy.host, {second.id}).withdrawn.empty());
        const auto result = project.answerTo(busy.host, second, 20, 0.02F, {{1, 3}});
        QCOMPARE(sure(project.deliver(busy.host, result)).state, ResultState::Accepted);
        QCOMPARE(sure(project.store().result(result.id)).baseVersion, std::uint64_t{1});
        QCOMPARE(sure(project.syncer->tick()), 1);
        const auto log =
            sure(mergeLogEntryFromJson(sure(project.store().merges("sample", 2))[0].body));
        QCOMPARE(log.inputs[0].staleness, std::uint64_t{0}); // it moved onto version 1
        QVERIFY(replayAll(project).back().equal);
        QCOMPARE(leaseProblem(project.store(), "sample"), std::string());
    }

    void whoNeverGotTheNewVersionIsOneVersionLate()
    {
        BusyHost busy;
        auto& project = busy.project;
        const auto other = project.volunteer();
        const auto second = project.unitIn(busy.askWhileSending());
        sure(project.deliver(busy.host, project.answerTo(busy.host, busy.first, 20)));
        QCOMPARE(sure(project.syncer->tick()), 1);
        sure(project.deliver(busy.host, project.answerTo(busy.host, second, 20)));
        const auto theirs = project.unitIn(project.ask(other));
        sure(project.deliver(other, project.answerTo(other, theirs, 20)));
        project.clock.advance(11s);
        QCOMPARE(sure(project.syncer->tick()), 1);
        const auto log =
            sure(mergeLogEntryFromJson(sure(project.store().merges("sample", 2))[0].body));
        QCOMPARE(log.inputs.size(), std::size_t{2});
        QCOMPARE(log.inputs[0].staleness, std::uint64_t{1});
        QCOMPARE(log.inputs[1].staleness, std::uint64_t{0});
    }

    void itMayContinueItsOwnLastUnit()
    {
        BusyHost busy;
        auto& project = busy.project;
        const auto second = project.unitIn(busy.askWhileSending());
        const auto before = project.answerTo(busy.host, busy.first, 20);
        sure(project.deliver(busy.host, before));
        auto result = project.answerTo(busy.host, second, 20);
        result.continues = work::Continuation{busy.first.id, before.outerGradients};
        QCOMPARE(sure(project.deliver(busy.host, result)).state, ResultState::Accepted);
    }

    void itMayContinueAUnitThatMovedOntoItsVersion_data()
    {
        QTest::addColumn<bool>("reported"); // the continued unit's result is in before
        QTest::addColumn<bool>("moved");
        QTest::addColumn<bool>("accepted");
        QTest::newRow("still on its way") << false << true << true;
        QTest::newRow("in, and moved") << true << true << true;
        QTest::newRow("in, and not moved") << true << false << false;
    }
    void itMayContinueAUnitThatMovedOntoItsVersion()
    {
        QFETCH(bool, reported);
        QFETCH(bool, moved);
        QFETCH(bool, accepted);
        BusyHost busy;
        auto& project = busy.project;
        const auto second = project.unitIn(busy.askWhileSending());
        sure(project.deliver(busy.host, project.answerTo(busy.host, busy.first, 20)));
        QCOMPARE(sure(project.syncer->tick()), 1);
        const auto third = project.unitIn(project.ask(busy.host, {second.id}, 0, true));
        QVERIFY(third.mayShift);
        QCOMPARE(third.anchor.version, std::uint64_t{1});
        const std::vector<work::Shift> shifts =
            moved ? std::vector<work::Shift>{{1, 3}} : std::vector<work::Shift>{};
        const auto before = project.answerTo(busy.host, second, 20, 0.02F, shifts);
        if (reported)
            sure(project.deliver(busy.host, before));
        auto result = project.answerTo(busy.host, third, 20);
        result.continues = work::Continuation{second.id, before.outerGradients};
        const auto admitted = project.deliver(busy.host, result);
        QCOMPARE(admitted.ok(), accepted);
        if (accepted)
            QCOMPARE(admitted->state, ResultState::Accepted);
    }

    void aShiftThatCannotBeIsRefused_data()
    {
        QTest::addColumn<int>("row");
        for (int row = 0; row < static_cast<int>(std::size(kBadShifts)); ++row)
            QTest::newRow(kBadShifts[row].name) << row;
    }
    void aShiftThatCannotBeIsRefused()
    {
        QFETCH(int, row);
        BusyHost busy;
        auto& project = busy.project;
        const auto second = project.unitIn(busy.askWhileSending());
        sure(project.deliver(busy.host, project.answerTo(busy.host, busy.first, 20)));
        QCOMPARE(sure(project.syncer->tick()), 1);
        auto result = project.answerTo(busy.host, second, 20, 0.02F, {{1, 3}});
        kBadShifts[row].spoil(result);
        const auto admitted = project.deliver(busy.host, result);
        QVERIFY(!admitted.ok());
        QCOMPARE(admitted.error().kind, ErrorKind::Protocol);
        QVERIFY2(admitted.error().message.find(kBadShifts[row].reason) != std::string::npos,
                 admitted.error().message.c_str());
    }
};

QTEST_GUILESS_MAIN(ShiftsTest)
#include "tst_shifts.moc"
