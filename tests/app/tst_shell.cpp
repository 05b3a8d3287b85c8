#include "app/languages.h"
#include "app/settings/settings_dialog.h"
#include "app/shell.h"
#include "app/tray/tray_icon.h"
#include "app/welcome/welcome_page.h"
#include "app/window/main_window.h"
#include "app/window/saving_dialog.h"
#include "tests/app/fake_agent.h"
#include "tests/app/sample_snapshots.h"
#include "tests/support/fake_clock.h"

#include <QApplication>
#include <QCheckBox>
#include <QDialog>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>

using namespace commonweight;
using namespace commonweight::app;
using namespace std::chrono_literals;

namespace {

class Desk {
public:
    explicit Desk(bool tray, bool attached = true, std::chrono::milliseconds patience = 10s)
    {
        loadResources();
        if (attached)
            agent.change(
                [&](agent::Snapshot& snapshot) { snapshot = sample::training(clock.wall()); });
        shell = std::make_unique<Shell>(Context{agent, clock},
                                        ShellOptions{.trayHostPresent = [tray] { return tray; },
                                                     .settings = {[this](bool on) -> Result<void> {
                                                         autostarts.push_back(on);
                                                         return {};
                                                     }},
                                                     .patience = patience});
        shell->start(false);
    }

    MainWindow& window() { return shell->window(); }
    QDialog* box(const char* name)
    {
        return window().findChild<QDialog*>(QString::fromLatin1(name));
    }
    void answer(const char* name, const char* button)
    {
        auto* question = box(name);
        QVERIFY(question);
        QTest::mouseClick(question->findChild<QPushButton*>(QString::fromLatin1(button)),
                          Qt::LeftButton);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }

    FakeAgent agent;
    FakeClock clock;
    std::vector<bool> autostarts;
    std::unique_ptr<Shell> shell;
};

} // namespace

class TestShell : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void closingHidesToTheTrayAndExplainsOnce()
    {
        Desk desk(true);
        desk.window().close();
        QVERIFY(desk.window().isVisible());
        desk.answer("trayExplained", "yes");
        QVERIFY(!desk.window().isVisible());
        QVERIFY(desk.agent.snapshot().preferences.closeToTrayExplained);
        QCOMPARE(desk.agent.stops, 0);
        desk.shell->openWindow();
        desk.window().close();
        QVERIFY(!desk.box("trayExplained"));
        QVERIFY(!desk.window().isVisible());
    }

    void theExplanationOffersToQuit()
    {
        Desk desk(true);
        desk.window().close();
        desk.answer("trayExplained", "no");
        QCOMPARE(desk.agent.stops, 1);
        QVERIFY(!desk.agent.snapshot().preferences.closeToTrayExplained);
    }

    void escapeAnswersNothing()
    {
        for (const bool tray : {true, false}) {
            Desk desk(tray);
            desk.window().close();
            auto* question = desk.box(tray ? "trayExplained" : "closeQuestion");
            QVERIFY(question);
            QTest::keyClick(question, Qt::Key_Escape);
            QVERIFY(!question->isVisible());
            QVERIFY(desk.window().isVisible());
            QVERIFY(!desk.window().isMinimized());
            QCOMPARE(desk.agent.stops, 0);
            QVERIFY(!desk.agent.snapshot().preferences.closeToTrayExplained);
        }
    }

    void withoutATrayClosingAsks()
    {
        Desk desk(false);
        desk.window().close();
        desk.answer("closeQuestion", "no");
        QVERIFY(desk.window().isMinimized());
        QCOMPARE(desk.agent.stops, 0);
        desk.shell->openWindow();
        QVERIFY(!desk.window().isMinimized());
        desk.window().close();
        desk.answer("closeQuestion", "yes");
        QCOMPARE(desk.agent.stops, 1);
    }

    void closingBeforeAnythingIsAttachedEndsTheProgram()
    {
        Desk desk(true, false);
        desk.window().close();
        QCOMPARE(desk.agent.stops, 1);
    }

    void quittingWaitsForTheAgent()
    {
        Desk desk(true);
        QSignalSpy finished(desk.shell.get(), &Shell::finished);
        desk.shell->quit();
        desk.shell->quit();
        QCOMPARE(desk.agent.stops, 1);
        QCOMPARE(finished.size(), 0);
        QVERIFY(desk.window().findChild<SavingDialog*>()->isVisible());
        desk.agent.finishStopping();
        QCOMPARE(finished.size(), 1);
    }

    void quittingDoesNotWaitForEver()
    {
        Desk desk(true, true, 50ms);
        QSignalSpy finished(desk.shell.get(), &Shell::finished);
        desk.shell->quit();
        QTRY_COMPARE(finished.size(), 1);
        desk.agent.finishStopping();
        QCOMPARE(finished.size(), 1);
    }

    void theSessionsEndWaitsForTheAgentWithinTheCall()
    {
        Desk desk(true);
        QSignalSpy finished(desk.shell.get(), &Shell::finished);
        QTimer::singleShot(30, &desk.agent, [&] { desk.agent.finishStopping(); });
        desk.shell->endSession();
        QCOMPARE(desk.agent.stops, 1);
        QCOMPARE(finished.size(), 1);
        desk.shell->endSession();
        QCOMPARE(desk.agent.stops, 1);
    }

    void startedMinimisedThereIsNoWindowButWithoutATrayAMinimisedOne()
    {
        {
            Desk desk(true);
            desk.window().hide();
            desk.shell->start(true);
            QVERIFY(!desk.window().isVisible());
        }
        Desk desk(false);
        desk.window().hide();
        desk.shell->start(true);
        QVERIFY(desk.window().isMinimized());
    }

    void aSecondStartRaisesTheWindow()
    {
        Desk desk(true);
        desk.window().hide();
        Q_EMIT desk.agent.raiseWindowRequested();
        QVERIFY(desk.window().isVisible());
    }

    void aLinkIsOfferedButNotFollowed()
    {
        Desk desk(true);
        desk.shell->offer(QStringLiteral("commonweight:https://other.example.org"));
        QVERIFY(desk.window().welcome()->isVisible());
        QVERIFY(desk.agent.attachments.isEmpty());
    }

    void attachJoinsAtOnceUnlessItIsJoinedAlready()
    {
        Desk desk(true);
        desk.shell->attach(QStringLiteral("https://verse.example.org/"));
        QVERIFY(desk.agent.attachments.isEmpty());
        desk.shell->attach(QStringLiteral("other.example.org"));
        QCOMPARE(desk.agent.attachments, QStringList{QStringLiteral("https://other.example.org")});
        desk.agent.refuse(QStringLiteral("There is no project at this address"));
        QVERIFY(desk.window().welcome()->isVisible());
    }

    void autostartChosenOnTheFirstRunIsCarriedOut()
    {
        Desk desk(true, false);
        desk.window().findChild<QCheckBox*>(QStringLiteral("autostart"))->setChecked(true);
        desk.shell->attach(QStringLiteral("https://verse.example.org"));
        QVERIFY(desk.autostarts.empty());
        desk.agent.answer(sample::project(desk.clock.wall()));
        QCOMPARE(desk.autostarts, std::vector<bool>{true});
        QVERIFY(desk.agent.snapshot().preferences.autostart);
    }

    void settingsOpenOnceAndAgain()
    {
        Desk desk(true);
        desk.shell->openSettings();
        auto* first = desk.shell->settings();
        desk.shell->openSettings();
        QCOMPARE(desk.shell->settings(), first);
        first->close();
        QTRY_VERIFY(!desk.shell->settings());
        desk.shell->openSettings();
        QVERIFY(desk.shell->settings()->isVisible());
    }
};

QTEST_MAIN(TestShell)
#include "tst_shell.moc"
