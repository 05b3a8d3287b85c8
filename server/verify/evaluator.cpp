#include "server/verify/evaluator.h"

#include "engine/base/log.h"
#include "server/sync/rollback.h"
#include "server/sync/work_claim.h"
#include "server/verify/suspects.h"

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdio>

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
        if (evaluated.ok() || evaluated.error().kind == ErrorKind::Timeout)
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
        if (run.definition->heldOut.empty())
            continue;
        CW_TRY(const auto claim, WorkClaim::take(m_store, m_clock, "evaluate/" + run.id()));
        if (!claim)
            continue;
        CW_TRY(const bool wentBack, catchUp(run));
        if (wentBack)
            return true;
        CW_TRY(const auto version, wanted(run));
        if (!version)
            continue;
        CW_CHECK(evaluate(run, *version));
        return true;
    }
    return false;
}

/// A rollback that could not be done when the loss was measured.
Result<bool> Evaluator::catchUp(const RunRecord& run)
{
    CW_TRY(const auto losses, m_store.losses(run.id()));
    if (losses.empty() || !m_options.rollBack)
        return false;
    const auto verdict = judgeLoss(losses, losses.back());
    if (!verdict.bad)
        return false;
    CW_CHECK(goBack(run, losses.back(), verdict));
    return true;
}

/// The newest version without a loss, if it is due and its files are still kept.
Result<std::optional<std::uint64_t>> Evaluator::wanted(const RunRecord& run)
{
    const std::optional<std::uint64_t> nothing;
    CW_TRY(const auto candidate, m_store.newestWithoutLoss(run.id()));
    if (!candidate)
        return nothing;
    CW_TRY(const auto losses, m_store.losses(run.id()));
    const bool isNewest = losses.empty() || losses.back().version < *candidate;
    if (isNewest && !losses.empty() && *candidate < losses.back().version + m_options.every)
        return nothing;
    // Older ones are caught up with only where each one counts.
    if (!isNewest && m_options.every > 1)
        return nothing;
    CW_TRY(const auto version, m_store.version(run.id(), *candidate));
    return isStored(m_blobs, version) ? candidate : nothing;
}

Result<void> Evaluator::evaluate(const RunRecord& run, std::uint64_t number)
{
    CW_TRY(const auto version, m_store.version(run.id(), number));
    const auto measured = heldOutLossOf(m_blobs, *run.definition, version, m_devices, m_options);
    // Superseded and removed meanwhile: the next one is measured instead.
    if (!measured.ok() && measured.error().kind == ErrorKind::NotFound &&
        !isStored(m_blobs, version))
        return {};
    if (!measured.ok())
        return measured.error();
    const work::LossPoint point{number, version.tokensMerged, recordedLoss(*measured),
                                m_clock.wall()};
    CW_CHECK(m_store.addLoss(run.id(), point));
    spdlog::info("Version {} of {}: held-out loss {:.4f} nats per byte", number, run.config().name,
                 point.loss);
    m_events("loss", {{"run", run.id()},
                      {"version", number},
                      {"tokens", version.tokensMerged},
                      {"loss", point.loss}});
    return watch(run, point);
}

Result<void> Evaluator::watch(const RunRecord& run, const work::LossPoint& point)
{
    CW_TRY(const auto losses, m_store.losses(run.id()));
    const auto verdict = judgeLoss(losses, point);
    // A later version that is good is the better way out.
    if (!verdict.bad || losses.back().version > point.version)
        return {};
    spdlog::error("The held-out loss of version {} of {} is {:.4f}, above the limit of {:.4f}",
                  point.version, run.config().name, point.loss, verdict.limit);
    if (m_options.rollBack)
        return goBack(run, point, verdict);
    m_events("warning", {{"run", run.id()}, {"version", point.version}, {"loss", point.loss}});
    return {};
}

Result<void> Evaluator::goBack(const RunRecord& run, const work::LossPoint& point,
                               const LossVerdict& verdict)
{
    CW_TRY(const auto results,
           m_store.mergedResults(run.id(), verdict.lastGood + 1, point.version));
    const auto trial = makeResultTrial(m_store, m_blobs, run, m_devices, m_options);
    std::array<char, 160> reason{};
    std::snprintf(reason.data(), reason.size(),
                  "the held-out loss of version %llu was %.4f, the limit %.4f",
                  static_cast<unsigned long long>(point.version), point.loss, verdict.limit);
    RollbackOrder order{.good = verdict.lastGood,
                        .suspects = findSuspects(results, verdict.margin, *trial),
                        .keepOthers = true,
                        .reason = reason.data()};
    // Where nobody stands out, nobody is blamed; what was merged is given up.
    order.keepOthers = !order.suspects.empty();
    CW_TRY(const auto report, rollBack(m_store, m_blobs, m_clock, run, order));
    CW_TRY(const auto losses, m_store.losses(run.id()));
    for (const auto& known : losses)
        if (known.version == verdict.lastGood)
            CW_CHECK(
                m_store.addLoss(run.id(), {report.restored.version, report.restored.tokensMerged,
                                           known.loss, m_clock.wall()}));
    m_events("rollback", {{"run", run.id()},
                          {"version", report.restored.version},
                          {"restored", order.good},
                          {"suspects", order.suspects},
                          {"reason", order.reason}});
    return {};
}

} // namespace commonweight::server
