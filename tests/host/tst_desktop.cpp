// The desktop's services, played by python-dbusmock on a bus of this test's own.

#include "engine/host/idle_linux.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusVariant>
#include <QElapsedTimer>
#include <QProcess>
#include <QTest>

#include <csignal>

using namespace commonweight;

namespace {

constexpr int kSoon = 15'000;

QDBusConnection bus()
{
    return QDBusConnection::sessionBus();
}

/// One service; ends with the scope.
class MockService {
public:
    MockService(const QString& name, const QString& path, const QString& interface)
        : m_name(name), m_path(path), m_interface(interface)
    {}
    ~MockService() { vanish(); }

    bool appear()
    {
        m_process.start(QStringLiteral("/usr/bin/python3"),
                        {QStringLiteral("-m"), QStringLiteral("dbusmock"),
                         QStringLiteral("--session"), m_name, m_path, m_interface});
        return QTest::qWaitFor(
            [&] {
                return call(QStringLiteral("org.freedesktop.DBus.Mock"), QStringLiteral("GetCalls"),
                            {}) == QDBusMessage::ReplyMessage;
            },
            kSoon);
    }
    void vanish()
    {
        m_process.kill();
        m_process.waitForFinished();
    }
    void hang() { ::kill(pid_t(m_process.processId()), SIGSTOP); }
    void wake() { ::kill(pid_t(m_process.processId()), SIGCONT); }

    bool setProperty(const QString& name, const QVariant& value)
    {
        call(QStringLiteral("org.freedesktop.DBus.Mock"), QStringLiteral("AddProperty"),
             {m_interface, name, QVariant::fromValue(QDBusVariant(value))});
        return call(QStringLiteral("org.freedesktop.DBus.Properties"), QStringLiteral("Set"),
                    {m_interface, name, QVariant::fromValue(QDBusVariant(value))}) ==
               QDBusMessage::ReplyMessage;
    }
    bool addMethod(const QString& name, const QString& in, const QString& out, const QString& code)
    {
        return call(QStringLiteral("org.freedesktop.DBus.Mock"), QStringLiteral("AddMethod"),
                    {m_interface, name, in, out, code}) == QDBusMessage::ReplyMessage;
    }

private:
    QDBusMessage::MessageType call(const QString& interface, const QString& method,
                                   const QVariantList& arguments)
    {
        auto message = QDBusMessage::createMethodCall(m_name, m_path, interface, method);
        message.setArguments(arguments);
        message.setAutoStartService(false);
        return bus().call(message, QDBus::Block, 2000).type();
    }

    const QString m_name;
    const QString m_path;
    const QString m_interface;
    QProcess m_process;
};

} // namespace

class TestDesktop : public QObject {
    Q_OBJECT

    QProcess m_daemon;

private Q_SLOTS:
    void initTestCase()
    {
        m_daemon.start(QStringLiteral("dbus-daemon"),
                       {QStringLiteral("--session"), QStringLiteral("--nofork"),
                        QStringLiteral("--print-address")});
        if (!m_daemon.waitForStarted())
            QSKIP("needs dbus-daemon");
        if (QProcess::execute(QStringLiteral("/usr/bin/python3"),
                              {QStringLiteral("-c"), QStringLiteral("import dbusmock")}) != 0)
            QSKIP("needs python3-dbusmock");
        QVERIFY(m_daemon.waitForReadyRead(kSoon));
        const auto address = m_daemon.readLine().trimmed();
        qputenv("DBUS_SESSION_BUS_ADDRESS", address);
        qputenv("DBUS_SYSTEM_BUS_ADDRESS", address);
        QVERIFY(bus().isConnected());
    }
    void cleanupTestCase()
    {
        m_daemon.kill();
        m_daemon.waitForFinished();
    }

    void servicesThatAreNotThereAreUnknownAndCostNoTime()
    {
        const auto desktop = host::makeDesktopMonitor();
        QElapsedTimer timer;
        timer.start();
        QVERIFY(!desktop->powerSaver() && !desktop->gameRunning() && !desktop->staysAwake() &&
                !desktop->metered());
        QTest::qWait(300);
        QVERIFY(!desktop->powerSaver() && !desktop->gameRunning() && !desktop->staysAwake() &&
                !desktop->metered());
        QVERIFY(!host::makeMutterIdleMonitor());
    }

    void aServiceAppearsChangesHangsAndVanishes()
    {
        MockService profiles(QStringLiteral("net.hadess.PowerProfiles"),
                             QStringLiteral("/net/hadess/PowerProfiles"),
                             QStringLiteral("net.hadess.PowerProfiles"));
        const auto desktop = host::makeDesktopMonitor();
        QVERIFY(!desktop->powerSaver());
        QVERIFY(profiles.appear());
        QVERIFY(
            profiles.setProperty(QStringLiteral("ActiveProfile"), QStringLiteral("power-saver")));
        QTRY_COMPARE_WITH_TIMEOUT(desktop->powerSaver(), std::optional<bool>(true), kSoon);
        QVERIFY(profiles.setProperty(QStringLiteral("ActiveProfile"), QStringLiteral("balanced")));
        QTRY_COMPARE_WITH_TIMEOUT(desktop->powerSaver(), std::optional<bool>(false), kSoon);
        profiles.hang();
        QElapsedTimer timer;
        qint64 longest = 0;
        const auto isUnknown = [&] {
            timer.start();
            const bool unknown = !desktop->powerSaver();
            longest = std::max(longest, timer.elapsed());
            return unknown;
        };
        QTRY_VERIFY_WITH_TIMEOUT(isUnknown(), kSoon);
        profiles.wake();
        QTRY_COMPARE_WITH_TIMEOUT(desktop->powerSaver(), std::optional<bool>(false), kSoon);
        profiles.vanish();
        QTRY_VERIFY_WITH_TIMEOUT(!desktop->powerSaver(), kSoon);
        QVERIFY(longest < 1000); // no call waits for the service, which would take two seconds
    }

    void gamesCountAsUse()
    {
        MockService games(QStringLiteral("com.feralinteractive.GameMode"),
                          QStringLiteral("/com/feralinteractive/GameMode"),
                          QStringLiteral("com.feralinteractive.GameMode"));
        QVERIFY(games.appear());
        QVERIFY(games.setProperty(QStringLiteral("ClientCount"), 1));
        const auto desktop = host::makeDesktopMonitor();
        QTRY_COMPARE_WITH_TIMEOUT(desktop->gameRunning(), std::optional<bool>(true), kSoon);
        QVERIFY(games.setProperty(QStringLiteral("ClientCount"), 0));
        QTRY_COMPARE_WITH_TIMEOUT(desktop->gameRunning(), std::optional<bool>(false), kSoon);
    }

    void aGuessedMeterCountsAsOne()
    {
        MockService network(QStringLiteral("org.freedesktop.NetworkManager"),
                            QStringLiteral("/org/freedesktop/NetworkManager"),
                            QStringLiteral("org.freedesktop.NetworkManager"));
        QVERIFY(network.appear());
        QVERIFY(network.setProperty(QStringLiteral("Metered"), 3u));
        const auto desktop = host::makeDesktopMonitor();
        QTRY_COMPARE_WITH_TIMEOUT(desktop->metered(), std::optional<bool>(true), kSoon);
        QVERIFY(network.setProperty(QStringLiteral("Metered"), 2u));
        QTRY_COMPARE_WITH_TIMEOUT(desktop->metered(), std::optional<bool>(false), kSoon);
        QVERIFY(network.setProperty(QStringLiteral("Metered"), 0u));
        QTRY_VERIFY_WITH_TIMEOUT(!desktop->metered(), kSoon);
    }

    void aVideoKeepsTheSessionAwake()
    {
        MockService session(QStringLiteral("org.gnome.SessionManager"),
                            QStringLiteral("/org/gnome/SessionManager"),
                            QStringLiteral("org.gnome.SessionManager"));
        QVERIFY(session.appear());
        QVERIFY(session.addMethod(QStringLiteral("IsInhibited"), QStringLiteral("u"),
                                  QStringLiteral("b"), QStringLiteral("ret = args[0] == 8")));
        const auto desktop = host::makeDesktopMonitor();
        QTRY_COMPARE_WITH_TIMEOUT(desktop->staysAwake(), std::optional<bool>(true), kSoon);
    }

    void mutterTellsHowLongNobodyTouchedAnything()
    {
        MockService mutter(QStringLiteral("org.gnome.Mutter.IdleMonitor"),
                           QStringLiteral("/org/gnome/Mutter/IdleMonitor/Core"),
                           QStringLiteral("org.gnome.Mutter.IdleMonitor"));
        QVERIFY(mutter.appear());
        QVERIFY(mutter.addMethod(QStringLiteral("GetIdletime"), QString(), QStringLiteral("t"),
                                 QStringLiteral("ret = 300000")));
        const auto monitor = host::makeIdleMonitor();
        QVERIFY(monitor);
        QCOMPARE(monitor->name(), std::string("GNOME"));
        QVERIFY(monitor->sinceInput() == Seconds{300}); // known before the first tick
        QVERIFY(mutter.addMethod(QStringLiteral("GetIdletime"), QString(), QStringLiteral("t"),
                                 QStringLiteral("ret = 20")));
        QTRY_VERIFY_WITH_TIMEOUT(monitor->sinceInput() == Seconds{0.02}, kSoon);
        mutter.hang();
        QTRY_VERIFY_WITH_TIMEOUT(!monitor->sinceInput(), kSoon);
        mutter.wake();
        QTRY_VERIFY_WITH_TIMEOUT(monitor->sinceInput() == Seconds{0.02}, kSoon);
    }
};

QTEST_GUILESS_MAIN(TestDesktop)
#include "tst_desktop.moc"
