// When a round closes: the table of the training page.

#include "server/sync/round_policy.h"

#include <QTest>

#include <cmath>

using namespace commonweight;
using namespace commonweight::server;

namespace {

constexpr WallTime kOpened{std::chrono::seconds{1'000'000}};

/// A round of 100 s with 20 s of grace whose clock started at its opening.
struct Row {
    int at = 0;       ///< seconds since it opened
    int closes = 100; ///< -1: the clock does not run
    std::uint32_t open = 0, fresh = 0, stale = 0, returning = 0;
    std::uint32_t quorum = 1, target = 16;
};

RoundAction decide(const Row& row)
{
    RoundView view;
    view.now = kOpened + std::chrono::seconds(row.at);
    view.clock.openedAt = kOpened;
    if (row.closes >= 0)
        view.clock.closesAt = kOpened + std::chrono::seconds(row.closes);
    view.counts = {.openUnits = row.open,
                   .freshResults = row.fresh,
                   .staleResults = row.stale,
                   .returningHosts = row.returning};
    view.policy.seconds = 100;
    view.policy.graceShare = 0.2;
    view.policy.graceGamma = 0; // a fixed grace
    view.policy.minimumQuorum = row.quorum;
    view.policy.target = row.target;
    return decideRound(view);
}

} // namespace

class RoundPolicyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rounds_data()
    {
        QTest::addColumn<Row>("row");
        QTest::addColumn<RoundAction>("action");
        const auto wait = RoundAction::Wait, merge = RoundAction::Merge,
                   stop = RoundAction::StopClock;

        QTest::newRow("nobody yet") << Row{.at = 500, .closes = -1} << wait;
        QTest::newRow("units out, nothing in") << Row{.at = 50, .open = 3} << wait;
        QTest::newRow("some are in, some are not") << Row{.at = 50, .open = 1, .fresh = 2} << wait;
        QTest::newRow("all have reported: early close") << Row{.at = 50, .fresh = 3} << merge;
        QTest::newRow("one volunteer alone") << Row{.at = 50, .fresh = 1} << merge;
        QTest::newRow("the clock is over, uploads may be on their way")
            << Row{.at = 110, .open = 1, .fresh = 2} << wait;
        QTest::newRow("the grace is over") << Row{.at = 120, .open = 1, .fresh = 2} << merge;
        QTest::newRow("just before the grace ends")
            << Row{.at = 119, .open = 1, .fresh = 2} << wait;
        QTest::newRow("the target is reached at once")
            << Row{.at = 5, .open = 40, .fresh = 16} << merge;
        QTest::newRow("late results count for the target")
            << Row{.at = 5, .open = 40, .fresh = 10, .stale = 6} << merge;
        QTest::newRow("too few for the quorum, all reported")
            << Row{.at = 50, .fresh = 1, .quorum = 2} << wait;
        QTest::newRow("a late result completes the quorum")
            << Row{.at = 50, .fresh = 1, .stale = 1, .quorum = 2} << merge;
        QTest::newRow("too few for the quorum, grace over")
            << Row{.at = 130, .open = 1, .fresh = 1, .quorum = 2} << wait;
        QTest::newRow("a round later the quorum is let go")
            << Row{.at = 220, .open = 1, .fresh = 1, .quorum = 2} << merge;
        QTest::newRow("late results never make a round of their own")
            << Row{.at = 500, .closes = -1, .stale = 3} << wait;
        QTest::newRow("late results wait for fresh ones")
            << Row{.at = 50, .open = 1, .stale = 3} << wait;
        QTest::newRow("nobody reported in time: the clock stops")
            << Row{.at = 120, .open = 2} << stop;
        QTest::newRow("all gave up: the clock stops at once") << Row{.at = 30} << stop;
        QTest::newRow("a late first result after the clock stopped")
            << Row{.at = 300, .closes = -1, .open = 2, .fresh = 1} << merge;
        QTest::newRow("others come back for the next unit: gathered first")
            << Row{.at = 5, .fresh = 1, .returning = 2} << wait;
        QTest::newRow("who does not come back is not waited for")
            << Row{.at = 10, .fresh = 1, .returning = 2} << merge;
    }
    void rounds()
    {
        QFETCH(Row, row);
        QFETCH(RoundAction, action);
        QCOMPARE(decide(row), action);
    }

    void theGraceFollowsTheFastestHost_data()
    {
        QTest::addColumn<int>("firstReport");
        QTest::addColumn<double>("merge");
        QTest::addColumn<double>("gamma");
        QTest::addColumn<double>("grace");
        // A round of 100 s; a host is busy for 50 s after its report.
        QTest::newRow("reported when the clock ended: half of its slack")
            << 100 << 0.0 << 0.4 << 20.0;
        QTest::newRow("never more than the largest share") << 100 << 0.0 << 0.9 << 25.0;
        QTest::newRow("reported earlier: less is left") << 90 << 0.0 << 0.4 << 16.0;
        QTest::newRow("the merge takes its part") << 90 << 5.0 << 0.4 << 14.0;
        QTest::newRow("idle before the clock ends: the least") << 40 << 0.0 << 0.4 << 10.0;
        QTest::newRow("a merge longer than the slack: the least") << 100 << 60.0 << 0.4 << 10.0;
        QTest::newRow("nobody reported: nobody waits") << -1 << 0.0 << 0.4 << 25.0;
        QTest::newRow("a run with a fixed grace") << 40 << 0.0 << 0.0 << 25.0;
    }
    void theGraceFollowsTheFastestHost()
    {
        QFETCH(int, firstReport);
        QFETCH(double, merge);
        QFETCH(double, gamma);
        QFETCH(double, grace);
        RoundView view;
        view.clock = {kOpened, kOpened + std::chrono::seconds(100)};
        view.policy.seconds = 100;
        view.policy.graceShare = 0.25;
        view.policy.graceLeast = 0.1;
        view.policy.overlapShare = 0.5;
        view.policy.graceGamma = gamma;
        view.mergeTime = Seconds{merge};
        if (firstReport >= 0)
            view.counts.firstReport = kOpened + std::chrono::seconds(firstReport);
        QVERIFY2(std::abs(graceWindow(view).count() - grace) < 1e-9,
                 std::to_string(graceWindow(view).count()).c_str());
        // The window is what the round waits for.
        view.counts.openUnits = 1;
        view.counts.freshResults = 1;
        const auto end = *view.clock.closesAt +
                         std::chrono::milliseconds(static_cast<int>(std::lround(grace * 1000)));
        view.now = end - std::chrono::milliseconds(2);
        QCOMPARE(decideRound(view), RoundAction::Wait);
        view.now = end + std::chrono::milliseconds(2);
        QCOMPARE(decideRound(view), RoundAction::Merge);
    }

    void theGraceIsAtMostHalfAUnit()
    {
        RoundView view;
        view.clock = {kOpened, kOpened + std::chrono::seconds(100)};
        view.policy.seconds = 100;
        view.policy.graceShare = 0.8;
        QCOMPARE(graceWindow(view), Seconds{50});
    }

    void gatheringIsShort()
    {
        work::RoundPolicyConfig policy;
        policy.seconds = 1200;
        QCOMPARE(gatheringTime(policy), Seconds{10});
        policy.seconds = 20;
        QCOMPARE(gatheringTime(policy), Seconds{2});
    }
};

QTEST_GUILESS_MAIN(RoundPolicyTest)
#include "tst_round_policy.moc"
