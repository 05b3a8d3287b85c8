#pragma once
// The EventHub of the HTTP server: turns events into the text of server-sent events (HTML Living
// Standard, 9.2) and hands it to a bounded queue for each open stream. Owned by the server;
// thread-safe.

#include "server/api/http_server.h"

#include <deque>
#include <mutex>

namespace commonweight::server {

/// What one reader has still to be sent. When it is too slow the oldest events go.
class EventQueue {
public:
    using Text = std::shared_ptr<const std::string>;

    /// `wake` is called from any thread after something changed, once until the next take().
    explicit EventQueue(std::function<void()> wake) : m_wake(std::move(wake)) {}

    void push(const Text& text);
    void close();
    bool isClosed() const;
    std::deque<Text> take();

private:
    void wakeOnce();

    const std::function<void()> m_wake;
    mutable std::mutex m_mutex;
    std::deque<Text> m_texts;
    bool m_closed = false;
    bool m_woken = false;
};

class EventFan final : public EventHub {
public:
    explicit EventFan(std::size_t queuesAtMost) : m_queuesAtMost(queuesAtMost) {}

    void publish(const std::string& event, const Json& data) override;

    /// A new stream's queue; nullptr when there are too many, or after close().
    std::shared_ptr<EventQueue> open(std::function<void()> wake);
    /// Ends all streams.
    void close();

private:
    std::vector<std::shared_ptr<EventQueue>> livingQueues();

    const std::size_t m_queuesAtMost;
    std::mutex m_mutex;
    std::vector<std::weak_ptr<EventQueue>> m_queues;
    bool m_closed = false;
};

} // namespace commonweight::server
