#include "tests/system/programs.h"

#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QTcpServer>
#include <QThread>
#include <QTimer>

#include <csignal>

#include <sys/prctl.h>

namespace commonweight::system_test {

namespace {

QString programPath(const QString& name)
{
    return QStringLiteral(COMMONWEIGHT_BIN_DIR "/") + name;
}

int freePort()
{
    QTcpServer probe;
    probe.listen(QHostAddress::LocalHost, 0);
    return probe.serverPort();
}

} // namespace

Finished runProgram(const QString& name, const QStringList& arguments, int timeoutMs)
{
    QProcess process;
    process.start(programPath(name), arguments);
    Finished finished;
    if (!process.waitForFinished(timeoutMs)) {
        process.kill();
        process.waitForFinished();
        finished.errors = "did not end in time";
        return finished;
    }
    finished.exitCode = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    finished.output = process.readAllStandardOutput();
    finished.errors = process.readAllStandardError();
    return finished;
}

Program::Program(QString name, QString logFile)
    : m_name(std::move(name)), m_logFile(std::move(logFile))
{}

Program::~Program()
{
    killHard();
}

void Program::start(const QStringList& arguments)
{
    m_process = std::make_unique<QProcess>();
    m_process->setProcessChannelMode(QProcess::MergedChannels);
    m_process->setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); });
    m_process->setStandardOutputFile(m_logFile, QIODevice::Append);
    m_process->start(programPath(m_name), arguments);
    m_process->waitForStarted();
}

void Program::killHard()
{
    if (!running())
        return;
    m_process->kill();
    m_process->waitForFinished();
}

bool Program::stopCleanly(int timeoutMs)
{
    if (!running())
        return false;
    ::kill(static_cast<pid_t>(m_process->processId()), SIGTERM);
    return m_process->waitForFinished(timeoutMs) &&
           m_process->exitStatus() == QProcess::NormalExit && m_process->exitCode() == 0;
}

QByteArray Program::log() const
{
    QFile file(m_logFile);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

ProjectUnderTest::ProjectUnderTest()
    : m_server(QStringLiteral("commonweight-server"),
               m_root.filePath(QStringLiteral("server.log"))),
      m_port(freePort())
{}

Finished ProjectUnderTest::create(const QString& textFile, const QStringList& extra)
{
    QStringList arguments{QStringLiteral("create"),
                          QStringLiteral("--folder"),
                          folder(),
                          QStringLiteral("--name"),
                          QStringLiteral("A test"),
                          QStringLiteral("--text"),
                          textFile,
                          QStringLiteral("--preset"),
                          QStringLiteral("tiny"),
                          QStringLiteral("--trainer"),
                          programPath(QStringLiteral("commonweight-trainer")),
                          QStringLiteral("--threads"),
                          QStringLiteral("1")};
    return runProgram(QStringLiteral("commonweight-project"), arguments + extra, 300'000);
}

bool ProjectUnderTest::serve()
{
    m_server.start({QStringLiteral("serve"), QStringLiteral("--folder"), folder(),
                    QStringLiteral("--port"), QString::number(m_port)});
    return waitUntil([this] { return get(QStringLiteral("/v1/project")).has_value(); }, 30'000);
}

std::optional<QJsonDocument> ProjectUnderTest::get(const QString& path) const
{
    QNetworkAccessManager network;
    QNetworkRequest request{QUrl(address() + path)};
    request.setTransferTimeout(10'000);
    std::unique_ptr<QNetworkReply> reply{network.get(request)};
    QEventLoop loop;
    QObject::connect(reply.get(), &QNetworkReply::finished, &loop, &QEventLoop::quit);
    loop.exec();
    if (reply->error() != QNetworkReply::NoError)
        return std::nullopt;
    auto document = QJsonDocument::fromJson(reply->readAll());
    return document.isNull() ? std::nullopt : std::optional(document);
}

Finished ProjectUnderTest::project(const QString& command, const QStringList& extra) const
{
    return runProgram(QStringLiteral("commonweight-project"),
                      QStringList{command, QStringLiteral("--folder"), folder()} + extra);
}

Volunteer::Volunteer(const QString& root, int number)
    : m_folder(root + QStringLiteral("/volunteer-%1").arg(number)),
      m_daemon(QStringLiteral("commonweightd"),
               root + QStringLiteral("/volunteer-%1.log").arg(number))
{}

namespace {

/// Where the kernel cannot confine, the chain is tested all the same.
QStringList confinement()
{
    static const bool kConfines = [] {
        QProcess trainer;
        trainer.start(programPath(QStringLiteral("commonweight-trainer")),
                      {QStringLiteral("--check-sandbox")});
        return trainer.waitForFinished() && trainer.exitCode() == 0;
    }();
    return kConfines ? QStringList() : QStringList{QStringLiteral("--allow-unconfined")};
}

} // namespace

void Volunteer::start(const QString& address, const QStringList& extra)
{
    m_daemon.start(QStringList{QStringLiteral("--state"), state(), QStringLiteral("--data"), data(),
                               QStringLiteral("--trainer"),
                               programPath(QStringLiteral("commonweight-trainer")),
                               QStringLiteral("--attach"), address, QStringLiteral("--when"),
                               QStringLiteral("always"), QStringLiteral("--threads"),
                               QStringLiteral("1")} +
                   confinement() + extra);
}

bool waitUntil(const std::function<bool()>& done, int timeoutMs)
{
    QElapsedTimer timer;
    timer.start();
    while (!done()) {
        if (timer.elapsed() > timeoutMs)
            return false;
        QThread::msleep(100);
    }
    return true;
}

QByteArray realText(qsizetype bytes)
{
    QFile shakespeare(
        QStringLiteral(COMMONWEIGHT_SOURCE_DIR "/../shared/data/tinyshakespeare.txt"));
    if (shakespeare.open(QIODevice::ReadOnly))
        return shakespeare.read(bytes);
    QProcess bible;
    bible.start(QStringLiteral("bible"), {QStringLiteral("-f"), QStringLiteral("gen1:1-rev22:21")});
    bible.waitForFinished(60'000);
    return bible.readAllStandardOutput().left(bytes);
}

} // namespace commonweight::system_test
