#pragma once
// Where units come from and where results go: asks the projects for work, checks what they send,
// moves each task along its states through downloads and uploads, and clears up behind it. Owner:
// WorkLoop; agent's thread.

#include "engine/agent/device_runner.h"
#include "engine/agent/project_session.h"

#include <set>

namespace commonweight::agent {

/// One device as the scheduler sees it.
struct DeviceNeed {
    Device device;
    double tokensPerSecond = 0;
    bool wantsWork = false;
};

struct SupplyNeeds {
    std::vector<DeviceNeed> devices; ///< those that are switched on
    std::uint64_t memoryAtMost = 0;  ///< that training may use at best
    double diskGigabytes = 10;       ///< that the cache may use
    std::string contributorName;
    bool training = false;
    bool mayTransfer = true; ///< false during a timed pause
};

class WorkSupply : public QObject {
    Q_OBJECT

public:
    WorkSupply(AgentContext& context, TaskQueue& queue, BlobCache& cache);
    ~WorkSupply() override;

    /// Projects and tasks from the store.
    Result<void> load();
    void addProject(const ProjectRow& project);
    void removeProject(const std::string& address);

    /// `uses`: the task is a trainer's at the moment, so its slot stays.
    void tick(const SupplyNeeds& needs, const std::function<bool(const Task& task)>& uses);
    void askSoon(const Task& task); ///< it was finished or given back
    void abandon(const TaskPointer& task);
    void cancelTransfers();
    void stop();
    bool idle() const;

    const std::vector<std::unique_ptr<ProjectSession>>& sessions() const { return m_sessions; }
    ProjectSession* sessionOf(const std::string& address) const; ///< nullptr when there is none
    /// To keep free before the round of this unit closes, as this computer's clock sees it.
    Seconds uploadTime(const Task& task) const;
    /// Its next unit could be fetched now.
    bool endsSoon(const Task& task) const;
    const Totals& totals() const { return m_totals; }
    std::uint64_t ownTokens(const std::string& project, const std::string& run) const;

Q_SIGNALS:
    void changed();
    void hurry(); ///< tick() would have something to do now

private:
    struct Asked {
        std::vector<std::string> devices;
        std::vector<TaskPointer> failures;
        std::vector<work::FailureReport> refusals;
    };

    void watch(ProjectSession& session);
    void askForWork();
    bool hasBusiness(const ProjectSession& session, const std::vector<DeviceNeed>& open) const;
    void ask(ProjectSession& session, std::vector<DeviceNeed>& open);
    void take(ProjectSession& session, const work::SchedulerReply& reply);
    void accept(ProjectSession& session, const Json& envelope, const Asked& asked);
    Result<void> acceptUnit(ProjectSession& session, const Json& envelope,
                            const work::WorkUnit& unit, const Asked& asked);
    Result<std::string> deviceFor(const work::WorkUnit& unit, const Asked& asked) const;
    void withdraw(ProjectSession& session, const std::string& unit);

    void moveAlong(const TaskPointer& task);
    void fetched(const TaskPointer& task, const Result<void>& result);
    void sent(const TaskPointer& task, const SendOutcome& outcome);
    void followVersion(const TaskPointer& task, ProjectSession& session);
    void versionFetched(const TaskPointer& task, const work::Anchor& version,
                        const Result<void>& result);
    void retryLater(Task& task, const Error& error);
    void committed(const TaskPointer& task);

    void tidy(const std::function<bool(const Task& task)>& uses);
    void clearSlot(const TaskPointer& task);
    void trimCache();
    void readTotals();

    AgentContext& m_context;
    TaskQueue& m_queue;
    BlobCache& m_cache;
    SupplyNeeds m_needs;
    std::vector<std::unique_ptr<ProjectSession>> m_sessions;
    std::vector<std::unique_ptr<ProjectSession>>
        m_retired;                        ///< left projects whose threads still end
    std::map<std::string, Asked> m_asked; ///< by address: what the running call is about
    std::map<std::string, std::vector<work::FailureReport>>
        m_refusals; ///< by address: units never accepted
    Totals m_totals;
    std::map<std::string, std::uint64_t> m_ownTokens; ///< by address and run
    MonotonicTime m_nextTrim{};
    bool m_trimming = false;
    bool m_stopping = false;
    WorkerPool m_files{1};
};

} // namespace commonweight::agent
