#include "engine/agent/reason_text.h"

#include <QDateTime>
#include <QTest>

using namespace commonweight;
using namespace commonweight::agent;
using namespace std::chrono_literals;

namespace {

/// Noon here, so that "today" does not depend on the time zone.
WallTime noon()
{
    return WallTime{
        std::chrono::milliseconds{QDateTime(QDate(2026, 12, 1), QTime(12, 0)).toMSecsSinceEpoch()}};
}

constexpr std::array kReasons{
    Reason::NotAttached,       Reason::OnBattery,    Reason::LowMemory,    Reason::LowDisk,
    Reason::PausedByUser,      Reason::UserActive,   Reason::SwitchedOff,  Reason::NoWork,
    Reason::ServerUnreachable, Reason::DeviceFailed, Reason::Preparing,    Reason::Stopping,
    Reason::LowCharge,         Reason::PowerSaver,   Reason::TooHot,       Reason::GameRunning,
    Reason::OthersBusy,        Reason::OutOfHours,   Reason::VideoPlaying, Reason::NotConfined};

} // namespace

class TestReasonText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void everyReasonHasItsOwnWords()
    {
        QSet<QString> seen;
        for (const Reason reason : kReasons) {
            const QString text = describe({reason, std::nullopt}, {}, noon());
            QVERIFY(text.size() > 10);
            QVERIFY(!text.contains(QStringLiteral("%1")));
            QVERIFY(!seen.contains(text));
            seen.insert(text);
        }
    }

    void theUserIsToldHowLongWithoutInput()
    {
        Preferences preferences;
        QCOMPARE(describe({Reason::UserActive, noon() + 3min}, preferences, noon()),
                 QStringLiteral("you are using the computer, until 5 minutes without input"));
        preferences.idleMinutes = 1;
        QCOMPARE(describe({Reason::UserActive, noon()}, preferences, noon()),
                 QStringLiteral("you are using the computer, until a minute without input"));
    }

    void aProgramIsNamedAndTheScheduleSaysWhenItGoesOn()
    {
        QCOMPARE(describe({Reason::ProgramRunning, std::nullopt, "blender"}, {}, noon()),
                 QStringLiteral("blender is running, until it closes"));
        QVERIFY(describe({Reason::OutOfHours, noon() + 90min}, {}, noon())
                    .contains(QStringLiteral("13:30")));
    }

    void aPauseSaysWhenItEnds()
    {
        QVERIFY(describe({Reason::PausedByUser, noon() + 30min}, {}, noon())
                    .contains(QStringLiteral("12:30")));
        QVERIFY(describe({Reason::PausedByUser, noon() + 30min}, {}, noon())
                    .contains(QStringLiteral("about 30 minutes")));
        QVERIFY(describe({Reason::PausedByUser, noon() + 20h}, {}, noon())
                    .contains(QStringLiteral("tomorrow")));
        QVERIFY(describe({Reason::PausedByUser, std::nullopt}, {}, noon())
                    .contains(QStringLiteral("until you resume")));
    }

    void durationsAreRoundedForPeople_data()
    {
        QTest::addColumn<double>("seconds");
        QTest::addColumn<QString>("text");
        QTest::newRow("negative") << -3.0 << QStringLiteral("less than a minute");
        QTest::newRow("short") << 59.0 << QStringLiteral("less than a minute");
        QTest::newRow("one") << 61.0 << QStringLiteral("about a minute");
        QTest::newRow("twelve") << 720.0 << QStringLiteral("about 12 minutes");
        QTest::newRow("almost an hour") << 3580.0 << QStringLiteral("about an hour");
        QTest::newRow("two hours") << 7300.0 << QStringLiteral("2 hours");
        QTest::newRow("days") << 300'000.0 << QStringLiteral("3 days");
    }
    void durationsAreRoundedForPeople()
    {
        QFETCH(double, seconds);
        QFETCH(QString, text);
        QCOMPARE(describeDuration(Seconds{seconds}), text);
    }

    void theHeadlineNamesAllBlockers()
    {
        Snapshot snapshot;
        snapshot.activity = Activity::Paused;
        snapshot.blockers = {{Reason::OnBattery, std::nullopt}, {Reason::UserActive, std::nullopt}};
        const QString text = headline(snapshot, noon());
        QVERIFY(text.startsWith(QStringLiteral("Paused because ")));
        QVERIFY(text.contains(QStringLiteral("battery")));
        QVERIFY(text.contains(QStringLiteral("using the computer")));
    }

    void theHeadlineSaysHowLongTheSlowestTaskTakes()
    {
        Snapshot snapshot;
        snapshot.activity = Activity::Training;
        QCOMPARE(headline(snapshot, noon()), QStringLiteral("Training"));
        TaskView task;
        task.state = TaskState::Running;
        task.secondsLeft = 720;
        snapshot.tasks = {task, task};
        snapshot.tasks[1].secondsLeft = 60;
        QCOMPARE(headline(snapshot, noon()), QStringLiteral("Training – about 12 minutes left"));
    }

    void attentionSaysWhatIsWrong()
    {
        Snapshot snapshot;
        snapshot.activity = Activity::Attention;
        snapshot.devices.push_back(
            {"cpu", "Processor", false, {{Reason::DeviceFailed, std::nullopt}}, 0});
        QVERIFY(headline(snapshot, noon()).contains(QStringLiteral("Processor")));
        snapshot.projects.push_back({"http://x", "X", "the key changed", {}});
        QVERIFY(headline(snapshot, noon()).contains(QStringLiteral("the key changed")));
    }
};

QTEST_GUILESS_MAIN(TestReasonText)
#include "tst_reason_text.moc"
