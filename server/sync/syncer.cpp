#include "server/sync/syncer.h"

#include "engine/base/log.h"
#include "server/schedule/lane_book.h"
#include "server/sync/round_policy.h"

namespace commonweight::server {

namespace {

constexpr std::chrono::milliseconds kPeriod{200};
constexpr std::chrono::seconds kAfterFailure{5};

} // namespace

Syncer::Syncer(Store& store, BlobStore& blobs, const Clock& clock, EventSink events,
               int mergeThreads)
    : m_store(store), m_clock(clock), m_publisher(store, blobs, clock, mergeThreads),
      m_events(std::move(events))
{}

Syncer::~Syncer()
{
    stop();
}

void Syncer::start()
{
    m_thread = std::jthread([this](const std::stop_token& stopping) { loop(stopping); });
}

void Syncer::stop()
{
    if (!m_thread.joinable())
        return;
    m_thread.request_stop();
    m_thread.join();
}

void Syncer::notify()
{
    const std::lock_guard lock(m_mutex);
    m_notified = true;
    m_wake.notify_all();
}

void Syncer::loop(const std::stop_token& stopping)
{
    while (!stopping.stop_requested()) {
        const auto published = tick();
        const std::string failure = published.ok() ? std::string() : published.error().message;
        if (!failure.empty() && failure != m_lastFailure)
            spdlog::error("Contributions could not be merged and will be tried again: {}", failure);
        m_lastFailure = failure;
        if (published.ok() && *published > 0)
            continue;
        std::unique_lock lock(m_mutex);
        if (failure.empty())
            m_wake.wait_for(lock, stopping, kPeriod, [this] { return m_notified; });
        else
            m_wake.wait_for(lock, stopping, kAfterFailure, [] { return false; });
        m_notified = false;
    }
}

Result<int> Syncer::tick()
{
    CW_TRY(const auto runs, m_store.runs());
    int published = 0;
    for (const auto& run : runs) {
        CW_TRY(const int expired, expireUnits(m_store, run.id(), m_clock.wall()));
        if (expired > 0)
            spdlog::info("{} work unit(s) were not finished in time; their text goes to others",
                         expired);
        if (run.status.state != "running")
            continue;
        CW_TRY(const int count, lookAt(run));
        published += count;
    }
    return published;
}

Result<int> Syncer::lookAt(const RunRecord& run)
{
    RoundView view{.now = m_clock.wall(),
                   .clock = {},
                   .counts = {},
                   .policy = run.config().round,
                   .mergeTime = mergeTimeOf(run.id())};
    auto action = RoundAction::Wait;
    // Counting and stopping the clock belong together: a unit given in between would lose its
    // round.
    CW_CHECK(m_store.atomically([&]() -> Result<void> {
        CW_TRY(const auto current, m_store.run(run.id()));
        view.clock = current.status.round;
        CW_TRY(view.counts, m_store.roundCounts(run.id(), {}));
        action = decideRound(view);
        if (action != RoundAction::StopClock)
            return {};
        return m_store.setRound(run.id(), {.openedAt = view.clock.openedAt, .closesAt = {}});
    }));
    return action == RoundAction::Merge ? closeRound(run) : 0;
}

Seconds Syncer::mergeTimeOf(const std::string& run) const
{
    const auto known = m_mergeTimes.find(run);
    return known == m_mergeTimes.end() ? Seconds{0} : known->second;
}

Result<int> Syncer::closeRound(const RunRecord& run)
{
    const auto begin = m_clock.monotonic();
    CW_TRY(const auto publication, m_publisher.publish(run));
    if (!publication.version)
        return 0;
    m_mergeTimes[run.id()] = m_clock.monotonic() - begin;
    report(run, publication);
    return 1;
}

void Syncer::report(const RunRecord& run, const Publication& publication)
{
    const auto& version = *publication.version;
    spdlog::info("Version {} of {}: {} contribution(s) with {} tokens merged, {} tokens in all",
                 version.version, run.config().name, publication.results, publication.tokens,
                 version.tokensMerged);
    m_events("version", {{"run", run.id()},
                         {"version", version.version},
                         {"tokens_merged", version.tokensMerged},
                         {"results", publication.results},
                         {"time", toRfc3339(version.created)}});
    if (publication.runFinished)
        spdlog::info("{} is finished: it was trained on all the tokens that were planned",
                     run.config().name);
}

} // namespace commonweight::server
