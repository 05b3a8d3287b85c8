#include "engine/training/control.h"

#include <QTest>

#include <atomic>
#include <limits>
#include <thread>

using namespace commonweight;
using training::Control;
using training::Ending;

class TestControl : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void itStartsRunningAtFullSpeed()
    {
        const auto state = Control().state();
        QVERIFY(!state.paused && !state.release);
        QCOMPARE(state.dutyCycle, 1.0);
        QVERIFY(state.ending == Ending::None);
    }

    void releaseStaysUntilResume()
    {
        Control control;
        control.pause(false);
        QVERIFY(control.state().paused && !control.state().release);
        control.pause(true);
        control.pause(false); // a second reason to pause gives nothing back
        QVERIFY(control.state().release);
        control.resume();
        QVERIFY(!control.state().paused && !control.state().release);
        control.pause(false);
        QVERIFY(!control.state().release);
    }

    void dutyCyclesAreBounded_data()
    {
        QTest::addColumn<double>("asked");
        QTest::addColumn<double>("kept");
        QTest::newRow("half") << 0.5 << 0.5;
        QTest::newRow("zero") << 0.0 << 0.1;
        QTest::newRow("negative") << -1.0 << 0.1;
        QTest::newRow("too much") << 7.0 << 1.0;
        QTest::newRow("not a number") << std::numeric_limits<double>::quiet_NaN() << 0.1;
    }
    void dutyCyclesAreBounded()
    {
        QFETCH(const double, asked);
        QFETCH(const double, kept);
        Control control;
        control.throttle(asked);
        QCOMPARE(control.state().dutyCycle, kept);
        control.reset(asked);
        QCOMPARE(control.state().dutyCycle, kept);
    }

    void checkpointWinsOverDeliver()
    {
        Control control;
        control.end(Ending::Deliver);
        QVERIFY(control.state().ending == Ending::Deliver);
        control.end(Ending::Checkpoint);
        control.end(Ending::Deliver);
        QVERIFY(control.state().ending == Ending::Checkpoint);
        control.reset(1);
        QVERIFY(control.state().ending == Ending::None);
    }

    void aCommandThatIsNotSeenYetIsNotSleptThrough()
    {
        Control control;
        const auto seen = control.state();
        control.resume();
        control.waitForChange(seen); // returns, or the test's time-out ends it
        control.rest(std::chrono::hours{1}, seen);
    }

    void aRestEndsWithACommand()
    {
        Control control;
        const auto seen = control.state();
        std::atomic<bool> rested = false;
        std::thread sleeper([&] {
            control.rest(std::chrono::hours{1}, seen);
            rested = true;
        });
        control.pause(false);
        sleeper.join();
        QVERIFY(rested);
    }

    void aRestEndsByItself()
    {
        Control control;
        control.rest(std::chrono::milliseconds{1}, control.state());
    }
};

QTEST_GUILESS_MAIN(TestControl)
#include "tst_control.moc"
