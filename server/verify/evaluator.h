#pragma once
// Measures the held-out loss of versions while the server runs: the newest first, older ones as
// time allows. A loss far too high returns the run to the last good version, without those whose
// contributions made it bad. Owned by the program; one thread of its own with the lowest priority
// between start() and stop().

#include "server/sync/syncer.h"
#include "server/verify/held_out.h"
#include "server/verify/loss_watch.h"

namespace commonweight::server {

class Evaluator {
public:
    /// All must outlive the evaluator.
    Evaluator(Store& store, BlobStore& blobs, const gpu::Registry& devices, const Clock& clock,
              EvaluationOptions options, EventSink events);
    ~Evaluator();

    void start();
    void stop();   ///< ends after the version at hand
    void notify(); ///< a version was published

    /// Evaluates one version if there is any left; whether it did.
    Result<bool> evaluateOne();

private:
    void loop(const std::stop_token& stopping);
    Result<std::optional<std::uint64_t>> wanted(const RunRecord& run);
    Result<bool> catchUp(const RunRecord& run);
    Result<void> evaluate(const RunRecord& run, std::uint64_t version);
    Result<void> watch(const RunRecord& run, const work::LossPoint& point);
    Result<void> goBack(const RunRecord& run, const work::LossPoint& point,
                        const LossVerdict& verdict);

    Store& m_store;
    BlobStore& m_blobs;
    const gpu::Registry& m_devices;
    const Clock& m_clock;
    const EvaluationOptions m_options;
    EventSink m_events;
    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    bool m_notified = false;
    std::jthread m_thread; ///< last: it uses all of the above
};

} // namespace commonweight::server
