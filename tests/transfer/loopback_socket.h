#pragma once
// The few socket calls that the test servers of this folder need: loopback only, every wait short
// enough to notice that the test ends.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string_view>
#include <utility>

namespace commonweight::transfer {

class LoopbackSocket {
public:
    explicit LoopbackSocket(int number = -1) : m_number(number) {}
    LoopbackSocket(LoopbackSocket&& other) noexcept : m_number(std::exchange(other.m_number, -1)) {}
    LoopbackSocket& operator=(LoopbackSocket&& other) noexcept
    {
        std::swap(m_number, other.m_number);
        return *this;
    }
    ~LoopbackSocket()
    {
        if (m_number >= 0)
            ::close(m_number);
    }

    static LoopbackSocket listening()
    {
        LoopbackSocket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        auto address = loopback(0);
        ::bind(socket.m_number, reinterpret_cast<sockaddr*>(&address), sizeof address);
        ::listen(socket.m_number, 64);
        return socket;
    }
    static LoopbackSocket connected(std::uint16_t port)
    {
        LoopbackSocket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        auto address = loopback(port);
        if (::connect(socket.m_number, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
            return LoopbackSocket();
        return socket;
    }

    bool isOpen() const { return m_number >= 0; }
    int number() const { return m_number; }
    std::uint16_t port() const
    {
        sockaddr_in address{};
        socklen_t size = sizeof address;
        ::getsockname(m_number, reinterpret_cast<sockaddr*>(&address), &size);
        return ntohs(address.sin_port);
    }
    /// Not open when nobody comes within the time.
    LoopbackSocket accept(int milliseconds) const
    {
        if (!isReadable(milliseconds))
            return LoopbackSocket();
        return LoopbackSocket(::accept4(m_number, nullptr, nullptr, SOCK_CLOEXEC));
    }
    bool isReadable(int milliseconds) const
    {
        pollfd wait{m_number, POLLIN, 0};
        return ::poll(&wait, 1, milliseconds) == 1;
    }
    bool send(std::string_view bytes) const
    {
        while (!bytes.empty()) {
            const auto sent = ::send(m_number, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0)
                return false;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }
    /// Closes with a reset, so that nothing on the way arrives.
    void reset()
    {
        const linger hard{1, 0};
        ::setsockopt(m_number, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
        ::close(std::exchange(m_number, -1));
    }

private:
    static sockaddr_in loopback(std::uint16_t port)
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return address;
    }

    int m_number;
};

} // namespace commonweight::transfer
