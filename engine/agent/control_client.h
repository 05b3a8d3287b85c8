#pragma once
// The other end of the control socket, blocking, for commonweightctl and for a second start of the
// window. Owner: main; one thread, no event loop needed.

#include "engine/base/json.h"

#include <QLocalSocket>

#include <filesystem>
#include <memory>

namespace commonweight::agent {

class ControlClient {
public:
    /// NotFound when no agent runs on this folder.
    static Result<ControlClient> connect(const std::filesystem::path& stateFolder);

    /// {"command": …} → its result, or the agent's error. Timeout, Network when the agent is gone.
    Result<Json> ask(const Json& request, int timeoutMilliseconds = 30'000);
    /// After {"command": "watch"}: the next event. Waits for ever.
    Result<Json> nextEvent();

private:
    explicit ControlClient(std::unique_ptr<QLocalSocket> socket) : m_socket(std::move(socket)) {}
    Result<Json> readLine(int timeoutMilliseconds);

    std::unique_ptr<QLocalSocket> m_socket;
};

} // namespace commonweight::agent
