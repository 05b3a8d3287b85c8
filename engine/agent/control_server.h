#pragma once
// The socket that commonweightctl and a second window talk to: <state folder>/control.sock, for its
// owner alone. One JSON object a line each way; docs/control-socket.md lists the commands. Owner:
// Agent; its thread.

#include "engine/agent/snapshot.h"

#include <QLocalServer>
#include <QLocalSocket>
#include <QObject>

#include <filesystem>

namespace commonweight::agent {

class Agent;

class ControlServer : public QObject {
    Q_OBJECT

public:
    ControlServer(Agent& agent, const Clock& clock);
    ~ControlServer() override;

    /// Replaces what a killed agent left: the caller holds the folder's lock. Io.
    Result<void> listen(const std::filesystem::path& stateFolder);
    /// To everybody who watches.
    void publish(const LogLine& line);

private:
    struct Command;
    struct Client {
        bool watches = false;
        std::string attaching; ///< address that it waits for; empty when it waits for none
    };

    void accept();
    void read(QLocalSocket* socket);
    void handle(QLocalSocket* socket, std::string_view line);
    void publishStatus();
    void attachEnded(const QString& address, const QString& error);
    Json status() const;

    Result<Json> pause(const Json& request);
    Result<Json> attach(QLocalSocket* socket, const Json& request);
    Result<Json> detach(const Json& request);
    Result<Json> abandon(const Json& request);
    Result<Json> set(const Json& request);

    Agent& m_agent;
    const Clock& m_clock;
    QLocalServer m_server;
    std::map<QLocalSocket*, Client> m_clients;
};

} // namespace commonweight::agent
