// The control socket with the real commonweightctl, and the real commonweightd with the fake
// trainer.
#include "engine/agent/control_client.h"
#include "tests/agent/agent_fixture.h"

#include <QLocalSocket>
#include <QProcess>
#include <QTest>

#include <sys/stat.h>

#include <csignal>

#include <fstream>

using namespace commonweight;
using namespace commonweight::agent;

namespace {

struct Ended {
    int code = -1;
    QByteArray output;
    QByteArray errors;
    Json json() const
    {
        const auto read = parseJson(output.toStdString());
        return read ? *read : Json();
    }
};

QString program(const char* name)
{
    return QStringLiteral(COMMONWEIGHT_BIN_DIR "/") + QString::fromLatin1(name);
}

/// Runs a program to its end while this process's agent goes on.
Ended run(const QString& path, const QStringList& arguments)
{
    QProcess process;
    process.start(path, arguments);
    const bool ended =
        QTest::qWaitFor([&] { return process.state() == QProcess::NotRunning; }, 60'000);
    if (!ended)
        process.kill();
    return {ended ? process.exitCode() : -1, process.readAllStandardOutput(),
            process.readAllStandardError()};
}

} // namespace

class TestControl : public QObject {
    Q_OBJECT

    std::unique_ptr<AgentFixture> m_fixture;

    QString state() const
    {
        return QString::fromStdString((m_fixture->folder() / "state").string());
    }
    Ended ctl(const QStringList& arguments) const
    {
        return run(program("commonweightctl"),
                   QStringList{QStringLiteral("--state"), state()} + arguments);
    }
    Ended ctl(const char* words) const { return ctl(QString::fromLatin1(words).split(u' ')); }
    QStringList daemonArguments() const
    {
        return {QStringLiteral("--state"),
                state(),
                QStringLiteral("--data"),
                QString::fromStdString((m_fixture->folder() / "data").string()),
                QStringLiteral("--trainer"),
                QStringLiteral(COMMONWEIGHT_FAKE_TRAINER)};
    }

private Q_SLOTS:
    void init()
    {
        m_fixture = std::make_unique<AgentFixture>();
        m_fixture->options.listenLocally = true;
    }
    void cleanup() { m_fixture.reset(); }

    void statusIsToldToPeopleAndPrograms()
    {
        auto& f = *m_fixture;
        QVERIFY(f.start());
        QVERIFY(f.until([&] { return !f.snapshot().devices.empty(); }));
        auto status = ctl("status");
        QCOMPARE(status.code, 0);
        QVERIFY2(status.output.contains("choose a project"), status.output.constData());
        QVERIFY2(status.output.contains("Fake processor"), status.output.constData());

        f.project.offer(f.project.makeUnit("long"));
        QCOMPARE(
            ctl(QStringList{QStringLiteral("attach"), QString::fromLatin1(FakeProject::kAddress)})
                .code,
            0);
        QVERIFY(f.until([&] { return f.task("long").step > 3; }));
        status = ctl("status --json");
        QCOMPARE(status.code, 0);
        const Json json = status.json();
        QCOMPARE(json["activity"].get<std::string>(), std::string("training"));
        QVERIFY(json["headline"].get<std::string>().starts_with("Training"));
        QCOMPARE(json["tasks"][0]["unit"].get<std::string>(), std::string("long"));
        QCOMPARE(json["devices"][0]["running"].get<bool>(), true);
        QCOMPARE(ctl("tasks --json").json()["tasks"][0]["state"].get<std::string>(),
                 std::string("running"));
        QVERIFY(ctl("tasks").output.contains("long"));
        QVERIFY(ctl("log").output.contains("has started"));
    }

    void pauseAndResume()
    {
        auto& f = *m_fixture;
        QVERIFY(f.start());
        // The agent's clock is fake, the program's is not.
        f.clock->jumpWall(std::chrono::duration_cast<std::chrono::milliseconds>(
            SystemClock().wall() - f.clock->wall()));
        QCOMPARE(ctl("pause 15m").code, 0);
        QVERIFY(f.snapshot().pause.active);
        const Seconds left = *f.snapshot().pause.until - SystemClock().wall();
        QVERIFY(left.count() > 14 * 60 && left.count() <= 15 * 60);
        QCOMPARE(ctl("resume").code, 0);
        QVERIFY(!f.snapshot().pause.active);
        QCOMPARE(ctl("pause").code, 0);
        QVERIFY(f.snapshot().pause.active && !f.snapshot().pause.until);
        QCOMPARE(ctl("pause tomorrow").code, 0);
        QVERIFY(f.snapshot().pause.until);
        QCOMPARE(ctl("pause whenever").code, 2);
    }

    void settingsAreShownChangedAndRefused()
    {
        auto& f = *m_fixture;
        QVERIFY(f.start());
        QCOMPARE(ctl("preferences --json").json()["idle_minutes"].get<int>(), 5);
        QVERIFY(ctl("preferences").output.contains("idle_minutes = 5"));
        QCOMPARE(ctl("set idle_minutes 7").code, 0);
        QCOMPARE(f.snapshot().preferences.idleMinutes, 7);
        QCOMPARE(ctl("set when always").code, 0);
        QVERIFY(f.snapshot().preferences.when == RunWhen::Always);
        const auto refused = ctl("set idle_minutes 700");
        QCOMPARE(refused.code, 1);
        QVERIFY2(refused.errors.contains("idle_minutes"), refused.errors.constData());
        QCOMPARE(refused.errors.count('\n'), 1);
        QCOMPARE(f.snapshot().preferences.idleMinutes, 7);
        QCOMPARE(ctl("set colour green").code, 1);
    }

    void aSettingIsTakenBackAndAFixedOneIsRefused()
    {
        auto& f = *m_fixture;
        std::ofstream(f.options.policy) << R"({"pause_on_battery": false})";
        QVERIFY(f.start());
        QCOMPARE(ctl("set idle_minutes 7").code, 0);
        QCOMPARE(ctl("set idle_minutes 8").code, 0);
        QCOMPARE(ctl("undo --json").json()["idle_minutes"].get<int>(), 7);
        QCOMPARE(ctl("undo").code, 0);
        QCOMPARE(f.snapshot().preferences.idleMinutes, 5);
        QCOMPARE(ctl("undo").code, 0); // what the fixture set
        QCOMPARE(ctl("undo").code, 1);
        const auto refused = ctl("set pause_on_battery true");
        QCOMPARE(refused.code, 1);
        QVERIFY2(refused.errors.contains("administrator"), refused.errors.constData());
        QVERIFY(ctl("status --json").json()["locked_settings"] == Json{"pause_on_battery"});
    }

    void whatCannotBeDoneIsRefused()
    {
        auto& f = *m_fixture;
        QVERIFY(f.start());
        f.project.down = true;
        const auto attach =
            ctl(QStringList{QStringLiteral("attach"), QString::fromLatin1(FakeProject::kAddress)});
        QCOMPARE(attach.code, 1);
        QVERIFY2(attach.errors.contains("no connection"), attach.errors.constData());
        QCOMPARE(ctl("attach not|an|address").code, 1);
        QCOMPARE(ctl("detach http://127.0.0.1:1").code, 1);
        QCOMPARE(ctl("abandon nothing").code, 1);
        QCOMPARE(ctl("attach").code, 2);
        QCOMPARE(ctl("dance").code, 2);
        f.kill();
        QCOMPARE(ctl("status").code, 3);
    }

    void theSocketIsForItsOwnerAlone()
    {
        QVERIFY(m_fixture->start());
        struct stat status {};
        QCOMPARE(::stat((m_fixture->folder() / "state" / "control.sock").c_str(), &status), 0);
        QCOMPARE(status.st_mode & 0777, 0600u);
    }

    void nonsenseOnTheSocketIsAnsweredOrCutOff()
    {
        QVERIFY(m_fixture->start());
        QLocalSocket socket;
        socket.connectToServer(state() + QStringLiteral("/control.sock"));
        QVERIFY(QTest::qWaitFor([&] { return socket.state() == QLocalSocket::ConnectedState; }));
        for (const char* line : {"hello\n", "{}\n", "{\"command\":\"fly\"}\n", "{\"command\":7}\n",
                                 "\n", "{\"command\":\"set\"}\n"}) {
            socket.write(line);
            QVERIFY(QTest::qWaitFor([&] { return socket.canReadLine(); }));
            QVERIFY(socket.readLine().contains("\"ok\":false"));
        }
        socket.write(QByteArray(200'000, 'x'));
        QVERIFY(QTest::qWaitFor([&] { return socket.state() == QLocalSocket::UnconnectedState; },
                                10'000));
        QCOMPARE(ctl("status").code, 0);
    }

    void theLogIsFollowed()
    {
        auto& f = *m_fixture;
        QVERIFY(f.start());
        QProcess follower;
        follower.start(program("commonweightctl"),
                       {QStringLiteral("--state"), state(), QStringLiteral("log"),
                        QStringLiteral("--follow")});
        QByteArray seen;
        const auto sees = [&](const char* text) {
            return QTest::qWaitFor(
                [&] {
                    seen += follower.readAllStandardOutput();
                    return seen.contains(text);
                },
                30'000);
        };
        QVERIFY(sees("has started"));
        QTest::qWait(300); // until it watches
        QCOMPARE(ctl("pause").code, 0);
        QVERIFY2(sees("Paused by you"), seen.constData());
        follower.kill();
        follower.waitForFinished();
    }

    void aSecondStartRaisesTheWindow()
    {
        QVERIFY(m_fixture->start());
        bool raised = false;
        QObject::connect(m_fixture->agent.get(), &Agent::raiseWindowRequested,
                         [&] { raised = true; });
        QLocalSocket socket;
        socket.connectToServer(state() + QStringLiteral("/control.sock"));
        socket.write("{\"command\":\"open\"}\n");
        QVERIFY(QTest::qWaitFor([&] { return raised; }));
    }

    void quitEndsTheAgent()
    {
        QVERIFY(m_fixture->start());
        bool stopped = false;
        QObject::connect(m_fixture->agent.get(), &Agent::stopped, [&] { stopped = true; });
        QCOMPARE(ctl("quit").code, 0);
        QVERIFY(QTest::qWaitFor([&] { return stopped; }, 15'000));
    }

    // The daemon

    void theDaemonStartsIsSteeredAndStops()
    {
        QProcess daemon;
        daemon.start(program("commonweightd"),
                     daemonArguments() +
                         QStringList{QStringLiteral("--when"), QStringLiteral("always"),
                                     QStringLiteral("--threads"), QStringLiteral("2")});
        QVERIFY(QTest::qWaitFor([&] { return ctl("status").code == 0; }, 30'000));
        const Json preferences = ctl("preferences --json").json();
        QCOMPARE(preferences["when"].get<std::string>(), std::string("always"));
        QCOMPARE(preferences["processor_threads"].get<int>(), 2);

        const auto second = run(program("commonweightd"), daemonArguments());
        QCOMPARE(second.code, 1);
        QVERIFY2(second.errors.contains("already in use"), second.errors.constData());

        ::kill(static_cast<pid_t>(daemon.processId()), SIGTERM);
        QVERIFY(daemon.waitForFinished(15'000));
        QVERIFY(daemon.exitStatus() == QProcess::NormalExit);
        QCOMPARE(daemon.exitCode(), 0);
        QCOMPARE(ctl("status").code, 3);
    }

    void aKilledDaemonLeavesNothingInTheWay()
    {
        for (int round = 0; round < 2; ++round) {
            QProcess daemon;
            daemon.start(program("commonweightd"), daemonArguments());
            QVERIFY(QTest::qWaitFor([&] { return ctl("status").code == 0; }, 30'000));
            daemon.kill();
            QVERIFY(daemon.waitForFinished());
            QCOMPARE(ctl("status").code, 3);
        }
        QProcess daemon;
        daemon.start(program("commonweightd"), daemonArguments());
        QVERIFY(QTest::qWaitFor([&] { return ctl("status").code == 0; }, 30'000));
        QCOMPARE(ctl("quit").code, 0);
        QVERIFY(daemon.waitForFinished(15'000));
        QCOMPARE(daemon.exitCode(), 0);
    }

    void aDaemonThatCannotStartSaysWhyInOneSentence_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::newRow("nobody at the address")
            << QStringList{QStringLiteral("--attach"), QStringLiteral("http://127.0.0.1:9")} << 1;
        QTest::newRow("no address")
            << QStringList{QStringLiteral("--attach"), QStringLiteral("what|ever")} << 1;
        QTest::newRow("unknown word")
            << QStringList{QStringLiteral("--when"), QStringLiteral("sometimes")} << 2;
        QTest::newRow("a folder that cannot be")
            << QStringList{QStringLiteral("--data"), QStringLiteral("/proc/nothing")} << 1;
    }
    void aDaemonThatCannotStartSaysWhyInOneSentence()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, code);
        QStringList all = daemonArguments();
        if (arguments.contains(QStringLiteral("--data")))
            all = all.mid(0, 2) + all.mid(4);
        const auto ended = run(program("commonweightd"), all + arguments);
        QCOMPARE(ended.code, code);
        if (code == 1)
            QVERIFY2(ended.errors.contains("commonweightd: "), ended.errors.constData());
    }
};

QTEST_GUILESS_MAIN(TestControl)
#include "tst_control.moc"
