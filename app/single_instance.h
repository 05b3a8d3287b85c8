#pragma once
// One window program for each state folder. The first one listens on a socket that only this user
// can open; a second one sends its wish there and ends. Owner: main(); GUI thread.

#include <QLocalServer>
#include <QLockFile>
#include <QObject>

#include <filesystem>

namespace commonweight::app {

class SingleInstance : public QObject {
    Q_OBJECT

public:
    /// `runtimeFolder`: private to the user, normally XDG_RUNTIME_DIR.
    SingleInstance(const QString& runtimeFolder, const std::filesystem::path& stateFolder);

    bool isFirst() const { return m_first; }
    /// Sends one line to the first one; false when it does not answer in time.
    bool send(const QString& wish) const;

Q_SIGNALS:
    void received(const QString& wish);

private:
    void greet();
    void read(class QLocalSocket* socket);

    QString m_socketName;
    QLockFile m_lock;
    QLocalServer m_server;
    bool m_first = false;
};

} // namespace commonweight::app
