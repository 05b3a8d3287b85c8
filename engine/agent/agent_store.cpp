#include "engine/agent/agent_store.h"

#include "engine/agent/store_migrations.h"

namespace commonweight::agent {

namespace {

std::int64_t toMilliseconds(WallTime time)
{
    return time.time_since_epoch().count();
}

WallTime fromMilliseconds(std::int64_t milliseconds)
{
    return WallTime{std::chrono::milliseconds{milliseconds}};
}

std::int64_t toInteger(std::uint64_t value)
{
    return static_cast<std::int64_t>(value);
}

TaskRow taskFrom(const SqlRow& row)
{
    TaskRow task;
    task.unit = row.text(0);
    task.project = row.text(1);
    task.run = row.text(2);
    task.state = taskStateFromText(row.text(3)).value_or(TaskState::Failed);
    task.device = row.text(4);
    task.slot = static_cast<int>(row.integer(5));
    task.envelope = row.text(6);
    task.result = row.text(7);
    task.message = row.text(8);
    task.failure = row.text(9);
    task.reported = row.integer(10) != 0;
    task.attempts = static_cast<int>(row.integer(11));
    task.since = fromMilliseconds(row.integer(12));
    return task;
}

Result<void> writeTask(SqliteDatabase& database, const TaskRow& task)
{
    return database.run(
        "UPDATE tasks SET state=?, device=?, slot=?, result=?, message=?, failure=?, reported=?, "
        "attempts=?, since=? WHERE project=? AND unit=?",
        {std::string(toString(task.state)), task.device, std::int64_t{task.slot}, task.result,
         task.message, task.failure, std::int64_t{task.reported}, std::int64_t{task.attempts},
         toMilliseconds(task.since), task.project, task.unit});
}

} // namespace

Result<std::unique_ptr<AgentStore>> AgentStore::open(const std::filesystem::path& file)
{
    CW_TRY(auto database, SqliteDatabase::open(file));
    CW_CHECK(migrate(database));
    return std::unique_ptr<AgentStore>(new AgentStore(std::move(database)));
}

Result<std::vector<ProjectRow>> AgentStore::projects()
{
    const std::lock_guard lock(m_mutex);
    std::vector<ProjectRow> projects;
    std::optional<Error> bad;
    CW_CHECK(m_database.query(
        "SELECT address, name, key, host FROM projects ORDER BY attached, address", {},
        [&](const SqlRow& row) {
            auto key = PublicKey::parse(row.text(2));
            if (!key)
                bad = Error{ErrorKind::Corrupt, "the stored key of " + row.text(0) + " is damaged"};
            else
                projects.push_back({row.text(0), row.text(1), *key, row.text(3)});
        }));
    if (bad)
        return *bad;
    return projects;
}

Result<void> AgentStore::putProject(const ProjectRow& project, WallTime now)
{
    const std::lock_guard lock(m_mutex);
    return m_database.run(
        "INSERT INTO projects(address, name, key, host, attached) VALUES(?,?,?,?,?) "
        "ON CONFLICT(address) DO UPDATE SET name=excluded.name, key=excluded.key, "
        "host=excluded.host",
        {project.address, project.name, project.key.base64(), project.host, toMilliseconds(now)});
}

Result<void> AgentStore::removeProject(const std::string& address)
{
    const std::lock_guard lock(m_mutex);
    return m_database.transaction([&]() -> Result<void> {
        CW_CHECK(m_database.run("DELETE FROM transfers WHERE project=?", {address}));
        CW_CHECK(m_database.run("DELETE FROM tasks WHERE project=?", {address}));
        return m_database.run("DELETE FROM projects WHERE address=?", {address});
    });
}

Result<std::vector<TaskRow>> AgentStore::tasks()
{
    const std::lock_guard lock(m_mutex);
    std::vector<TaskRow> tasks;
    CW_CHECK(m_database.query(
        "SELECT unit, project, run, state, device, slot, envelope, result, message, failure, "
        "reported, attempts, since FROM tasks ORDER BY rowid",
        {}, [&](const SqlRow& row) { tasks.push_back(taskFrom(row)); }));
    return tasks;
}

Result<void> AgentStore::addTask(const TaskRow& task)
{
    const std::lock_guard lock(m_mutex);
    return m_database.run(
        "INSERT INTO tasks(unit, project, run, state, device, slot, envelope, result, message, "
        "failure, reported, attempts, since) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)",
        {task.unit, task.project, task.run, std::string(toString(task.state)), task.device,
         std::int64_t{task.slot}, task.envelope, task.result, task.message, task.failure,
         std::int64_t{task.reported}, std::int64_t{task.attempts}, toMilliseconds(task.since)});
}

Result<void> AgentStore::updateTask(const TaskRow& task)
{
    const std::lock_guard lock(m_mutex);
    return writeTask(m_database, task);
}

Result<void> AgentStore::commitTask(const TaskRow& task, const HistoryRow& history)
{
    const std::lock_guard lock(m_mutex);
    return m_database.transaction([&]() -> Result<void> {
        CW_CHECK(writeTask(m_database, task));
        CW_CHECK(m_database.run("DELETE FROM transfers WHERE project=? AND unit=?",
                                {task.project, task.unit}));
        return m_database.run(
            "INSERT OR IGNORE INTO history(project, unit, run, tokens, seconds, committed) "
            "VALUES(?,?,?,?,?,?)",
            {history.project, history.unit, history.run, toInteger(history.tokens), history.seconds,
             toMilliseconds(history.committed)});
    });
}

Result<void> AgentStore::forgetOldTasks(int keep)
{
    const std::lock_guard lock(m_mutex);
    return m_database.run(
        "DELETE FROM tasks WHERE reported=1 AND state IN ('committed','failed','obsolete') AND "
        "rowid "
        "NOT IN (SELECT rowid FROM tasks WHERE state IN ('committed','failed','obsolete') "
        "ORDER BY since DESC, rowid DESC LIMIT ?)",
        {std::int64_t{keep}});
}

Result<TransferRow> AgentStore::transfer(const TaskRow& task, const std::string& sha256)
{
    const std::lock_guard lock(m_mutex);
    TransferRow found;
    CW_CHECK(
        m_database.query("SELECT url, done FROM transfers WHERE project=? AND unit=? AND sha256=?",
                         {task.project, task.unit, sha256}, [&](const SqlRow& row) {
                             found = {row.text(0), row.integer(1) != 0};
                         }));
    return found;
}

Result<void> AgentStore::putTransfer(const TaskRow& task, const std::string& sha256,
                                     const TransferRow& transfer)
{
    const std::lock_guard lock(m_mutex);
    return m_database.run(
        "INSERT INTO transfers(project, unit, sha256, url, done) VALUES(?,?,?,?,?) "
        "ON CONFLICT(project, unit, sha256) DO UPDATE SET url=excluded.url, done=excluded.done",
        {task.project, task.unit, sha256, transfer.url, std::int64_t{transfer.done}});
}

Result<void> AgentStore::forgetTransfers(const TaskRow& task)
{
    const std::lock_guard lock(m_mutex);
    return m_database.run("DELETE FROM transfers WHERE project=? AND unit=?",
                          {task.project, task.unit});
}

Result<std::optional<std::string>> AgentStore::setting(const std::string& name)
{
    const std::lock_guard lock(m_mutex);
    std::optional<std::string> value;
    CW_CHECK(m_database.query("SELECT value FROM settings WHERE name=?", {name},
                              [&](const SqlRow& row) { value = row.text(0); }));
    return value;
}

Result<void> AgentStore::putSetting(const std::string& name, const std::string& value)
{
    const std::lock_guard lock(m_mutex);
    return m_database.run("INSERT INTO settings(name, value) VALUES(?,?) "
                          "ON CONFLICT(name) DO UPDATE SET value=excluded.value",
                          {name, value});
}

Result<void> AgentStore::addTraffic(WallTime now, std::uint64_t downloaded, std::uint64_t uploaded)
{
    const std::lock_guard lock(m_mutex);
    return m_database.run(
        "INSERT INTO traffic(day, downloaded, uploaded) VALUES(?,?,?) ON CONFLICT(day) DO UPDATE "
        "SET downloaded=downloaded+excluded.downloaded, uploaded=uploaded+excluded.uploaded",
        {toRfc3339(now).substr(0, 10), toInteger(downloaded), toInteger(uploaded)});
}

Result<Totals> AgentStore::totals()
{
    const std::lock_guard lock(m_mutex);
    Totals totals;
    CW_CHECK(m_database.query(
        "SELECT count(*), coalesce(sum(tokens),0), coalesce(sum(seconds),0) FROM history", {},
        [&](const SqlRow& row) {
            totals = {static_cast<std::uint64_t>(row.integer(0)),
                      static_cast<std::uint64_t>(row.integer(1)), row.number(2)};
        }));
    return totals;
}

Result<std::map<std::string, std::uint64_t>> AgentStore::tokensByRun()
{
    const std::lock_guard lock(m_mutex);
    std::map<std::string, std::uint64_t> tokens;
    CW_CHECK(m_database.query("SELECT project, run, sum(tokens) FROM history GROUP BY project, run",
                              {}, [&](const SqlRow& row) {
                                  tokens[row.text(0) + "\n" + row.text(1)] =
                                      static_cast<std::uint64_t>(row.integer(2));
                              }));
    return tokens;
}

std::string pauseToText(const TimedPause& pause)
{
    Json json{{"active", pause.active}};
    if (pause.until)
        json["until"] = toRfc3339(*pause.until);
    return dumpJson(json);
}

Result<TimedPause> pauseFromText(const std::string& text)
{
    CW_TRY(const Json json, parseJson(text));
    TimedPause pause;
    CW_TRY(pause.active, boolMember(json, "active"));
    if (json.contains("until")) {
        CW_TRY(const std::string until, textMember(json, "until"));
        CW_TRY(pause.until, parseRfc3339(until));
    }
    return pause;
}

} // namespace commonweight::agent
