#pragma once
// A server that says exactly what a test wants, HTTP or not. The script gets the header of each
// request and answers bytes; it runs on the server's thread, one connection at a time.

#include "tests/transfer/loopback_socket.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace commonweight::transfer {

class ScriptedServer {
public:
    using Script = std::function<std::string(const std::string& request)>;

    /// With `staysSilent` the connection is kept open after the answer, and nothing more is said.
    explicit ScriptedServer(Script script, bool staysSilent = false)
        : m_script(std::move(script)), m_staysSilent(staysSilent),
          m_listening(LoopbackSocket::listening()), m_thread([this] { run(); })
    {}
    ScriptedServer(const ScriptedServer&) = delete;
    ScriptedServer& operator=(const ScriptedServer&) = delete;
    ~ScriptedServer()
    {
        m_ends = true;
        m_thread.join();
    }

    std::uint16_t port() const { return m_listening.port(); }
    std::string url(const std::string& path = "/") const
    {
        return "http://127.0.0.1:" + std::to_string(port()) + path;
    }
    std::vector<std::string> requests() const
    {
        const std::scoped_lock lock(m_mutex);
        return m_requests;
    }

private:
    void run()
    {
        while (!m_ends) {
            const auto client = m_listening.accept(20);
            if (client.isOpen())
                serve(client);
        }
    }

    void serve(const LoopbackSocket& client)
    {
        std::string request;
        char piece[4096];
        while (!m_ends && request.find("\r\n\r\n") == std::string::npos) {
            if (!client.isReadable(20))
                continue;
            const auto got = ::recv(client.number(), piece, sizeof piece, 0);
            if (got <= 0)
                return;
            request.append(piece, static_cast<std::size_t>(got));
        }
        {
            const std::scoped_lock lock(m_mutex);
            m_requests.push_back(request);
        }
        client.send(m_script(request));
        ::shutdown(client.number(), m_staysSilent ? SHUT_RD : SHUT_WR);
        while (!m_ends && m_staysSilent)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        // Reading what is left keeps the kernel from resetting the connection under the answer.
        while (!m_ends && client.isReadable(200) &&
               ::recv(client.number(), piece, sizeof piece, 0) > 0) {
        }
    }

    const Script m_script;
    const bool m_staysSilent;
    LoopbackSocket m_listening;
    std::atomic<bool> m_ends = false;
    mutable std::mutex m_mutex;
    std::vector<std::string> m_requests;
    std::thread m_thread;
};

} // namespace commonweight::transfer
