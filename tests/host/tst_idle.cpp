#include "engine/host/monitors.h"

#include <QProcess>
#include <QStandardPaths>
#include <QTest>

#include <csignal>

using namespace commonweight;

namespace {

/// A display of its own; gone at the end of the scope.
class VirtualDisplay {
public:
    bool start(int number)
    {
        m_name = QStringLiteral(":%1").arg(number);
        m_server.start(QStringLiteral("Xvfb"),
                       {m_name, QStringLiteral("-screen"), QStringLiteral("0"),
                        QStringLiteral("640x480x24"), QStringLiteral("-nolisten"),
                        QStringLiteral("tcp")});
        if (!m_server.waitForStarted())
            return false;
        const QString socket = QStringLiteral("/tmp/.X11-unix/X%1").arg(number);
        return QTest::qWaitFor(
                   [&] {
                       return QFile::exists(socket) || m_server.state() == QProcess::NotRunning;
                   },
                   10'000) &&
               m_server.state() == QProcess::Running;
    }
    ~VirtualDisplay()
    {
        m_server.terminate();
        m_server.waitForFinished(5000);
    }
    QString name() const { return m_name; }

private:
    QString m_name;
    QProcess m_server;
};

} // namespace

class TestIdle : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { std::signal(SIGPIPE, SIG_IGN); } // as the programs do

    void cleanup() { qunsetenv("DISPLAY"); }

    void aHeadlessComputerHasNoDetector()
    {
        qunsetenv("DISPLAY");
        QVERIFY(!host::makeIdleMonitor());
    }

    void aDisplayThatIsNotThereGivesNoDetector()
    {
        qputenv("DISPLAY", ":9399");
        QVERIFY(!host::makeIdleMonitor());
    }

    void inputEndsIdleness()
    {
        if (QStandardPaths::findExecutable(QStringLiteral("Xvfb")).isEmpty() ||
            QStandardPaths::findExecutable(QStringLiteral("xdotool")).isEmpty())
            QSKIP("needs Xvfb and xdotool");
        VirtualDisplay display;
        QVERIFY(display.start(9000 + static_cast<int>(QCoreApplication::applicationPid() % 400)));
        qputenv("DISPLAY", display.name().toUtf8());
        std::unique_ptr<host::IdleMonitor> monitor; // a busy display may refuse for a moment
        QTRY_VERIFY_WITH_TIMEOUT((monitor = host::makeIdleMonitor()) != nullptr, 10'000);
        QVERIFY(monitor->name().find("X11") != std::string::npos);
        const auto isIdleFor = [&](double seconds) {
            return monitor->sinceInput().value_or(Seconds{-1}).count() >= seconds;
        };
        QTRY_VERIFY_WITH_TIMEOUT(isIdleFor(2.5), 10'000);
        QCOMPARE(QProcess::execute(
                     QStringLiteral("xdotool"),
                     {QStringLiteral("mousemove"), QStringLiteral("7"), QStringLiteral("9")}),
                 0);
        QTRY_VERIFY_WITH_TIMEOUT(monitor->sinceInput() && !isIdleFor(2.0), 3000);
    }

    void aDisplayThatGoesAwayIsNotedAndANewOneIsFound()
    {
        if (QStandardPaths::findExecutable(QStringLiteral("Xvfb")).isEmpty())
            QSKIP("needs Xvfb");
        const int number = 9400 + static_cast<int>(QCoreApplication::applicationPid() % 400);
        std::unique_ptr<host::IdleMonitor> monitor;
        {
            VirtualDisplay display;
            QVERIFY(display.start(number));
            qputenv("DISPLAY", display.name().toUtf8());
            QTRY_VERIFY_WITH_TIMEOUT((monitor = host::makeIdleMonitor()) != nullptr, 10'000);
            QVERIFY(monitor->sinceInput());
        }
        QTRY_VERIFY_WITH_TIMEOUT(!monitor->sinceInput(), 5000);
        VirtualDisplay again;
        QVERIFY(again.start(number));
        QTRY_VERIFY_WITH_TIMEOUT(monitor->sinceInput(), 12'000);
    }
};

QTEST_GUILESS_MAIN(TestIdle)
#include "tst_idle.moc"
