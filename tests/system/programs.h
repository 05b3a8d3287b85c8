#pragma once
// Starts the real programs for a system test, each in its own folder, and kills them without mercy
// when asked.

#include <QJsonDocument>
#include <QProcess>
#include <QString>
#include <QTemporaryDir>

#include <functional>
#include <memory>
#include <optional>

namespace commonweight::system_test {

/// Runs a program of this build to its end.
struct Finished {
    int exitCode = -1;
    QByteArray output;
    QByteArray errors;
    QJsonDocument json() const { return QJsonDocument::fromJson(output); }
};
Finished runProgram(const QString& name, const QStringList& arguments, int timeoutMs = 120'000);

/// A long-running program; stderr and stdout go to `<log>`. Dies with this object (SIGKILL).
class Program {
public:
    Program(QString name, QString logFile);
    ~Program();
    void start(const QStringList& arguments);
    void killHard();                          ///< SIGKILL
    bool stopCleanly(int timeoutMs = 20'000); ///< SIGTERM; true when it ended with code 0
    bool running() const { return m_process && m_process->state() == QProcess::Running; }
    QByteArray log() const;

private:
    QString m_name;
    QString m_logFile;
    std::unique_ptr<QProcess> m_process;
};

/// A project with its server, in a temporary folder.
class ProjectUnderTest {
public:
    ProjectUnderTest();
    /// commonweight-project create with small defaults; `extra` goes to the end.
    Finished create(const QString& textFile, const QStringList& extra = {});
    bool serve(); ///< on the same port every time; waits until it answers
    void killServer() { m_server.killHard(); }
    bool stopServer() { return m_server.stopCleanly(); }

    QString folder() const { return m_root.filePath(QStringLiteral("server")); }
    QString root() const { return m_root.path(); }
    QString address() const { return QStringLiteral("http://127.0.0.1:%1").arg(m_port); }
    std::optional<QJsonDocument> get(const QString& path) const; ///< a JSON answer with status 200
    QByteArray serverLog() const { return m_server.log(); }
    Finished project(const QString& command, const QStringList& extra = {}) const;

private:
    QTemporaryDir m_root;
    Program m_server;
    int m_port = 0;
};

/// A volunteer's daemon with its own state and data.
class Volunteer {
public:
    Volunteer(const QString& root, int number);
    void start(const QString& address, const QStringList& extra = {});
    void killHard() { m_daemon.killHard(); }
    bool stop() { return m_daemon.stopCleanly(); }
    bool running() const { return m_daemon.running(); }
    QByteArray log() const { return m_daemon.log(); }
    QString state() const { return m_folder + QStringLiteral("/state"); }
    QString data() const { return m_folder + QStringLiteral("/data"); }

private:
    QString m_folder;
    Program m_daemon;
};

/// Polls until `done` is true; false after the time-out.
bool waitUntil(const std::function<bool()>& done, int timeoutMs);

/// Real English text: tiny Shakespeare where it is at hand, else the King James Bible of the Debian
/// package; at most `bytes`.
QByteArray realText(qsizetype bytes);

} // namespace commonweight::system_test
