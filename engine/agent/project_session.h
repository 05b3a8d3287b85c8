#pragma once
// The agent's dealings with one project: checks its key, introduces this computer, asks for work,
// fetches and sends, follows the run. Everything that blocks happens on its own threads, so that
// one slow server never holds up another. One backoff for the server: after a failure nothing is
// tried until it is over. Owner: WorkSupply; agent's thread.

#include "engine/agent/unit_transfer.h"
#include "engine/agent/worker_pool.h"
#include "engine/transfer/backoff.h"

#include <QObject>

namespace commonweight::agent {

class ProjectSession : public QObject {
    Q_OBJECT

public:
    ProjectSession(AgentContext& context, BlobCache& cache, ProjectRow row);
    ~ProjectSession() override; ///< waits up to a second; call cancel() and wait for idle() first

    const ProjectRow& project() const { return m_row; }
    const std::string& problem() const { return m_problem; } ///< for people; empty when all is well
    const std::string& noWork() const { return m_noWork; }   ///< why it has none, for people
    bool needsPerson() const;
    const work::RunInfo& run() const { return m_run; }

    /// Key and registration are in order and no backoff is on.
    bool reachable() const;
    bool failing() const { return m_backoff.failures() > 0; }
    Seconds untilRetry() const;
    /// Zero when the scheduler may be asked now, as far as it told us.
    Seconds untilNextAsk() const;
    bool scheduling() const { return m_scheduling; }

    /// Does what is due by itself: the key, the registration, the run's figures.
    void tick(const HostDescription& host, bool training);
    void schedule(work::SchedulerRequest request);
    void askSoon(); ///< something was finished: the scheduler's pause is over
    void fetch(const TaskPointer& task);
    void send(const TaskPointer& task);
    /// The files of a newer version, for a unit that may shift onto it.
    void fetchVersion(const TaskPointer& task, const work::Anchor& version);
    /// The run that the newest unit belongs to; polled soon when its version is new.
    void followRun(const std::string& run, std::uint64_t version);
    void refreshRun() { m_runWanted = true; }

    /// Bytes per second of the last uploads.
    double uploadRate() const { return m_uploadRate; }
    /// What it took to get the files of the last units.
    Seconds fetchTime() const { return m_fetchTime; }
    Seconds clockOffset() const { return m_client.clockOffset(); }

    void cancel(); ///< what runs ends soon; nothing new starts
    bool idle() const { return m_calls.idle() && m_downloads.idle() && m_uploads.idle(); }

Q_SIGNALS:
    void changed();
    void replied(const commonweight::work::SchedulerReply& reply);
    void notReplied(); ///< the scheduler could not be asked
    void fetched(const commonweight::agent::TaskPointer& task,
                 const commonweight::Result<void>& result);
    void versionFetched(const commonweight::agent::TaskPointer& task,
                        const commonweight::work::Anchor& version,
                        const commonweight::Result<void>& result);
    void sent(const commonweight::agent::TaskPointer& task,
              const commonweight::agent::SendOutcome& outcome);

private:
    bool mayTry() const;
    void checkKey();
    void introduce(const HostDescription& host);
    void pollRun(bool training);
    void tookReply(const Answer<work::SchedulerReply>& answer);
    using Fetched = std::pair<Result<void>, Seconds>;
    void startFetch(const TaskPointer& task, const FetchJob& job,
                    const std::function<void(const Result<void>&)>& then);
    void tookFiles(const TaskPointer& task, const Fetched& fetched, MonotonicTime begin);
    void succeeded();
    void failed(const Error& error, Seconds retryAfter);
    void failedByServer(const Error& error, Seconds retryAfter);

    AgentContext& m_context;
    BlobCache& m_cache;
    ProjectRow m_row;
    ProjectClient m_client;
    transfer::Backoff m_backoff;
    transfer::CancelFlag m_cancel{false};

    bool m_keyChecked = false;
    bool m_keyChanged = false;
    bool m_refused = false;    ///< the server does not want this computer
    bool m_introduced = false; ///< with m_host, in this session
    HostDescription m_host;
    bool m_talking = false; ///< about key or registration
    bool m_scheduling = false;
    MonotonicTime m_nextAsk{};
    std::string m_problem;
    std::string m_noWork;

    work::RunInfo m_run;
    std::string m_runId;
    bool m_runWanted = true;
    bool m_polling = false;
    MonotonicTime m_lastPoll{};
    double m_uploadRate = 1e6;
    Seconds m_fetchTime{0};

    WorkerPool m_calls{2};
    WorkerPool m_downloads{1}; ///< one after another: two units often need the same blob
    WorkerPool m_uploads{1};
};

} // namespace commonweight::agent
