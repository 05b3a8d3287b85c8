#include "engine/agent/project_session.h"

#include <algorithm>
#include <array>

namespace commonweight::agent {

namespace {

constexpr Seconds kFirstRetry{0.5}; ///< a server that restarts is back in a second
constexpr Seconds kLongestRetry{900};
constexpr Seconds kSoonestAsk{0.5};
constexpr Seconds kLongestAsk{3600};
constexpr Seconds kPollWanted{5};
constexpr Seconds kPollTraining{30};
constexpr Seconds kPollIdle{600};
constexpr double kRateSmoothing = 0.3;
constexpr int kRefusalsToTell = 3;

MonotonicTime::duration ticks(Seconds seconds)
{
    return std::chrono::duration_cast<MonotonicTime::duration>(seconds);
}

bool isSame(const HostDescription& a, const HostDescription& b)
{
    const auto sameDevice = [](const work::DeviceReport& x, const work::DeviceReport& y) {
        return x.name == y.name && x.backend == y.backend;
    };
    return a.name == b.name && std::equal(a.devices.begin(), a.devices.end(), b.devices.begin(),
                                          b.devices.end(), sameDevice);
}

/// Each agent its own jitter, or a thousand of them would come back in the same second.
std::uint64_t jitterSeed(const SigningKey& key)
{
    std::uint64_t seed = 0;
    for (std::size_t i = 0; i < sizeof seed; ++i)
        seed = seed << 8 | key.publicKey().bytes[i];
    return seed;
}

} // namespace

ProjectSession::ProjectSession(AgentContext& context, BlobCache& cache, ProjectRow row)
    : m_context(context), m_cache(cache), m_row(std::move(row)),
      m_client(context.transport, context.clock, context.key, m_row.address),
      m_backoff(kFirstRetry, kLongestRetry, jitterSeed(context.key)),
      m_lastPoll(context.clock.monotonic())
{}

ProjectSession::~ProjectSession()
{
    cancel();
}

/// A refusal may pass: the first call after a server lost its records, or one with a wrong clock.
bool ProjectSession::needsPerson() const
{
    return m_keyChanged || (m_refused && m_backoff.failures() >= kRefusalsToTell);
}

void ProjectSession::cancel()
{
    m_cancel = true;
}

bool ProjectSession::mayTry() const
{
    return !m_cancel && !m_keyChanged && m_backoff.mayTry(m_context.clock.monotonic());
}

bool ProjectSession::reachable() const
{
    return mayTry() && m_keyChecked && !m_row.host.empty();
}

Seconds ProjectSession::untilRetry() const
{
    return m_backoff.wait(m_context.clock.monotonic());
}

Seconds ProjectSession::untilNextAsk() const
{
    return std::max(Seconds{m_nextAsk - m_context.clock.monotonic()}, Seconds{0});
}

void ProjectSession::askSoon()
{
    m_nextAsk = m_context.clock.monotonic();
}

void ProjectSession::tick(const HostDescription& host, bool training)
{
    if (!mayTry())
        return;
    if (!m_talking && !m_keyChecked)
        checkKey();
    else if (!m_talking && !host.devices.empty() && (!m_introduced || !isSame(host, m_host)))
        introduce(host);
    if (reachable())
        pollRun(training);
}

void ProjectSession::succeeded()
{
    m_backoff.succeeded();
    m_refused = false;
    m_problem.clear();
}

void ProjectSession::failed(const Error& error, Seconds retryAfter)
{
    if (error.kind == ErrorKind::Cancelled)
        return;
    m_backoff.failed(m_context.clock.monotonic(), retryAfter);
    m_refused = error.kind == ErrorKind::Denied;
    // A server that lost its records does not know this computer any more: introduce it again.
    if (error.kind == ErrorKind::Denied || error.kind == ErrorKind::NotFound)
        m_introduced = false;
    m_problem = error.message;
    m_context.log.warnOnce(m_row.name + ": " + error.message);
    Q_EMIT changed();
}

/// For calls that also fail for reasons that have nothing to do with the server's health.
void ProjectSession::failedByServer(const Error& error, Seconds retryAfter)
{
    static constexpr std::array kKinds{ErrorKind::Network, ErrorKind::Timeout, ErrorKind::Denied};
    if (std::find(kKinds.begin(), kKinds.end(), error.kind) != kKinds.end())
        failed(error, retryAfter);
}

void ProjectSession::checkKey()
{
    m_talking = true;
    m_calls.run([this] { return m_client.project(m_cancel); },
                [this](Answer<work::ProjectInfo> answer) {
                    m_talking = false;
                    if (!answer.result)
                        return failed(answer.result.error(), answer.retryAfter);
                    succeeded();
                    m_keyChanged = answer.result->key != m_row.key;
                    m_keyChecked = !m_keyChanged;
                    if (m_keyChanged) {
                        m_problem = "the project's key is not the one it had when you joined, so "
                                    "nothing it says is "
                                    "trusted: ask its people, then leave and join it again";
                        m_context.log.warn(m_row.name + ": " + m_problem);
                    }
                    if (m_runId.empty() && !answer.result->runs.empty())
                        m_runId = answer.result->runs.front().id;
                    Q_EMIT changed();
                });
}

void ProjectSession::introduce(const HostDescription& host)
{
    m_talking = true;
    m_host = host;
    m_calls.run([this, host] { return m_client.registerHost(host, m_cancel); },
                [this](Answer<std::string> answer) {
                    m_talking = false;
                    if (!answer.result)
                        return failed(answer.result.error(), answer.retryAfter);
                    m_introduced = true;
                    ProjectRow row = m_row;
                    row.host = *answer.result;
                    if (const auto stored = m_context.store.putProject(row, m_context.clock.wall());
                        !stored)
                        return failed(stored.error(), Seconds{-1});
                    m_row = std::move(row);
                    succeeded();
                    Q_EMIT changed();
                });
}

void ProjectSession::followRun(const std::string& run, std::uint64_t version)
{
    m_runWanted |= run != m_runId || version > m_run.newest.version;
    m_runId = run;
}

void ProjectSession::pollRun(bool training)
{
    const Seconds since = m_context.clock.monotonic() - m_lastPoll;
    const Seconds wait = m_runWanted && (m_run.id != m_runId) ? Seconds{0}
                         : m_runWanted                        ? kPollWanted
                         : training                           ? kPollTraining
                                                              : kPollIdle;
    if (m_polling || m_runId.empty() || since < wait)
        return;
    m_polling = true;
    m_runWanted = false;
    m_lastPoll = m_context.clock.monotonic();
    m_calls.run([this, run = m_runId] { return m_client.run(run, m_cancel); },
                [this](Answer<work::RunInfo> answer) {
                    m_polling = false;
                    if (!answer.result)
                        return failedByServer(answer.result.error(), answer.retryAfter);
                    m_run = std::move(answer.result).value();
                    Q_EMIT changed();
                });
}

void ProjectSession::schedule(work::SchedulerRequest request)
{
    m_scheduling = true;
    request.host = m_row.host;
    m_calls.run(
        [this, request = std::move(request)] { return m_client.schedule(request, m_cancel); },
        [this](const Answer<work::SchedulerReply>& answer) {
            m_scheduling = false;
            tookReply(answer);
        });
}

void ProjectSession::tookReply(const Answer<work::SchedulerReply>& answer)
{
    if (!answer.result) {
        failed(answer.result.error(), answer.retryAfter);
        Q_EMIT notReplied();
        return;
    }
    succeeded();
    const auto& reply = *answer.result;
    m_nextAsk =
        m_context.clock.monotonic() + ticks(std::clamp(reply.retryAfter, kSoonestAsk, kLongestAsk));
    m_noWork = reply.units.empty() ? reply.reason : std::string();
    for (const auto& notice : reply.notices)
        m_context.log.warnOnce(m_row.name + " says: " + notice);
    Q_EMIT replied(reply);
    Q_EMIT changed();
}

void ProjectSession::fetch(const TaskPointer& task)
{
    // After a failure everything comes whole, and is looked at.
    const bool again = task->row.attempts > 0;
    auto blobs = again ? blobsOf(task->unit) : m_cache.missing(task->unit);
    auto items = itemsToFetch(task->unit, blobs, m_cache);
    const FetchJob job{m_client.blobsUrl(), std::move(blobs), std::move(items), again};
    startFetch(task, job,
               [this, task](const Result<void>& result) { Q_EMIT fetched(task, result); });
}

/// Everything blocking about it happens on the worker; `then` is called here.
void ProjectSession::startFetch(const TaskPointer& task, const FetchJob& job,
                                const std::function<void(const Result<void>&)>& then)
{
    task->transferring = true;
    task->cancelTransfer = false;
    task->transfers.clear();
    for (const auto& item : job.items)
        task->transfers.push_back(item.progress);
    const auto begin = m_context.clock.monotonic();
    m_downloads.run(
        [this, task, job] {
            Seconds retryAfter{-1};
            auto result =
                fetchBlobs(m_context.transport, job, m_cache, task->cancelTransfer, retryAfter);
            return Fetched(std::move(result), retryAfter);
        },
        [this, task, begin, then](const Fetched& fetched) {
            tookFiles(task, fetched, begin);
            then(fetched.first);
        });
}

void ProjectSession::tookFiles(const TaskPointer& task, const Fetched& fetched, MonotonicTime begin)
{
    task->transferring = false;
    std::uint64_t bytes = 0;
    for (const auto& transfer : task->transfers)
        bytes += transfer->done;
    task->transfers.clear();
    (void)m_context.store.addTraffic(m_context.clock.wall(), bytes, 0);
    if (!fetched.first)
        return failedByServer(fetched.first.error(), fetched.second);
    const Seconds time = m_context.clock.monotonic() - begin;
    if (bytes > 0)
        m_fetchTime += (m_fetchTime == Seconds{0} ? 1.0 : kRateSmoothing) * (time - m_fetchTime);
    succeeded();
}

void ProjectSession::fetchVersion(const TaskPointer& task, const work::Anchor& version)
{
    work::WorkUnit files;
    files.anchor = version;
    auto blobs = m_cache.missing(files);
    auto items = itemsToFetch(files, blobs, m_cache);
    startFetch(task, {m_client.blobsUrl(), std::move(blobs), std::move(items), false},
               [this, task, version](const Result<void>& result) {
                   Q_EMIT versionFetched(task, version, result);
               });
}

void ProjectSession::send(const TaskPointer& task)
{
    SendJob job{task->row, *task->result, m_row.host, itemsToSend(*task->result),
                m_context.slot(task->row.slot)};
    task->transferring = true;
    task->cancelTransfer = false;
    task->transfers.clear();
    for (const auto& item : job.items)
        task->transfers.push_back(item.progress);
    m_uploads.run(
        [this, task, job = std::move(job)] {
            return sendResult(m_context, m_client, job, task->cancelTransfer);
        },
        [this, task](SendOutcome outcome) {
            task->transferring = false;
            task->transfers.clear();
            (void)m_context.store.addTraffic(m_context.clock.wall(), 0, outcome.bytesSent);
            if (outcome.result && outcome.time > Seconds{0})
                m_uploadRate +=
                    kRateSmoothing *
                    (static_cast<double>(outcome.bytesSent) / outcome.time.count() - m_uploadRate);
            if (outcome.result)
                succeeded();
            else
                failedByServer(outcome.result.error(), outcome.retryAfter);
            Q_EMIT sent(task, outcome);
        });
}

} // namespace commonweight::agent
