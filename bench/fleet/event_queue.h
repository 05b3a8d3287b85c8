#pragma once
// Events in the order of virtual time; equal times in the order of their making, so that a
// simulation repeats. Owned by the fleet; one thread.

#include <cstdint>
#include <queue>
#include <vector>

namespace commonweight::bench {

enum class EventKind : std::uint8_t {
    Returns, ///< a host starts, or comes back
    Interrupted,
    Asks,      ///< it calls the scheduler
    TrainEnds, ///< its unit is over: what it has goes out
    Posts,     ///< the upload is complete
    RoundLook, ///< the syncer looks at a run
    MergeEnds,
    ServerDies,
    ServerBack,
};

struct Event {
    double time = 0;
    std::uint64_t order = 0;
    std::uint32_t subject = 0; ///< host, or run
    std::uint32_t serial = 0;  ///< of the subject's state; an event of an older state is void
    EventKind kind = EventKind::Asks;
    bool operator<(const Event& other) const
    {
        return time != other.time ? time > other.time : order > other.order;
    }
};

class EventQueue {
public:
    void add(double time, EventKind kind, std::uint32_t subject, std::uint32_t serial = 0)
    {
        m_heap.push({time, m_order++, subject, serial, kind});
    }
    bool isEmpty() const { return m_heap.empty(); }
    Event take()
    {
        const Event next = m_heap.top();
        m_heap.pop();
        return next;
    }

private:
    std::priority_queue<Event> m_heap;
    std::uint64_t m_order = 0;
};

} // namespace commonweight::bench
