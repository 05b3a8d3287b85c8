// The second half of WorkSupply: tasks on their way through the network, and what is left behind
// them.
#include "engine/agent/slot_folder.h"
#include "engine/agent/work_supply.h"

#include <algorithm>
#include <cmath>

namespace commonweight::agent {

namespace {

constexpr int kAttempts = 3;
/// Most breaks are short; a project's own backoff stands above these. Doubles from failure to
/// failure.
constexpr Seconds kFirstRetry{0.5};
constexpr Seconds kLongestRetry{300};
constexpr int kMostDoublings = 10;
constexpr std::chrono::seconds kTrimEvery{60};
constexpr double kBytesPerGigabyte = 1e9;
constexpr double kSecondsForCommit = 1;
constexpr Seconds kPrefetchAtLeast{3}; ///< for the question, and for what was not measured yet
constexpr Seconds kPrefetchAtMost{600};
constexpr double kPrefetchMargin = 1.5;

/// Encoded size against 32-bit floats; an unknown codec is taken for the largest.
double codecShare(const std::string& codec)
{
    struct Row {
        const char* name;
        double share;
    };
    static constexpr std::array kRows{Row{"int4", 4.5 / 32}, Row{"int8", 8.5 / 32},
                                      Row{"bf16", 0.5}, Row{"topk", 0.22 / 32}};
    for (const auto& row : kRows)
        if (codec == row.name)
            return row.share;
    return 1;
}

/// What is to be done with a result that did not get through.
enum class Verdict { Nothing, Unwanted, Refused, FilesGone, SendAgain, Later };

Verdict verdictOn(const SendOutcome& outcome)
{
    if (outcome.result.error().kind == ErrorKind::Cancelled)
        return Verdict::Nothing;
    switch (outcome.commitStatus) {
    case 0:
        return outcome.result.error().kind == ErrorKind::NotFound ? Verdict::FilesGone
                                                                  : Verdict::Later;
    case 404:
    case 409:
    case 410:
        return Verdict::Unwanted;
    case 400:
    case 403:
    case 413:
    case 422:
        return Verdict::Refused;
    case 425:
        return Verdict::SendAgain; // what was sent is not there (any more)
    default:
        // Whatever it is passes; a result is kept until the project says that it is no longer
        // wanted.
        return Verdict::Later;
    }
}

} // namespace

Seconds WorkSupply::uploadTime(const Task& task) const
{
    const auto* session = sessionOf(task.row.project);
    if (session == nullptr)
        return Seconds{0};
    double bytes = 0;
    for (const auto& fragment : task.unit.anchor.fragments)
        bytes += static_cast<double>(fragment.blob.bytes);
    const double upload =
        bytes * codecShare(task.unit.codec) / std::max(session->uploadRate(), 1.0);
    // A server whose clock is ahead of ours closes the round earlier than our clock says.
    return Seconds{kSecondsForCommit + upload} + session->clockOffset();
}

bool WorkSupply::endsSoon(const Task& task) const
{
    const auto* session = sessionOf(task.row.project);
    if (session == nullptr || task.row.state != TaskState::Running || task.secondsLeft < 0)
        return false;
    const Seconds horizon = kPrefetchAtLeast + kPrefetchMargin * session->fetchTime();
    return task.secondsLeft <= std::min(horizon, kPrefetchAtMost).count();
}

/// A unit that may shift moves onto the newest version as soon as its files are here.
void WorkSupply::followVersion(const TaskPointer& task, ProjectSession& session)
{
    if (!task->unit.mayShift || task->row.state != TaskState::Running)
        return;
    session.refreshRun();
    const auto& newest = session.run().newest;
    const auto known = task->newer ? task->newer->version : task->unit.anchor.version;
    const bool due = m_needs.mayTransfer && session.reachable() &&
                     m_context.clock.monotonic() >= task->retryTransfer;
    if (session.run().id == task->row.run && newest.version > known && due)
        session.fetchVersion(task, newest);
}

void WorkSupply::versionFetched(const TaskPointer& task, const work::Anchor& version,
                                const Result<void>& result)
{
    m_nextTrim = {};
    if (m_stopping || !task->needsDevice())
        return;
    if (!result)
        return retryLater(*task, result.error());
    task->transferNote.clear();
    task->transferFailures = 0;
    task->newer = version;
    Q_EMIT hurry();
}

void WorkSupply::moveAlong(const TaskPointer& task)
{
    auto* session = sessionOf(task->row.project);
    if (session == nullptr || task->transferring || task->isOver())
        return;
    // Each step is stored before the next begins; one that could not be stored is tried again with
    // the next tick.
    if (task->row.state == TaskState::Leased)
        m_queue.move(*task, TaskState::Downloading);
    if (task->row.state == TaskState::Finished)
        m_queue.move(*task, TaskState::Uploading);
    const bool due = m_needs.mayTransfer && session->reachable() &&
                     m_context.clock.monotonic() >= task->retryTransfer;
    if (task->row.state == TaskState::Downloading && due)
        session->fetch(task);
    else if (task->row.state == TaskState::Uploading && due)
        session->send(task);
    else
        followVersion(task, *session);
}

void WorkSupply::retryLater(Task& task, const Error& error)
{
    const double wait =
        kFirstRetry.count() * std::exp2(std::min(task.transferFailures++, kMostDoublings));
    task.retryTransfer =
        m_context.clock.monotonic() +
        std::chrono::duration_cast<MonotonicTime::duration>(std::min(Seconds{wait}, kLongestRetry));
    task.transferNote = error.message;
    m_context.log.warnOnce("A transfer did not work and is tried again: " + error.message);
}

void WorkSupply::fetched(const TaskPointer& task, const Result<void>& result)
{
    m_nextTrim = {};
    if (m_stopping || task->row.state != TaskState::Downloading)
        return;
    if (result) {
        task->transferNote.clear();
        task->transferFailures = 0;
        m_queue.move(*task, TaskState::Ready);
        Q_EMIT hurry();
        Q_EMIT changed();
        return;
    }
    const Error& error = result.error();
    switch (error.kind) {
    case ErrorKind::Cancelled:
        return;
    case ErrorKind::Corrupt:
    case ErrorKind::NotFound:
        m_queue.countAttempt(*task);
        if (task->row.attempts < kAttempts)
            return retryLater(*task, error);
        [[fallthrough]];
    case ErrorKind::Protocol:
    case ErrorKind::Denied:
        if (m_queue.fail(*task, toString(error.kind), error.message))
            m_context.log.warn(
                "A work unit was given back because its files could not be fetched: " +
                error.message);
        return askSoon(*task);
    default:
        retryLater(*task, error);
    }
}

void WorkSupply::sent(const TaskPointer& task, const SendOutcome& outcome)
{
    if (m_stopping || task->row.state != TaskState::Uploading)
        return;
    if (outcome.result)
        return committed(task);
    const Error& error = outcome.result.error();
    switch (verdictOn(outcome)) {
    case Verdict::Nothing:
        return;
    case Verdict::Unwanted:
        if (m_queue.move(*task, TaskState::Obsolete))
            m_context.log.say("The project no longer needs a result: " + error.message);
        break;
    case Verdict::Refused:
        if (m_queue.fail(*task, toString(error.kind), error.message))
            m_context.log.warn("The project refused a result: " + error.message);
        break;
    case Verdict::FilesGone:
        if (m_queue.fail(*task, toString(ErrorKind::Io), "the files of its result are gone"))
            m_context.log.warn("A result could not be sent because its files are gone: " +
                               error.message);
        break;
    case Verdict::SendAgain:
        (void)m_context.store.forgetTransfers(task->row);
        retryLater(*task, error);
        break;
    case Verdict::Later:
        retryLater(*task, error);
        break;
    }
    Q_EMIT changed();
}

void WorkSupply::committed(const TaskPointer& task)
{
    if (!m_queue.commit(*task)) {
        // The commit is idempotent.
        return retryLater(*task, {ErrorKind::Io, "an accepted result could not be noted"});
    }
    m_context.log.say("A result was accepted: " + std::to_string(task->result->tokens) +
                      " tokens of training");
    readTotals();
    if (auto* session = sessionOf(task->row.project)) {
        session->refreshRun();
        session->askSoon();
    }
    Q_EMIT hurry();
    Q_EMIT changed();
}

std::uint64_t WorkSupply::ownTokens(const std::string& project, const std::string& run) const
{
    const auto found = m_ownTokens.find(project + "\n" + run);
    return found == m_ownTokens.end() ? 0 : found->second;
}

void WorkSupply::readTotals()
{
    if (const auto totals = m_context.store.totals())
        m_totals = *totals;
    if (const auto own = m_context.store.tokensByRun())
        m_ownTokens = *own;
}

// Clearing up

void WorkSupply::tidy(const std::function<bool(const Task& task)>& uses)
{
    std::erase_if(m_retired, [](const auto& session) { return session->idle(); });
    for (const auto& task : m_queue.all()) {
        if (task->pinned && !task->needsDevice() && !task->transferring) {
            m_cache.unpin(task->unit);
            task->pinned = false;
        }
        if (task->isOver() && !task->slotCleared && !task->transferring && !uses(*task))
            clearSlot(task);
    }
    m_queue.dropDetached();
    trimCache();
}

void WorkSupply::clearSlot(const TaskPointer& task)
{
    task->transferring = true; // nobody else touches it meanwhile
    m_files.run(
        [slot = m_context.slot(task->row.slot)] {
            std::error_code error;
            std::filesystem::remove_all(slot, error);
            return error;
        },
        [task](std::error_code) {
            // What could not be removed goes when the slot is used again, or at the next start.
            task->transferring = false;
            task->slotCleared = true;
        });
}

void WorkSupply::trimCache()
{
    const auto now = m_context.clock.monotonic();
    if (m_trimming || now < m_nextTrim)
        return;
    m_trimming = true;
    m_nextTrim = now + kTrimEvery;
    const auto limit = static_cast<std::uint64_t>(m_needs.diskGigabytes * kBytesPerGigabyte);
    m_files.run([this, limit] { return m_cache.trim(limit); },
                [this](std::uint64_t) { m_trimming = false; });
}

} // namespace commonweight::agent
