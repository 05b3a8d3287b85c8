#include "server/verify/evaluator.h"

#include "engine/base/log.h"

#include <sys/resource.h>
#include <unistd.h>

namespace commonweight::server {

namespace {

constexpr std::chrono::seconds kPeriod{5};
constexpr std::chrono::minutes kAfterFailure{5};
constexpr int kLowestPriority = 19;

/// On Linux a nice value belongs to a thread; threads that a library starts from here inherit it.
void yieldToEverybody()
{
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kLowestPriority);
}

} // namespace

Evaluator::Evaluator(Store& store, BlobStore& blobs, const gpu::Registry& devices,
                     const Clock& clock, EvaluationOptions options, EventSink events)
    : m_store(store), m_blobs(blobs), m_devices(devices), m_clock(clock),
      m_options(std::move(options)), m_events(std::move(events))
{}

Evaluator::~Evaluator()
{
    stop();
}

void Evaluator::start()
{
    m_thread = std::jthread([this](const std::stop_token& stopping) { loop(stopping); });
}

void Evaluator::stop()
{
    if (!m_thread.joinable())
        return;
    m_thread.request_stop();
    m_thread.join();
}

void Evaluator::notify()
{
    const std::lock_guard lock(m_mutex);
    m_notified = true;
    m_wake.notify_all();
}

void Evaluator::loop(const std::stop_token& stopping)
{
    yieldToEverybody();
    while (!stopping.stop_requested()) {
        const auto evaluated = evaluateOne();
        if (!evaluated.ok())
            spdlog::warn("The held-out loss could not be measured; it is tried again later: {}",
                         evaluated.error().message);
        if (evaluated.ok() && *evaluated)
            continue;
        std::unique_lock lock(m_mutex);
        if (evaluated.ok())
            m_wake.wait_for(lock, stopping, kPeriod, [this] { return m_notified; });
        else
            m_wake.wait_for(lock, stopping, kAfterFailure, [] { return false; });
        m_notified = false;
    }
}

Result<bool> Evaluator::evaluateOne()
{
    CW_TRY(const auto runs, m_store.runs());
    for (const auto& run : runs) {
        CW_TRY(const auto wanted, m_store.newestWithoutLoss(run.id()));
        if (!wanted || run.definition->heldOut.empty())
            continue;
        CW_TRY(const auto version, m_store.version(run.id(), *wanted));
        CW_TRY(const double loss,
               heldOutLossOf(m_blobs, *run.definition, version, m_devices, m_options));
        const work::LossPoint point{*wanted, version.tokensMerged, loss, m_clock.wall()};
        CW_CHECK(m_store.addLoss(run.id(), point));
        spdlog::info("Version {} of {}: held-out loss {:.4f} nats per byte", *wanted,
                     run.config().name, loss);
        m_events("loss", {{"run", run.id()},
                          {"version", *wanted},
                          {"tokens", version.tokensMerged},
                          {"loss", loss}});
        return true;
    }
    return false;
}

} // namespace commonweight::server
