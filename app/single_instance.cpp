#include "app/single_instance.h"

#include "engine/base/sha256.h"

#include <QLocalSocket>
#include <QTimer>

namespace commonweight::app {

namespace {

using namespace std::chrono_literals;

constexpr qint64 kLongestWish = 4096;
constexpr auto kPatience = 3s;
constexpr int kPatienceMs = 3000;

/// Short, because a socket's path has room for about a hundred letters.
QString nameFor(const std::filesystem::path& folder)
{
    const auto digest = sha256(asBytes(folder.lexically_normal().string())).hex();
    return QStringLiteral("commonweight-%1").arg(QString::fromStdString(digest.substr(0, 12)));
}

} // namespace

SingleInstance::SingleInstance(const QString& runtimeFolder,
                               const std::filesystem::path& stateFolder)
    : m_socketName(QStringLiteral("%1/%2.window").arg(runtimeFolder, nameFor(stateFolder))),
      m_lock(m_socketName + QStringLiteral(".lock"))
{
    m_lock.setStaleLockTime(0); // held for as long as the process lives
    m_first = m_lock.tryLock(0) || m_lock.error() != QLockFile::LockFailedError;
    if (!m_first)
        return;
    QLocalServer::removeServer(m_socketName);
    m_server.setSocketOptions(QLocalServer::UserAccessOption);
    connect(&m_server, &QLocalServer::newConnection, this, &SingleInstance::greet);
    m_server.listen(m_socketName);
}

bool SingleInstance::send(const QString& wish) const
{
    QLocalSocket socket;
    socket.connectToServer(m_socketName);
    if (!socket.waitForConnected(kPatienceMs))
        return false;
    socket.write(wish.toUtf8() + '\n');
    return socket.waitForBytesWritten(kPatienceMs) && socket.waitForReadyRead(kPatienceMs);
}

void SingleInstance::greet()
{
    while (auto* socket = m_server.nextPendingConnection()) {
        connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
        connect(socket, &QLocalSocket::readyRead, this, [this, socket] { read(socket); });
        QTimer::singleShot(kPatience, socket, [socket] { socket->abort(); });
    }
}

void SingleInstance::read(QLocalSocket* socket)
{
    if (!socket->canReadLine()) {
        if (socket->bytesAvailable() > kLongestWish)
            socket->abort();
        return;
    }
    const auto wish = QString::fromUtf8(socket->readLine(kLongestWish)).trimmed();
    socket->write("ok\n");
    socket->disconnectFromServer();
    Q_EMIT received(wish);
}

} // namespace commonweight::app
