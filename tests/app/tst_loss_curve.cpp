#include "app/window/loss_curve.h"
#include "tests/app/sample_snapshots.h"
#include "tests/support/fake_clock.h"

#include <QTest>

using namespace commonweight;
using namespace commonweight::app;
using namespace std::chrono_literals;

namespace {

const WallTime kStart{1'800'000'000s};

work::RunInfo runWith(std::vector<double> losses)
{
    work::RunInfo run;
    run.id = "run";
    for (std::size_t i = 0; i < losses.size(); ++i)
        run.losses.push_back({.version = i,
                              .tokens = i * 1000,
                              .loss = losses[i],
                              .time = kStart + std::chrono::hours(i)});
    return run;
}

agent::TaskView unitAt(WallTime time, agent::TaskState state = agent::TaskState::Committed)
{
    agent::TaskView task;
    task.run = "run";
    task.state = state;
    task.since = time;
    return task;
}

} // namespace

class TestLossCurve : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyPointIsThereInOrder()
    {
        const auto curve = lossCurve(runWith({3, 2, 1.5}));
        QCOMPARE(curve.size(), std::size_t(3));
        QCOMPARE(curve[1], (CurvePoint{1000, 2, 1}));
        QCOMPARE(curve[2], (CurvePoint{2000, 1.5, 2}));
    }

    void valuesThatAreNoNumbersAreLeftOut()
    {
        const auto curve = lossCurve(runWith({3, std::nan(""), INFINITY, 1.5}));
        QCOMPARE(curve.size(), std::size_t(2));
        QCOMPARE(curve.back().loss, 1.5);
    }

    void aLongHistoryIsThinnedAndKeepsItsEnds()
    {
        std::vector<double> losses;
        for (int i = 0; i < 5000; ++i)
            losses.push_back(3 - i * 1e-4);
        const auto curve = lossCurve(runWith(losses), 100);
        QCOMPARE(curve.size(), std::size_t(100));
        QCOMPARE(curve.front().version, std::uint64_t(0));
        QCOMPARE(curve.back().version, std::uint64_t(4999));
    }

    void ownUnitsLieOnTheCurveAtTheirTime()
    {
        const auto marks = ownMarks(runWith({3, 2, 1}), {unitAt(kStart + 90min)});
        QCOMPARE(marks.size(), std::size_t(1));
        QCOMPARE(marks[0].tokens, 1500.0);
        QCOMPARE(marks[0].loss, 1.5);
    }

    void unitsThatAreNotHandedInOrOutsideTheCurveHaveNoMark_data()
    {
        QTest::addColumn<int>("minutes");
        QTest::addColumn<int>("state");
        QTest::newRow("before the first point") << -1 << int(agent::TaskState::Committed);
        QTest::newRow("after the last point") << 121 << int(agent::TaskState::Committed);
        QTest::newRow("still running") << 90 << int(agent::TaskState::Running);
        QTest::newRow("failed") << 90 << int(agent::TaskState::Failed);
    }
    void unitsThatAreNotHandedInOrOutsideTheCurveHaveNoMark()
    {
        QFETCH(int, minutes);
        QFETCH(int, state);
        const auto unit = unitAt(kStart + std::chrono::minutes(minutes), agent::TaskState(state));
        QVERIFY(ownMarks(runWith({3, 2, 1}), {unit}).empty());
    }

    void unitsOfAnotherRunHaveNoMark()
    {
        auto unit = unitAt(kStart + 90min);
        unit.run = "another";
        QVERIFY(ownMarks(runWith({3, 2, 1}), {unit}).empty());
    }

    void improvementIsTheShareThatIsGone()
    {
        QCOMPARE(improvement(lossCurve(runWith({4, 3, 1}))), 0.75);
        QCOMPARE(improvement(lossCurve(runWith({4}))), 0.0);
        QCOMPARE(improvement(lossCurve(runWith({2, 3}))), 0.0);
    }
};

QTEST_GUILESS_MAIN(TestLossCurve)
#include "tst_loss_curve.moc"
