#include "engine/agent/control_client.h"

#include <QElapsedTimer>

#include <algorithm>
#include <array>

namespace commonweight::agent {

namespace {

constexpr int kConnectMilliseconds = 5000;
constexpr JsonLimits kReply{64u << 20, 32};

ErrorKind kindFromText(const std::string& text)
{
    static constexpr std::array kKinds{
        ErrorKind::Io,          ErrorKind::Network,   ErrorKind::Timeout,  ErrorKind::Protocol,
        ErrorKind::NotFound,    ErrorKind::Denied,    ErrorKind::Conflict, ErrorKind::Device,
        ErrorKind::OutOfMemory, ErrorKind::Cancelled, ErrorKind::Corrupt,  ErrorKind::Full};
    const auto found = std::find_if(kKinds.begin(), kKinds.end(),
                                    [&](ErrorKind kind) { return text == toString(kind); });
    return found == kKinds.end() ? ErrorKind::Protocol : *found;
}

} // namespace

Result<ControlClient> ControlClient::connect(const std::filesystem::path& stateFolder)
{
    auto socket = std::make_unique<QLocalSocket>();
    // A relative name would be looked for in the folder of temporary files.
    const auto path = std::filesystem::absolute(stateFolder) / "control.sock";
    socket->connectToServer(QString::fromStdString(path.string()));
    if (!socket->waitForConnected(kConnectMilliseconds))
        return Error{ErrorKind::NotFound, "no agent is running on " + stateFolder.string()};
    return ControlClient(std::move(socket));
}

Result<Json> ControlClient::readLine(int timeoutMilliseconds)
{
    QElapsedTimer timer;
    timer.start();
    while (!m_socket->canReadLine()) {
        const int left =
            timeoutMilliseconds < 0 ? -1 : timeoutMilliseconds - static_cast<int>(timer.elapsed());
        if (timeoutMilliseconds >= 0 && left <= 0)
            return Error{ErrorKind::Timeout, "the agent does not answer"};
        if (!m_socket->waitForReadyRead(left) && m_socket->state() != QLocalSocket::ConnectedState)
            return Error{ErrorKind::Network, "the agent has ended"};
    }
    return parseJson(m_socket->readLine().toStdString(), kReply);
}

Result<Json> ControlClient::ask(const Json& request, int timeoutMilliseconds)
{
    m_socket->write(QByteArray::fromStdString(dumpJson(request) + "\n"));
    m_socket->flush();
    CW_TRY(const Json reply, readLine(timeoutMilliseconds));
    CW_TRY(const bool ok, boolMember(reply, "ok"));
    if (ok)
        return objectMember(reply, "result");
    CW_TRY(const Json error, objectMember(reply, "error"));
    CW_TRY(const std::string kind, textMember(error, "kind"));
    CW_TRY(const std::string message, textMember(error, "message"));
    return Error{kindFromText(kind), message};
}

Result<Json> ControlClient::nextEvent()
{
    return readLine(-1);
}

} // namespace commonweight::agent
