#pragma once
// A TCP relay between client and server that a test tells to misbehave: cut after so many bytes,
// flip a bit, fall silent. Its threads end with it.

#include "tests/transfer/loopback_socket.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace commonweight::transfer {

class FlakyProxy {
public:
    static constexpr std::uint64_t kNever = ~std::uint64_t{0};

    explicit FlakyProxy(std::uint16_t port)
        : serverPort(port), m_listening(LoopbackSocket::listening()), m_thread([this] { run(); })
    {}
    FlakyProxy(const FlakyProxy&) = delete;
    FlakyProxy& operator=(const FlakyProxy&) = delete;
    ~FlakyProxy()
    {
        m_ends = true;
        m_thread.join();
        for (auto& thread : m_relays)
            thread.join();
    }

    std::uint16_t port() const { return m_listening.port(); }

    std::atomic<std::uint16_t> serverPort; ///< may change: a server that was started again
    // For each connection made from now on:
    std::atomic<std::uint64_t> cutDownAfter = kNever;  ///< bytes to the client, then a reset
    std::atomic<std::uint64_t> cutUpAfter = kNever;    ///< bytes to the server, then a reset
    std::atomic<std::uint64_t> flipDownAt = kNever;    ///< one bit of this byte to the client
    std::atomic<std::uint64_t> muteDownAfter = kNever; ///< bytes to the client, then silence
    std::atomic<int> cutsLeft = 1 << 30;               ///< cuts that happen at most

    std::atomic<int> connections = 0;
    std::atomic<std::uint64_t> bytesUp = 0;
    std::atomic<std::uint64_t> bytesDown = 0;

private:
    void run()
    {
        while (!m_ends) {
            auto client = m_listening.accept(20);
            if (!client.isOpen())
                continue;
            ++connections;
            m_relays.emplace_back(
                [this, socket = std::move(client)]() mutable { relay(std::move(socket)); });
        }
    }

    void relay(LoopbackSocket client)
    {
        const std::uint64_t up = cutUpAfter, down = cutDownAfter, flip = flipDownAt,
                            mute = muteDownAfter;
        auto server = LoopbackSocket::connected(serverPort);
        std::uint64_t sentUp = 0, sentDown = 0;
        while (!m_ends && server.isOpen()) {
            std::array<pollfd, 2> waits{pollfd{client.number(), POLLIN, 0},
                                        pollfd{server.number(), POLLIN, 0}};
            ::poll(waits.data(), waits.size(), 20);
            if (waits[0].revents != 0 &&
                !forward(client, server, sentUp, up, kNever, kNever, bytesUp))
                break;
            if (waits[1].revents != 0 &&
                !forward(server, client, sentDown, down, flip, mute, bytesDown))
                break;
        }
        if (sentUp >= up || sentDown >= down) {
            client.reset();
            server.reset();
        }
    }

    bool forward(const LoopbackSocket& from, const LoopbackSocket& to, std::uint64_t& sent,
                 std::uint64_t cut, std::uint64_t flip, std::uint64_t mute,
                 std::atomic<std::uint64_t>& total)
    {
        std::array<char, 16 << 10> piece;
        const auto got = ::recv(from.number(), piece.data(), piece.size(), 0);
        if (got <= 0)
            return false;
        auto size = static_cast<std::uint64_t>(got);
        if (flip >= sent && flip < sent + size)
            piece[flip - sent] = static_cast<char>(piece[flip - sent] ^ 0x10);
        const bool cuts = sent + size >= cut && cutsLeft.fetch_sub(1) > 0;
        size = std::min(size, (cuts ? cut : kNever) - sent);
        const auto audible = std::min(size, mute - std::min(mute, sent));
        sent += size;
        total += audible;
        return to.send({piece.data(), audible}) && !cuts;
    }

    LoopbackSocket m_listening;
    std::atomic<bool> m_ends = false;
    std::vector<std::thread> m_relays;
    std::thread m_thread;
};

} // namespace commonweight::transfer
