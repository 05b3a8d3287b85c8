// commonweight-server and commonweight-project as programs: what they print, their exit codes, and
// how they end.

#include "server/project/create.h"
#include "server/store/project_folder.h"
#include "tests/server/sample_project.h"

#include <QProcess>
#include <QTest>

#include <fstream>
#include <sqlite3.h>

using namespace commonweight;
using namespace commonweight::server;
namespace fs = std::filesystem;

namespace {

const QString kServer = QStringLiteral(COMMONWEIGHT_BIN_DIR "/commonweight-server");
const QString kTool = QStringLiteral(COMMONWEIGHT_BIN_DIR "/commonweight-project");

struct Ended {
    int code = -1;
    QString out;
    QString err;
};

Ended runProgram(const QString& program, const QStringList& arguments)
{
    QProcess process;
    process.start(program, arguments);
    if (!process.waitForFinished(60'000))
        qFatal("%s does not end", qPrintable(program));
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

/// A tiny project without a warm-up, made in-process.
class Served {
public:
    Served()
    {
        std::ofstream text(m_dir.filePath(QStringLiteral("text.txt")).toStdString());
        for (int i = 0; i < 2000; ++i)
            text << "The sentence with the number " << i << " stands here.\n";
        text.close();
        CreateOptions options;
        options.folder = folder().toStdString();
        options.text = {m_dir.filePath(QStringLiteral("text.txt")).toStdString()};
        options.recipe.name = "Served";
        options.recipe.preset = "tiny";
        options.warmUp.steps = 0;
        options.evaluate = false;
        sure(createProject(options, m_clock, [](const std::string&) {}));
    }

    QString folder() const { return m_dir.filePath(QStringLiteral("project")); }
    QString portFile() const { return m_dir.filePath(QStringLiteral("port")); }
    QStringList serve() const
    {
        return {QStringLiteral("serve"),
                QStringLiteral("--folder"),
                folder(),
                QStringLiteral("--port"),
                QStringLiteral("0"),
                QStringLiteral("--port-file"),
                portFile(),
                QStringLiteral("--no-evaluation")};
    }

private:
    QTemporaryDir m_dir;
    SystemClock m_clock;
};

} // namespace

class ServerProgramsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theServerSaysWhereItIsAndEndsWhenTold()
    {
        Served served;
        QProcess server;
        server.start(kServer, served.serve());
        QVERIFY(server.waitForReadyRead(30'000));
        const auto line = QString::fromUtf8(server.readLine()).trimmed();
        QVERIFY2(line.startsWith(QStringLiteral("http://127.0.0.1:")), qPrintable(line));
        QTRY_VERIFY(fs::exists(served.portFile().toStdString()));
        std::string port;
        std::ifstream(served.portFile().toStdString()) >> port;
        QVERIFY(line.endsWith(QStringLiteral(":") + QString::fromStdString(port)));

        // Its folder is taken, and the tool looks at it all the same.
        const auto second = runProgram(kServer, served.serve());
        QCOMPARE(second.code, 3);
        QVERIFY2(second.err.contains(QStringLiteral("in use")), qPrintable(second.err));
        const auto status = runProgram(kTool, {QStringLiteral("status"), QStringLiteral("--folder"),
                                               served.folder(), QStringLiteral("--json")});
        QCOMPARE(status.code, 0);
        QCOMPARE(sure(parseJson(status.out.toStdString()))["run"]["state"].get<std::string>(),
                 std::string("running"));

        server.terminate();
        QVERIFY(server.waitForFinished(15'000));
        QCOMPARE(server.exitStatus(), QProcess::NormalExit);
        QCOMPARE(server.exitCode(), 0);
    }

    void aKilledServerStartsAgain()
    {
        Served served;
        for (int i = 0; i < 2; ++i) {
            QProcess server;
            server.start(kServer, served.serve());
            QVERIFY(server.waitForReadyRead(30'000));
            server.kill();
            QVERIFY(server.waitForFinished(15'000));
        }
    }

    void aNewerDatabaseIsRefusedInASentence()
    {
        Served served;
        sqlite3* handle = nullptr;
        const auto database = ProjectFolder{served.folder().toStdString()}.database();
        QCOMPARE(sqlite3_open(database.c_str(), &handle), SQLITE_OK);
        QCOMPARE(sqlite3_exec(handle, "UPDATE schema_version SET version = 999", nullptr, nullptr,
                              nullptr),
                 SQLITE_OK);
        sqlite3_close(handle);
        const auto ended = runProgram(kServer, served.serve());
        QCOMPARE(ended.code, 3);
        QVERIFY2(ended.err.contains(QStringLiteral("newer version")), qPrintable(ended.err));
    }

    void wrongUseIsExplained_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("says");
        const auto list = [](const char* words) {
            return QString::fromUtf8(words).split(QLatin1Char(' '), Qt::SkipEmptyParts);
        };
        QTest::newRow("server: no command") << kServer << list("") << 2 << "";
        QTest::newRow("server: no folder") << kServer << list("serve") << 2 << "--folder";
        QTest::newRow("server: no project there")
            << kServer << list("serve --folder /nowhere") << 1 << "holds no project";
        QTest::newRow("server: version")
            << kServer << list("--version") << 0 << "commonweight-server";
        QTest::newRow("tool: no command") << kTool << list("") << 2 << "";
        QTest::newRow("tool: no project there")
            << kTool << list("status --folder /nowhere") << 1 << "no database";
        QTest::newRow("tool: no text there")
            << kTool << list("create --folder /tmp/cw-none --name N --text /nowhere") << 1
            << "/nowhere does not exist";
        QTest::newRow("tool: version") << kTool << list("--version") << 0 << "commonweight-project";
    }
    void wrongUseIsExplained()
    {
        QFETCH(QString, program);
        QFETCH(QStringList, arguments);
        QFETCH(int, code);
        QFETCH(QString, says);
        const auto ended = runProgram(program, arguments);
        QCOMPARE(ended.code, code);
        QVERIFY2((ended.out + ended.err).contains(says), qPrintable(ended.out + ended.err));
    }

    void aMissingVersionIsNamed()
    {
        Served served;
        const auto ended =
            runProgram(kTool, {QStringLiteral("evaluate"), QStringLiteral("--folder"),
                               served.folder(), QStringLiteral("--version"), QStringLiteral("7")});
        QCOMPARE(ended.code, 1);
        QVERIFY2(ended.err.contains(QStringLiteral("no version '7'")), qPrintable(ended.err));
    }
};

QTEST_GUILESS_MAIN(ServerProgramsTest)
#include "tst_server_programs.moc"
