#pragma once
// The tasks of this computer, in memory and in the store alike. A state changes in the store before
// anything that it means happens. Owner: Agent; its thread only. Shared pointers: a transfer or a
// trainer may end after its task was given up.

#include "engine/agent/agent_context.h"
#include "engine/work/unit_result.h"

#include <memory>

namespace commonweight::agent {

/// A blob on its way; worker threads count, the agent's thread shows.
struct TransferProgress {
    std::string what;
    bool upload = false;
    std::atomic<std::uint64_t> done{0};
    std::atomic<std::uint64_t> total{0};
};

struct Task {
    TaskRow row;
    work::WorkUnit unit;
    std::optional<work::UnitResult> result; ///< from Finished on

    // What follows is not stored.
    std::uint64_t step = 0;
    std::uint64_t steps = 0;
    double progress = 0;
    double loss = 0;
    double tokensPerSecond = 0;
    double secondsLeft = -1;
    bool detached = false;     ///< its project was left; it goes when its slot is cleared
    bool pinned = false;       ///< its blobs, in the cache
    bool slotCleared = false;  ///< its slot's files are gone, the number is free
    bool transferring = false; ///< a worker fetches or sends for it
    MonotonicTime retryTransfer{};
    int transferFailures = 0; ///< since one worked
    std::string transferNote; ///< why it waits
    transfer::CancelFlag cancelTransfer{false};
    std::vector<std::shared_ptr<TransferProgress>> transfers;

    /// A newer version whose files are there, for a unit that may shift.
    std::optional<work::Anchor> newer;

    bool needsDevice() const { return agent::needsDevice(row.state); }
    bool isOver() const { return agent::isOver(row.state); }
};
using TaskPointer = std::shared_ptr<Task>;

class TaskQueue {
public:
    explicit TaskQueue(AgentContext& context) : m_context(context) {}

    /// Takes up what the store knows. Tasks that ran are paused now. An unreadable one fails and is
    /// reported.
    Result<void> load();
    /// Conflict when the project gave this unit before.
    Result<TaskPointer> add(const std::string& project, const work::WorkUnit& unit,
                            const Json& envelope, const std::string& device);
    /// Stores and then shows the new state. False, and a line in the log, when the store cannot
    /// take it: try again later.
    bool move(Task& task, TaskState state);
    bool finish(Task& task, const work::UnitResult& result);
    bool commit(Task& task);
    /// `reason`: a word of ErrorKind, or "declined". The project is told with the next call.
    bool fail(Task& task, const std::string& reason, const std::string& message);
    bool assign(Task& task, const std::string& device);
    /// One more attempt at it has failed.
    void countAttempt(Task& task);
    /// The project knows of these failures.
    void markReported(const std::vector<TaskPointer>& tasks);
    /// The project was left, its rows are gone: what is in memory becomes obsolete.
    void detach(const std::string& address);
    void dropDetached();

    const std::vector<TaskPointer>& all() const { return m_tasks; } ///< oldest first
    TaskPointer find(const std::string& project, const std::string& unit) const;
    /// The task that a device has to compute for, or nullptr.
    TaskPointer forDevice(const std::string& device) const;
    /// The one after that, fetched ahead; or nullptr.
    TaskPointer nextForDevice(const std::string& device) const;
    /// The task whose end is where this one may begin: the device's last one of the run, on the way
    /// to the project, its outer gradient taken against this one's anchor. Or nullptr.
    TaskPointer continuable(const Task& next) const;
    std::vector<TaskPointer> unreported(const std::string& project) const;

private:
    bool store(const Task& task, const TaskRow& row);
    int freeSlot() const;
    void forgetOld();

    AgentContext& m_context;
    std::vector<TaskPointer> m_tasks;
};

} // namespace commonweight::agent
