#include "app/languages.h"
#include "app/look/text.h"
#include "app/tray/activity_icon.h"
#include "app/tray/tray_icon.h"
#include "app/window/pause_menu.h"
#include "engine/agent/reason_text.h"
#include "tests/app/fake_agent.h"
#include "tests/app/sample_snapshots.h"
#include "tests/support/fake_clock.h"

#include <QAction>
#include <QSet>
#include <QSignalSpy>
#include <QTest>

using namespace commonweight;
using namespace commonweight::app;
using namespace std::chrono_literals;

namespace {

WallTime at(int year, int month, int day, int hour, int minute)
{
    const QDateTime time(QDate(year, month, day), QTime(hour, minute));
    return WallTime{std::chrono::milliseconds(time.toMSecsSinceEpoch())};
}

QAction* action(QMenu* menu, const QString& text)
{
    for (auto* candidate : menu->actions())
        if (candidate->text().startsWith(text))
            return candidate;
    return nullptr;
}

} // namespace

class TestPause : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { loadResources(); }

    void eachChoiceSendsItsEnd_data()
    {
        QTest::addColumn<int>("index");
        QTest::addColumn<int>("minutes");
        QTest::newRow("15 minutes") << 0 << 15;
        QTest::newRow("1 hour") << 1 << 60;
        QTest::newRow("3 hours") << 2 << 180;
    }
    void eachChoiceSendsItsEnd()
    {
        QFETCH(int, index);
        QFETCH(int, minutes);
        FakeAgent agent;
        FakeClock clock;
        PauseMenu menu({agent, clock}, nullptr);
        clock.advance(7min); // the end counts from the click, not from when the menu was made
        menu.actions().at(index)->trigger();
        QCOMPARE(agent.pauses.at(0),
                 std::optional<WallTime>(clock.wall() + std::chrono::minutes(minutes)));
    }

    void untilTomorrowIsTheNextMorning()
    {
        FakeAgent agent;
        FakeClock clock(at(2026, 12, 1, 20, 30));
        PauseMenu menu({agent, clock}, nullptr);
        QVERIFY(menu.actions().at(3)->text().contains(QStringLiteral("06:00")) ||
                menu.actions().at(3)->text().contains(QStringLiteral("6:00")));
        menu.actions().at(3)->trigger();
        QCOMPARE(agent.pauses.at(0), std::optional(at(2026, 12, 2, 6, 0)));
    }

    void untilIResumeHasNoEnd()
    {
        FakeAgent agent;
        FakeClock clock;
        PauseMenu menu({agent, clock}, nullptr);
        menu.actions().at(4)->trigger();
        QCOMPARE(agent.pauses.size(), std::size_t(1));
        QVERIFY(!agent.pauses[0]);
    }

    void theMorningAfterALateNightIsTheSameDays_data()
    {
        QTest::addColumn<int>("hour");
        QTest::addColumn<int>("day");
        QTest::newRow("evening") << 23 << 2;
        QTest::newRow("after midnight") << 1 << 1;
        QTest::newRow("five in the morning") << 5 << 2;
    }
    void theMorningAfterALateNightIsTheSameDays()
    {
        QFETCH(int, hour);
        QFETCH(int, day);
        QCOMPARE(nextMorning(at(2026, 12, 1, hour, 10)), at(2026, 12, day, 6, 0));
    }

    void theTrayShowsTheHeadlineAndSwitchesToResume()
    {
        FakeAgent agent;
        FakeClock clock;
        agent.change([&](agent::Snapshot& snapshot) { snapshot = sample::training(clock.wall()); });
        TrayIcon tray({agent, clock}, [] { return true; });
        auto* headline = tray.menu()->actions().front();
        QVERIFY(!headline->isEnabled());
        QCOMPARE(headline->text(), agent::headline(agent.snapshot(), clock.wall()));
        QVERIFY(tray.toolTip().contains(headline->text()));
        auto* pause = action(tray.menu(), QStringLiteral("Pause"));
        auto* resume = action(tray.menu(), QStringLiteral("Resume"));
        QVERIFY(pause->isVisible() && !resume->isVisible());
        pause->menu()->actions().at(4)->trigger();
        QVERIFY(!pause->isVisible() && resume->isVisible());
        resume->trigger();
        QCOMPARE(agent.resumes, 1);
    }

    void theTrayAsksForWhatItsMenuSays()
    {
        FakeAgent agent;
        FakeClock clock;
        TrayIcon tray({agent, clock}, [] { return true; });
        QSignalSpy open(&tray, &TrayIcon::openRequested);
        QSignalSpy settings(&tray, &TrayIcon::settingsRequested);
        QSignalSpy quit(&tray, &TrayIcon::quitRequested);
        action(tray.menu(), QStringLiteral("Open"))->trigger();
        action(tray.menu(), QStringLiteral("Settings"))->trigger();
        action(tray.menu(), QStringLiteral("Quit"))->trigger();
        QCOMPARE(open.size() + settings.size() + quit.size(), 3);
    }

    void aTrayThatAppearsLaterGetsTheIcon()
    {
        FakeAgent agent;
        FakeClock clock;
        bool present = false;
        TrayIcon tray({agent, clock}, [&] { return present; });
        QVERIFY(!tray.isShown());
        present = true;
        tray.lookForHost();
        QVERIFY(tray.isShown());
        present = false;
        tray.lookForHost();
        QVERIFY(!tray.isShown());
    }

    void everyActivityHasItsOwnShape()
    {
        using agent::Activity;
        QSet<QByteArray> shapes;
        const auto activities = {Activity::Training, Activity::Waiting, Activity::Paused,
                                 Activity::Transferring, Activity::Attention};
        for (const auto activity : activities) {
            const auto picture = activityIcon(activity)
                                     .pixmap(QSize(22, 22))
                                     .toImage()
                                     .convertToFormat(QImage::Format_Alpha8);
            QVERIFY(!picture.isNull());
            shapes.insert(QByteArray(reinterpret_cast<const char*>(picture.constBits()),
                                     picture.sizeInBytes()));
        }
        QCOMPARE(shapes.size(), qsizetype(activities.size()));
    }
};

QTEST_MAIN(TestPause)
#include "tst_pause.moc"
