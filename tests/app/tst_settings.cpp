#include "app/languages.h"
#include "app/settings/autostart.h"
#include "app/settings/setting_row.h"
#include "app/settings/settings_dialog.h"
#include "tests/app/fake_agent.h"
#include "tests/app/sample_snapshots.h"
#include "tests/support/fake_clock.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>

using namespace commonweight;
using namespace commonweight::app;

namespace {

class Desk {
public:
    explicit Desk(SettingsHooks hooks = {})
    {
        loadResources();
        agent.change([&](agent::Snapshot& snapshot) { snapshot = sample::training(clock.wall()); });
        dialog = std::make_unique<SettingsDialog>(Context{agent, clock}, std::move(hooks));
        dialog->show();
    }

    template <class T> T* control(const char* id)
    {
        return qobject_cast<T*>(dialog->row(QString::fromLatin1(id))->control());
    }
    const agent::Preferences& preferences() { return agent.snapshot().preferences; }
    QString problem(const char* id) { return dialog->row(QString::fromLatin1(id))->problem(); }
    void enter(const char* id, const QString& text)
    {
        auto* line = control<QLineEdit>(id);
        line->clear();
        QTest::keyClicks(line, text);
        line->setModified(true);
        QTest::keyClick(line, Qt::Key_Return);
    }

    FakeAgent agent;
    FakeClock clock;
    std::unique_ptr<SettingsDialog> dialog;
};

QString fileText(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

} // namespace

class TestSettings : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyPreferenceHasARowThatReadsAndWritesIt()
    {
        Desk desk;
        const agent::Preferences before;
        int rows = 0;
        for (const auto& page : settingsPages(desk.agent.snapshot(), {}))
            for (const auto& field : page.fields) {
                if (field.kind == FieldKind::Note)
                    continue;
                ++rows;
                agent::Preferences changed = before;
                const auto old = field.read(before);
                const QVariant other = field.kind == FieldKind::Toggle ? QVariant(!old.toBool())
                                       : field.kind == FieldKind::Line
                                           ? QVariant(QStringLiteral("x"))
                                       : field.kind == FieldKind::Choice
                                           ? QVariant(int(old.toInt() == int(agent::RunWhen::Idle)
                                                              ? agent::RunWhen::Always
                                                              : agent::RunWhen::Idle))
                                           : QVariant(old.toDouble() == 50 ? 51 : 50);
                field.write(changed, other);
                QCOMPARE(field.read(changed).toString(), other.toString());
            }
        QCOMPARE(rows, 30);
    }

    void aChangeCanBeTakenBack()
    {
        Desk desk;
        desk.control<QSpinBox>("idle_minutes")->setValue(12);
        desk.control<QSpinBox>("idle_minutes")->setValue(13);
        auto* undo = desk.dialog->findChild<QPushButton*>(QStringLiteral("undo"));
        undo->click();
        QCOMPARE(desk.preferences().idleMinutes, 12);
        QCOMPARE(desk.control<QSpinBox>("idle_minutes")->value(), 12);
        undo->click();
        QCOMPARE(desk.control<QSpinBox>("idle_minutes")->value(), 5);
        undo->click(); // there is no more
        QCOMPARE(desk.preferences().idleMinutes, 5);
    }

    void whatTheAdministratorFixedIsLocked()
    {
        Desk desk;
        desk.agent.change([](agent::Snapshot& snapshot) {
            snapshot.lockedSettings = {"idle_minutes"};
            snapshot.preferences.idleMinutes = 30;
        });
        QVERIFY(!desk.control<QSpinBox>("idle_minutes")->isEnabled());
        QCOMPARE(desk.control<QSpinBox>("idle_minutes")->value(), 30);
        QVERIFY(desk.control<QCheckBox>("pause_on_battery")->isEnabled());
        desk.dialog->showPage(0);
        desk.dialog->findChild<QPushButton*>(QStringLiteral("restore"))->click();
        QCOMPARE(desk.preferences().idleMinutes, 30);
    }

    void programsAreNamesWithCommas()
    {
        Desk desk;
        desk.enter("exclusive_programs", QStringLiteral("blender,  kdenlive ,"));
        QVERIFY((desk.preferences().exclusivePrograms ==
                 std::vector<std::string>{"blender", "kdenlive"}));
        desk.enter("exclusive_programs", QStringLiteral("/usr/bin/blender"));
        QVERIFY(!desk.problem("exclusive_programs").isEmpty());
        QCOMPARE(desk.preferences().exclusivePrograms.size(), std::size_t{2});
    }

    void aChangeTakesEffectAtOnce()
    {
        Desk desk;
        desk.control<QSpinBox>("idle_minutes")->setValue(12);
        QCOMPARE(desk.preferences().idleMinutes, 12);
        QTest::mouseClick(desk.control<QCheckBox>("pause_on_battery"), Qt::LeftButton,
                          Qt::NoModifier, QPoint(8, 8));
        QCOMPARE(desk.preferences().pauseOnBattery, false);
        auto* when = desk.control<QComboBox>("when");
        when->setFocus();
        QTest::keyClick(when, Qt::Key_Down);
        QCOMPARE(desk.preferences().when, agent::RunWhen::Always);
        desk.control<QSpinBox>("duty_cycle")->setValue(70);
        QCOMPARE(desk.preferences().dutyCycle, 0.7);
        desk.control<QDoubleSpinBox>("disk_gigabytes")->setValue(20.5);
        QCOMPARE(desk.preferences().diskGigabytes, 20.5);
    }

    void aDeviceIsSwitchedOffAlone()
    {
        Desk desk;
        QTest::mouseClick(desk.control<QCheckBox>("device/cpu/enabled"), Qt::LeftButton,
                          Qt::NoModifier, QPoint(8, 8));
        QCOMPARE(desk.preferences().devices.at("cpu").enabled, false);
        QVERIFY(!desk.preferences().devices.contains("cuda:0"));
    }

    void whatTheAgentRefusesIsExplainedBesideTheField()
    {
        Desk desk;
        desk.agent.refusal = "setting 'idle_minutes' must be a whole number from 1 to 240";
        desk.control<QSpinBox>("idle_minutes")->setValue(60);
        QCOMPARE(desk.problem("idle_minutes"), QString::fromStdString(desk.agent.refusal));
        QCOMPARE(desk.preferences().idleMinutes, 5);
        desk.agent.refusal.clear();
        desk.control<QSpinBox>("idle_minutes")->setValue(61);
        QCOMPARE(desk.problem("idle_minutes"), QString());
        QCOMPARE(desk.preferences().idleMinutes, 61);
    }

    void numbersOutsideTheRangeCannotBeTyped()
    {
        Desk desk;
        auto* minutes = desk.control<QSpinBox>("idle_minutes");
        minutes->selectAll();
        QTest::keyClicks(minutes, QStringLiteral("-7"));
        QTest::keyClick(minutes, Qt::Key_Return);
        QVERIFY(desk.preferences().idleMinutes >= 1);
    }

    void aProxyIsCheckedBeforeItIsSent_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<bool>("good");
        QTest::newRow("none") << "" << true;
        QTest::newRow("http") << "http://proxy.example.org:3128" << true;
        QTest::newRow("socks") << "socks5://127.0.0.1:1080" << true;
        QTest::newRow("no scheme") << "proxy.example.org:3128" << false;
        QTest::newRow("spaces") << "http://proxy example" << false;
        QTest::newRow("unknown scheme") << "gopher://proxy.example.org" << false;
        QTest::newRow("no host") << "http://" << false;
    }
    void aProxyIsCheckedBeforeItIsSent()
    {
        QFETCH(QString, typed);
        QFETCH(bool, good);
        Desk desk;
        desk.agent.change(
            [](agent::Snapshot& snapshot) { snapshot.preferences.proxy = "http://before:1"; });
        desk.enter("proxy", typed);
        QCOMPARE(desk.problem("proxy").isEmpty(), good);
        QCOMPARE(desk.preferences().proxy, good ? typed.toStdString() : "http://before:1");
    }

    void aNameThatIsTooLongIsRefused()
    {
        QVERIFY(nameProblem(QStringLiteral("Ada")).isEmpty());
        QVERIFY(nameProblem(QString()).isEmpty());
        QVERIFY(!nameProblem(QString(300, QLatin1Char('a'))).isEmpty());
        QVERIFY(!nameProblem(QStringLiteral("two\nlines")).isEmpty());
    }

    void changesFromElsewhereAppear()
    {
        Desk desk;
        desk.agent.change(
            [](agent::Snapshot& snapshot) { snapshot.preferences.checkpointSeconds = 300; });
        QCOMPARE(desk.control<QSpinBox>("checkpoint_seconds")->value(), 300);
    }

    void aDeviceThatAppearsGetsItsRows()
    {
        Desk desk;
        QVERIFY(!desk.dialog->row(QStringLiteral("device/vulkan:0/enabled")));
        desk.agent.change([](agent::Snapshot& snapshot) {
            snapshot.devices.push_back({.id = "vulkan:0", .name = "Iris", .blockers = {}});
        });
        QVERIFY(desk.dialog->row(QStringLiteral("device/vulkan:0/enabled")));
    }

    void defaultsComeBackForThePageAndForNoOther()
    {
        Desk desk;
        desk.control<QSpinBox>("idle_minutes")->setValue(60);
        desk.enter("contributor_name", QStringLiteral("Ada"));
        desk.dialog->showPage(0);
        QTest::mouseClick(desk.dialog->findChild<QPushButton*>(QStringLiteral("restore")),
                          Qt::LeftButton);
        QCOMPARE(desk.preferences().idleMinutes, 5);
        QCOMPARE(desk.control<QSpinBox>("idle_minutes")->value(), 5);
        QCOMPARE(desk.preferences().contributorName, std::string("Ada"));
    }

    void theWheelOverAControlWithoutFocusChangesNothing()
    {
        Desk desk;
        auto* minutes = desk.control<QSpinBox>("idle_minutes");
        desk.dialog->setFocus();
        minutes->clearFocus();
        QWheelEvent wheel(QPointF(5, 5), minutes->mapToGlobal(QPointF(5, 5)), {}, QPoint(0, 120),
                          Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(minutes, &wheel);
        QCOMPARE(desk.preferences().idleMinutes, 5);
    }

    void autostartThatCannotBeWrittenIsExplained()
    {
        Desk desk({[](bool) -> Result<void> { return Error{ErrorKind::Denied, "no permission"}; }});
        QTest::mouseClick(desk.control<QCheckBox>("autostart"), Qt::LeftButton, Qt::NoModifier,
                          QPoint(8, 8));
        QCOMPARE(desk.problem("autostart"), QStringLiteral("no permission"));
        QCOMPARE(desk.preferences().autostart, false);
    }

    void autostartWritesAndRemovesItsFile()
    {
        QTemporaryDir folder;
        Autostart autostart(folder.filePath(QStringLiteral("autostart")),
                            QStringLiteral("/opt/my \"apps\"/50%/commonweight"));
        QVERIFY(!autostart.isEnabled());
        QVERIFY(autostart.setEnabled(true).ok());
        QVERIFY(autostart.isEnabled());
        const auto text =
            fileText(folder.filePath(QStringLiteral("autostart/commonweight.desktop")));
        QVERIFY(text.startsWith(QStringLiteral("[Desktop Entry]\n")));
        QVERIFY(text.contains(
            QStringLiteral("Exec=\"/opt/my \\\\\"apps\\\\\"/50%%/commonweight\" --minimized\n")));
        QVERIFY(autostart.setEnabled(false).ok());
        QVERIFY(!autostart.isEnabled());
        QVERIFY(autostart.setEnabled(false).ok());
    }

    void autostartSwitchedOffByTheDesktopCountsAsOff()
    {
        QTemporaryDir folder;
        Autostart autostart(folder.path(), QStringLiteral("/usr/bin/commonweight"));
        QVERIFY(autostart.setEnabled(true).ok());
        QFile file(folder.filePath(QStringLiteral("commonweight.desktop")));
        QVERIFY(file.open(QIODevice::Append));
        file.write("Hidden=true\n");
        file.close();
        QVERIFY(!autostart.isEnabled());
    }

    void autostartWithoutPermissionIsAnError()
    {
        QTemporaryDir folder;
        const auto blocked = folder.filePath(QStringLiteral("file"));
        QFile file(blocked);
        QVERIFY(file.open(QIODevice::WriteOnly));
        Autostart autostart(blocked, QStringLiteral("/usr/bin/commonweight"));
        QVERIFY(!autostart.setEnabled(true).ok());
    }
};

QTEST_MAIN(TestSettings)
#include "tst_settings.moc"
