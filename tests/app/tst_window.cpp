// The window as a person meets it: on an X server with a window manager and a tray where these are
// installed, driven by pointer and keyboard. Leaves the screenshots that the documents show.

#include "app/languages.h"
#include "app/look/palette.h"
#include "app/settings/settings_dialog.h"
#include "app/shell.h"
#include "app/tray/tray_host.h"
#include "app/tray/tray_icon.h"
#include "app/window/main_window.h"
#include "app/window/status_header.h"
#include "tests/app/fake_agent.h"
#include "tests/app/hands.h"
#include "tests/app/sample_snapshots.h"
#include "tests/app/virtual_display.h"
#include "tests/support/fake_clock.h"

#include <QAbstractButton>
#include <QApplication>
#include <QDir>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QStyleFactory>

using namespace commonweight;
using namespace commonweight::app;
using namespace std::chrono_literals;

namespace {

constexpr WallTime kNow{1'796'243'400s}; // 2 December 2026, 20:30 UTC
constexpr int kPatienceMs = 20'000;      // a busy machine is slow, never wrong
const VirtualDisplay* g_display = nullptr;

QPalette darkPalette()
{
    QPalette palette(QColor(0x2d, 0x30, 0x36), QColor(0x26, 0x29, 0x2e));
    palette.setColor(QPalette::Base, QColor(0x1e, 0x20, 0x24));
    palette.setColor(QPalette::AlternateBase, QColor(0x24, 0x27, 0x2b));
    palette.setColor(QPalette::Highlight, QColor(0x3d, 0x9b, 0xe0));
    palette.setColor(QPalette::HighlightedText, Qt::white);
    for (auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(role, QColor(0xe8, 0xea, 0xed));
    for (auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, QColor(0x7c, 0x82, 0x8a));
    return palette;
}

class Desk {
public:
    explicit Desk(bool attached)
    {
        if (attached)
            agent.change([](agent::Snapshot& snapshot) { snapshot = sample::training(kNow); });
        shell = std::make_unique<Shell>(
            Context{agent, clock},
            ShellOptions{.trayHostPresent = isTrayHostPresent, .settings = {}});
        shell->start(false);
        // The window manager has only just started beside us; until it listens, nobody hands out
        // the focus.
        for (int attempt = 0; attempt < 6 && !QTest::qWaitForWindowActive(&shell->window());
             ++attempt)
            shell->window().activateWindow();
        QTest::qWait(100);
    }

    MainWindow& window() { return shell->window(); }

    FakeAgent agent;
    FakeClock clock{kNow};
    std::unique_ptr<Shell> shell;
};

/// Mostly dark: nothing kept the colours of the light desktop.
bool isDark(QWidget& widget)
{
    const auto picture = widget.grab().toImage().scaled(64, 64);
    int bright = 0;
    for (int y = 0; y < 64; ++y)
        for (int x = 0; x < 64; ++x)
            bright += qGray(picture.pixel(x, y)) > 128;
    return bright < 64 * 64 / 5;
}

void keepPicture(QWidget& widget, const char* name)
{
    const auto folder =
        qEnvironmentVariable("COMMONWEIGHT_SCREENSHOTS", QCoreApplication::applicationDirPath() +
                                                             QStringLiteral("/screenshots"));
    QVERIFY(QDir().mkpath(folder));
    QTest::qWait(150);
    const auto file = QStringLiteral("%1/%2.png").arg(folder, QString::fromLatin1(name));
    QVERIFY(widget.grab().save(file));
    QVERIFY(QFileInfo(file).size() < 200'000);
}

} // namespace

class TestWindow : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aFirstRunIsTypedAndClicked()
    {
        Desk desk(false);
        auto* address = desk.window().findChild<QLineEdit*>(QStringLiteral("address"));
        m_hands.click(address);
        m_hands.type(QStringLiteral("not a project"));
        m_hands.press(QStringLiteral("Return"), Qt::Key_Return);
        QVERIFY(desk.agent.attachments.isEmpty());
        keepPicture(desk.window(), "welcome-error");
        m_hands.press(QStringLiteral("ctrl+a"), Qt::Key_A, Qt::ControlModifier);
        m_hands.type(QStringLiteral("verse.example.org"));
        keepPicture(desk.window(), "welcome");
        m_hands.click(desk.window().findChild<QPushButton*>(QStringLiteral("start")));
        QTRY_COMPARE_WITH_TIMEOUT(desk.agent.attachments,
                                  QStringList{QStringLiteral("https://verse.example.org")},
                                  kPatienceMs);
        desk.agent.answer(sample::project(kNow));
        QTRY_VERIFY_WITH_TIMEOUT(desk.window().findChild<StatusHeader*>()->isVisible(),
                                 kPatienceMs);
    }

    void everyPageIsReachedByKeyboard()
    {
        Desk desk(true);
        keepPicture(desk.window(), "overview");
        const struct {
            const char* name;
            const char* keys;
            Qt::Key key;
        } pages[] = {{"work", "ctrl+2", Qt::Key_2},
                     {"transfers", "ctrl+3", Qt::Key_3},
                     {"statistics", "ctrl+4", Qt::Key_4},
                     {"model", "ctrl+5", Qt::Key_5},
                     {"log", "ctrl+6", Qt::Key_6}};
        auto* stack =
            desk.window().findChild<StatusHeader*>()->parentWidget()->findChild<QStackedWidget*>();
        int index = 0;
        for (const auto& page : pages) {
            m_hands.press(QString::fromLatin1(page.keys), page.key, Qt::ControlModifier);
            ++index;
            QTRY_COMPARE_WITH_TIMEOUT(stack->currentIndex(), index, kPatienceMs);
            keepPicture(desk.window(), page.name);
        }
    }

    void thePauseMenuIsClickedAndResumed()
    {
        Desk desk(true);
        auto* header = desk.window().findChild<StatusHeader*>();
        m_hands.choose(header->findChild<QPushButton*>(QStringLiteral("pause")), 1);
        QTRY_COMPARE_WITH_TIMEOUT(desk.agent.pauses.size(), std::size_t(1), kPatienceMs);
        QCOMPARE(desk.agent.pauses[0], std::optional(kNow + 1h));
        auto* resume = header->findChild<QPushButton*>(QStringLiteral("resume"));
        QTRY_VERIFY_WITH_TIMEOUT(resume->isVisible(), kPatienceMs);
        keepPicture(desk.window(), "paused");
        m_hands.click(resume);
        QTRY_COMPARE_WITH_TIMEOUT(desk.agent.resumes, 1, kPatienceMs);
    }

    void theSettingsAreChangedWithTheMouse()
    {
        Desk desk(true);
        m_hands.click(desk.window().findChild<QAbstractButton*>(QStringLiteral("settings")));
        QTRY_VERIFY_WITH_TIMEOUT(desk.shell->settings(), kPatienceMs);
        auto* settings = desk.shell->settings();
        QVERIFY(QTest::qWaitForWindowExposed(settings));
        auto* battery = settings->findChild<QWidget*>(QStringLiteral("pause_on_battery"));
        QTest::qWait(200);
        m_hands.click(battery, QPoint(10, battery->height() / 2));
        QTRY_VERIFY_WITH_TIMEOUT(!desk.agent.snapshot().preferences.pauseOnBattery, kPatienceMs);
        m_hands.click(battery, QPoint(10, battery->height() / 2));
        QTRY_VERIFY_WITH_TIMEOUT(desk.agent.snapshot().preferences.pauseOnBattery, kPatienceMs);
        keepPicture(*settings, "settings");
        for (int page = 1; page < 6; ++page) {
            settings->showPage(page);
            keepPicture(*settings, qPrintable(QStringLiteral("settings-%1").arg(page)));
        }
    }

    void theTrayIconIsThere()
    {
        if (!g_display->hasTray())
            QSKIP("no trayer here");
        Desk desk(true);
        QTRY_VERIFY_WITH_TIMEOUT((desk.shell->tray().lookForHost(), desk.shell->tray().isShown()),
                                 10'000);
        QVERIFY(desk.shell->tray().toolTip().startsWith(QStringLiteral("Commonweight")));
    }

    void theDesktopTurnsDarkAndTheWindowNarrow()
    {
        const auto before = QApplication::palette();
        {
            Desk desk(true);
            QApplication::setPalette(darkPalette());
            keepPicture(desk.window(), "dark");
            desk.window().showPage(MainWindow::Work);
            keepPicture(desk.window(), "dark-work");
            desk.window().showPage(MainWindow::Overview);
            desk.window().resize(360, 640);
            QTest::qWait(100);
            QCOMPARE(desk.window().width(), 360);
            keepPicture(desk.window(), "narrow");
            QVERIFY(isDark(desk.window()));
        }
        QApplication::setPalette(before);
    }

    void aFrenchDesktopIsFrench()
    {
        installLanguage(*qApp, QLocale(QLocale::French));
        Desk desk(true);
        QCOMPARE(desk.window().findChild<QPushButton*>(QStringLiteral("pause"))->accessibleName(),
                 QStringLiteral("Mettre l'entraînement en pause"));
        keepPicture(desk.window(), "french");
        desk.shell->openSettings();
        QVERIFY(QTest::qWaitForWindowExposed(desk.shell->settings()));
        keepPicture(*desk.shell->settings(), "french-settings");
    }

private:
    Hands m_hands{g_display->isRunning() &&
                  !QStandardPaths::findExecutable(QStringLiteral("xdotool")).isEmpty()};
};

int main(int argc, char** argv)
{
    const VirtualDisplay display;
    g_display = &display;
    QApplication application(argc, argv);
    loadResources();
    installLanguage(application, QLocale(QLocale::English, QLocale::UnitedKingdom));
    TestWindow test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_window.moc"
