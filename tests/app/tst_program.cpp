// The program itself, as it is installed: starts, is told things by a second start, ends on a
// signal.

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

namespace {

class Home {
public:
    Home()
    {
        QDir(folder.path()).mkdir(QStringLiteral("run"));
        QFile::setPermissions(path("run"), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }

    QString path(const char* name) const { return folder.filePath(QString::fromLatin1(name)); }

    void start(QProcess& process, const QStringList& more = {}) const
    {
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("XDG_RUNTIME_DIR"), path("run"));
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), path("config"));
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        process.setProcessEnvironment(environment);
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(QStringLiteral(COMMONWEIGHT_BIN_DIR "/commonweight"),
                      QStringList{QStringLiteral("--state"), path("state"),
                                  QStringLiteral("--data"), path("data")} +
                          more);
    }

    /// The socket for second starts is there: the program has started.
    bool isListening() const
    {
        return !QDir(path("run")).entryList({QStringLiteral("*.window")}, QDir::System).isEmpty();
    }

    QTemporaryDir folder;
};

constexpr int kPatienceMs = 40'000; // a busy machine may write slowly

} // namespace

class TestProgram : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void itEndsWellOnEachSignal_data()
    {
        QTest::addColumn<int>("signal");
        QTest::newRow("SIGTERM") << SIGTERM;
        QTest::newRow("SIGINT") << SIGINT;
        QTest::newRow("SIGHUP") << SIGHUP;
    }
    void itEndsWellOnEachSignal()
    {
        QFETCH(int, signal);
        const Home home;
        QProcess program;
        home.start(program);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(home.path("state/agent.sqlite")), kPatienceMs);
        QVERIFY2(program.state() == QProcess::Running, program.readAll().constData());
        ::kill(pid_t(program.processId()), signal);
        QVERIFY2(program.waitForFinished(kPatienceMs), program.readAll().constData());
        QCOMPARE(program.exitStatus(), QProcess::NormalExit);
        QCOMPARE(program.exitCode(), 0);
    }

    void aSecondStartTellsTheFirstAndEnds()
    {
        const Home home;
        QProcess first;
        home.start(first);
        QTRY_VERIFY_WITH_TIMEOUT(
            home.isListening() && QFile::exists(home.path("state/agent.sqlite")), kPatienceMs);
        QProcess second;
        home.start(second, {QStringLiteral("commonweight:https://verse.example.org")});
        QVERIFY(second.waitForFinished(kPatienceMs));
        QCOMPARE(second.exitCode(), 0);
        QCOMPARE(first.state(), QProcess::Running);
        first.terminate();
        QVERIFY(first.waitForFinished(kPatienceMs));
    }

    void wrongUseIsExplainedWithoutAWindow()
    {
        QProcess program;
        Home().start(program, {QStringLiteral("--when"), QStringLiteral("sometimes")});
        QVERIFY(program.waitForFinished(kPatienceMs));
        QCOMPARE(program.exitCode(), 2);
        QVERIFY(program.readAll().contains("--when takes idle or always"));
    }

    void withoutADisplayItPointsToTheDaemon()
    {
        QProcess program;
        auto environment = QProcessEnvironment::systemEnvironment();
        for (const auto* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
            environment.remove(QString::fromLatin1(name));
        program.setProcessEnvironment(environment);
        program.start(QStringLiteral(COMMONWEIGHT_BIN_DIR "/commonweight"), QStringList());
        QVERIFY(program.waitForFinished(kPatienceMs));
        QCOMPARE(program.exitCode(), 1);
        QVERIFY(program.readAllStandardError().contains("commonweightd"));
    }
};

QTEST_GUILESS_MAIN(TestProgram)
#include "tst_program.moc"
