#include "server/api/event_fan.h"

#include <algorithm>

namespace commonweight::server {

namespace {

constexpr std::size_t kMostWaitingEvents = 64;

bool isControl(char c)
{
    return static_cast<unsigned char>(c) < ' ';
}

} // namespace

void EventQueue::push(const Text& text)
{
    {
        const std::scoped_lock lock(m_mutex);
        if (m_texts.size() == kMostWaitingEvents)
            m_texts.pop_front();
        m_texts.push_back(text);
    }
    wakeOnce();
}

void EventQueue::close()
{
    {
        const std::scoped_lock lock(m_mutex);
        m_closed = true;
        m_woken = false;
    }
    wakeOnce();
}

bool EventQueue::isClosed() const
{
    const std::scoped_lock lock(m_mutex);
    return m_closed;
}

std::deque<EventQueue::Text> EventQueue::take()
{
    const std::scoped_lock lock(m_mutex);
    m_woken = false;
    return std::exchange(m_texts, {});
}

void EventQueue::wakeOnce()
{
    {
        const std::scoped_lock lock(m_mutex);
        if (std::exchange(m_woken, true))
            return;
    }
    m_wake();
}

void EventFan::publish(const std::string& event, const Json& data)
{
    assert(std::none_of(event.begin(), event.end(), isControl));
    const auto text = std::make_shared<const std::string>("event: " + event +
                                                          "\ndata: " + dumpJson(data) + "\n\n");
    for (const auto& queue : livingQueues())
        queue->push(text);
}

std::shared_ptr<EventQueue> EventFan::open(std::function<void()> wake)
{
    const auto living = livingQueues().size();
    const std::scoped_lock lock(m_mutex);
    if (m_closed || living >= m_queuesAtMost)
        return nullptr;
    auto queue = std::make_shared<EventQueue>(std::move(wake));
    m_queues.push_back(queue);
    return queue;
}

void EventFan::close()
{
    {
        const std::scoped_lock lock(m_mutex);
        m_closed = true;
    }
    for (const auto& queue : livingQueues())
        queue->close();
}

std::vector<std::shared_ptr<EventQueue>> EventFan::livingQueues()
{
    const std::scoped_lock lock(m_mutex);
    std::vector<std::shared_ptr<EventQueue>> living;
    std::erase_if(m_queues, [&living](const auto& weak) {
        auto queue = weak.lock();
        if (!queue)
            return true;
        living.push_back(std::move(queue));
        return false;
    });
    return living;
}

} // namespace commonweight::server
