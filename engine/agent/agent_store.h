#pragma once
// What the agent remembers: agent.sqlite in the state folder (SQLite, WAL, synchronous=FULL). Every
// call is durable when it returns. Owner: Agent. Thread-safe: one lock; transfer threads note their
// uploads here.

#include "engine/agent/decide.h"
#include "engine/agent/sqlite_database.h"
#include "engine/agent/task_state.h"
#include "engine/base/ed25519.h"

#include <mutex>

namespace commonweight::agent {

struct ProjectRow {
    std::string address;
    std::string name;
    PublicKey key;    ///< pinned at attach
    std::string host; ///< this computer's id there; empty until it is registered
};

struct TaskRow {
    std::string unit;
    std::string project;
    std::string run;
    TaskState state = TaskState::Leased;
    std::string device;
    int slot = 0;
    std::string envelope; ///< the signed unit as it came
    std::string result;   ///< JSON of the result from Finished on
    std::string message;  ///< what went wrong, for people
    std::string failure;  ///< what the project is told: a word of ErrorKind, or "declined"
    bool reported = true; ///< false: the project still has to be told of the failure
    int attempts = 0;     ///< times that a trainer failed on it
    WallTime since;
};

struct TransferRow {
    std::string url;
    bool done = false;
};

struct HistoryRow {
    std::string project;
    std::string unit;
    std::string run;
    std::uint64_t tokens = 0;
    double seconds = 0;
    WallTime committed;
};

struct Totals {
    std::uint64_t units = 0;
    std::uint64_t tokens = 0;
    double seconds = 0;
};

class AgentStore {
public:
    /// Protocol: from a newer version. Corrupt, Denied, Full, Io.
    static Result<std::unique_ptr<AgentStore>> open(const std::filesystem::path& file);

    Result<std::vector<ProjectRow>> projects();
    Result<void> putProject(const ProjectRow& project, WallTime now);
    Result<void> removeProject(const std::string& address); ///< and its tasks; history stays

    Result<std::vector<TaskRow>> tasks();      ///< oldest first
    Result<void> addTask(const TaskRow& task); ///< Conflict when the project gave this unit before
    Result<void> updateTask(const TaskRow& task);
    /// State and history in one transaction; the unit's transfers are forgotten.
    Result<void> commitTask(const TaskRow& task, const HistoryRow& history);
    /// Drops what is over and reported, except the newest `keep`.
    Result<void> forgetOldTasks(int keep);

    Result<TransferRow> transfer(const TaskRow& task,
                                 const std::string& sha256); ///< empty when there is none
    Result<void> putTransfer(const TaskRow& task, const std::string& sha256,
                             const TransferRow& transfer);
    Result<void> forgetTransfers(const TaskRow& task);

    /// Absent when never set.
    Result<std::optional<std::string>> setting(const std::string& name);
    Result<void> putSetting(const std::string& name, const std::string& value);

    Result<void> addTraffic(WallTime now, std::uint64_t downloaded, std::uint64_t uploaded);
    Result<Totals> totals(); ///< of all runs
    /// Own tokens by "<address>\n<run>".
    Result<std::map<std::string, std::uint64_t>> tokensByRun();

private:
    explicit AgentStore(SqliteDatabase database) : m_database(std::move(database)) {}

    std::mutex m_mutex;
    SqliteDatabase m_database;
};

/// The pause as text for AgentStore::putSetting("pause"), and back. Protocol.
std::string pauseToText(const TimedPause& pause);
Result<TimedPause> pauseFromText(const std::string& text);

} // namespace commonweight::agent
