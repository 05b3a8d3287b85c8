#pragma once
// Closes rounds: looks at every run several times a second, or at once when told, returns expired
// leases and publishes versions. Owned by the program; one thread of its own between start() and
// stop(). notify() from any thread.

#include "server/sync/publication.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace commonweight::server {

/// Where news for the public page go: event name and data. Called on the thread that has the news.
using EventSink = std::function<void(const std::string&, const Json&)>;

class Syncer {
public:
    /// All must outlive the syncer.
    /// `mergeThreads` as Publisher's.
    Syncer(Store& store, BlobStore& blobs, const Clock& clock, EventSink events,
           int mergeThreads = 0);
    ~Syncer();

    void start();
    void stop();
    void notify(); ///< a result came in

    /// One look at every run; how many versions were published. What the thread does; tests call it
    /// themselves.
    Result<int> tick();

private:
    void loop(const std::stop_token& stopping);
    Result<int> lookAt(const RunRecord& run);
    Result<int> closeRound(const RunRecord& run);
    void report(const RunRecord& run, const Publication& publication);
    Seconds mergeTimeOf(const std::string& run) const;

    Store& m_store;
    const Clock& m_clock;
    Publisher m_publisher;
    EventSink m_events;
    std::map<std::string, Seconds> m_mergeTimes; ///< of each run's last merge
    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    bool m_notified = false;
    std::string m_lastFailure; ///< so that a full disk is logged once, not five times a second
    std::jthread m_thread;     ///< last: it uses all of the above
};

} // namespace commonweight::server
