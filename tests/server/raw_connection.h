#pragma once
// A plain TCP client for tests: sends exactly the bytes that a test wants, and takes answers apart.
// One thread; every wait ends.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

namespace commonweight::server {

struct RawAnswer {
    int status = 0;                             ///< 0: there was no answer
    std::map<std::string, std::string> headers; ///< names in lower case
    std::string body;

    std::string header(const std::string& name) const
    {
        const auto found = headers.find(name);
        return found == headers.end() ? std::string() : found->second;
    }
};

class RawConnection {
public:
    using Milliseconds = std::chrono::milliseconds;
    static constexpr Milliseconds kPatience{20'000};

    explicit RawConnection(std::uint16_t port, int receiveBuffer = 0)
    {
        m_socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (receiveBuffer > 0)
            ::setsockopt(m_socket, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, sizeof receiveBuffer);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        m_isOpen = ::connect(m_socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    }
    RawConnection(RawConnection&& other) noexcept
        : m_socket(std::exchange(other.m_socket, -1)), m_isOpen(other.m_isOpen),
          m_buffer(std::move(other.m_buffer))
    {}
    RawConnection& operator=(RawConnection&& other) noexcept
    {
        std::swap(m_socket, other.m_socket);
        std::swap(m_buffer, other.m_buffer);
        m_isOpen = other.m_isOpen;
        m_isEnded = other.m_isEnded;
        return *this;
    }
    ~RawConnection()
    {
        if (m_socket >= 0)
            ::close(m_socket);
    }

    bool isOpen() const { return m_isOpen; }

    /// False when the other side does not want any more.
    bool send(std::string_view bytes)
    {
        while (!bytes.empty()) {
            const auto sent = ::send(m_socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0)
                return false;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }

    /// The next answer; of one to HEAD only the header.
    RawAnswer readAnswer(bool isHead = false)
    {
        RawAnswer answer;
        std::size_t end = std::string::npos;
        while ((end = m_buffer.find("\r\n\r\n")) == std::string::npos)
            if (!readMore())
                return answer;
        parseHead(m_buffer.substr(0, end), answer);
        m_buffer.erase(0, end + 4);
        const bool hasBody =
            !isHead && answer.status / 100 != 1 && answer.status != 204 && answer.status != 304;
        const auto length = answer.header("content-length");
        const auto wanted = !hasBody         ? 0
                            : length.empty() ? std::string::npos
                                             : std::strtoull(length.c_str(), nullptr, 10);
        while (m_buffer.size() < wanted && readMore()) {
        }
        answer.body = m_buffer.substr(0, wanted);
        m_buffer.erase(0, answer.body.size());
        return answer;
    }

    /// Reads until `text` has come; false when the connection ends, or patience does, before it.
    bool readUntil(const std::string& text, Milliseconds patience = kPatience)
    {
        while (m_buffer.find(text) == std::string::npos)
            if (!readMore(patience))
                return false;
        m_buffer.erase(0, m_buffer.find(text) + text.size());
        return true;
    }

    /// True when the other side closes within the time. What it says meanwhile is kept.
    bool closesWithin(Milliseconds time)
    {
        const auto end = std::chrono::steady_clock::now() + time;
        while (std::chrono::steady_clock::now() < end)
            if (!readMore(Milliseconds(50)) && m_isEnded)
                return true;
        return m_isEnded;
    }
    /// Takes in what is there, a little of it; false when nothing comes in time.
    bool readSome(Milliseconds patience = kPatience) { return readMore(patience); }
    const std::string& received() const { return m_buffer; }

    void shutdownSend() { ::shutdown(m_socket, SHUT_WR); }
    /// Ends the connection as a pulled cable with a reset would.
    void reset()
    {
        const linger hard{1, 0};
        ::setsockopt(m_socket, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
        ::close(std::exchange(m_socket, -1));
    }

private:
    bool readMore(Milliseconds patience = kPatience)
    {
        pollfd wait{m_socket, POLLIN, 0};
        if (::poll(&wait, 1, static_cast<int>(patience.count())) != 1)
            return false;
        char piece[16 << 10];
        const auto got = ::recv(m_socket, piece, sizeof piece, 0);
        m_isEnded = got <= 0;
        if (got > 0)
            m_buffer.append(piece, static_cast<std::size_t>(got));
        return got > 0;
    }

    static void parseHead(const std::string& head, RawAnswer& answer)
    {
        answer.status = std::atoi(head.c_str() + std::min(head.find(' '), head.size()));
        for (auto at = head.find("\r\n"); at != std::string::npos;) {
            const auto end = head.find("\r\n", at + 2);
            const auto line = head.substr(at + 2, end == std::string::npos ? end : end - at - 2);
            auto name = line.substr(0, line.find(": "));
            std::transform(name.begin(), name.end(), name.begin(),
                           [](unsigned char c) { return std::tolower(c); });
            answer.headers[name] =
                line.size() > name.size() + 2 ? line.substr(name.size() + 2) : std::string();
            at = end;
        }
    }

    int m_socket = -1;
    bool m_isOpen = false;
    bool m_isEnded = false;
    std::string m_buffer;
};

} // namespace commonweight::server
