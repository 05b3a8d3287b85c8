#include "server/store/sql_store.h"

namespace commonweight::server {

namespace {

Json tensorsToJson(const std::vector<TensorSpec>& tensors)
{
    Json list = Json::array();
    for (const auto& tensor : tensors)
        list.push_back({{"name", tensor.name}, {"shape", tensor.shape}});
    return list;
}

Result<std::vector<TensorSpec>> tensorsFromColumn(const std::string& text)
{
    CW_TRY(const Json list, jsonFromColumn(text));
    std::vector<TensorSpec> tensors;
    for (const auto& item : list) {
        TensorSpec tensor;
        CW_TRY(tensor.name, textMember(item, "name"));
        CW_TRY(const Json shape, arrayMember(item, "shape", 8));
        for (const auto& extent : shape)
            tensor.shape.push_back(extent.is_number_integer() ? extent.get<std::int64_t>() : 0);
        tensors.push_back(std::move(tensor));
    }
    return tensors;
}

Result<std::vector<exchange::Fragment>> readFragments(soci::session& sql, const std::string& run)
{
    std::vector<exchange::Fragment> fragments;
    long long index = 0;
    std::string tensors;
    CW_CHECK(forEachRow(
        sql, "SELECT number, tensors FROM fragments WHERE run = :run ORDER BY number",
        std::tie(index, tensors),
        [&]() -> Result<void> {
            CW_TRY(auto specs, tensorsFromColumn(tensors));
            fragments.push_back({static_cast<std::uint32_t>(index), std::move(specs)});
            return {};
        },
        run));
    return fragments;
}

Result<std::vector<ShardRecord>> readShards(soci::session& sql, const std::string& run,
                                            bool heldOut)
{
    std::vector<ShardRecord> shards;
    std::string sha256;
    long long bytes = 0, tokens = 0, lanes = 0;
    CW_CHECK(forEachRow(
        sql,
        "SELECT sha256, bytes, tokens, lanes FROM shards WHERE run = :run AND held_out = :held "
        "ORDER BY number",
        std::tie(sha256, bytes, tokens, lanes),
        [&]() -> Result<void> {
            CW_TRY(const auto blob, blobFromColumns(sha256, bytes));
            shards.push_back({blob, count(tokens), count(lanes)});
            return {};
        },
        run, heldOut ? 1 : 0));
    return shards;
}

void insertShards(soci::session& sql, const std::string& run, bool heldOut,
                  const std::vector<ShardRecord>& shards)
{
    for (std::size_t i = 0; i < shards.size(); ++i)
        change(sql,
               "INSERT INTO shards (run, held_out, number, sha256, bytes, tokens, lanes) "
               "VALUES (:run, :held, :number, :sha256, :bytes, :tokens, :lanes)",
               run, heldOut ? 1 : 0, number(i), shards[i].blob.sha256.hex(),
               number(shards[i].blob.bytes), number(shards[i].tokens), number(shards[i].lanes));
}

struct StatusColumns {
    std::string state;
    long long newest = 0, opened = 0, closes = 0, epoch = 0, position = 0, units = 0;
    auto tie() { return std::tie(state, newest, opened, closes, epoch, position, units); }

    RunStatus status() const
    {
        RunStatus status{.state = state,
                         .newestVersion = count(newest),
                         .round = {.openedAt = wallTime(opened), .closesAt = {}},
                         .cursor = {count(epoch), count(position)},
                         .unitsIssued = count(units)};
        if (closes != 0)
            status.round.closesAt = wallTime(closes);
        return status;
    }
};

} // namespace

Result<void> SqlStore::addRun(const RunDefinition& run, const VersionRecord& first)
{
    return atomically([&]() -> Result<void> {
        CW_CHECK(m_session->run("record a run", [&](soci::session& sql) -> Result<void> {
            // Below the first version until addVersion() has brought it in.
            change(sql,
                   "INSERT INTO runs (id, config, state, created_at, newest_version, opened_at, "
                   "closes_at, next_epoch, next_position, "
                   "units_issued) VALUES (:id, :config, 'running', :created, :newest, :opened, 0, "
                   "0, 0, 0)",
                   run.config.id, canonicalJson(work::toJson(run.config)),
                   milliseconds(run.created), number(first.version) - 1, milliseconds(run.created));
            return {};
        }));
        CW_CHECK(addParts(run));
        return addVersion(first);
    });
}

Result<void> SqlStore::addParts(const RunDefinition& run)
{
    return m_session->run("record a run's data", [&](soci::session& sql) -> Result<void> {
        for (const auto& fragment : run.fragments)
            change(sql,
                   "INSERT INTO fragments (run, number, tensors) VALUES (:run, :number, :tensors)",
                   run.config.id, number(fragment.index),
                   dumpJson(tensorsToJson(fragment.tensors)));
        insertShards(sql, run.config.id, false, run.shards);
        insertShards(sql, run.config.id, true, run.heldOut);
        return {};
    });
}

Result<std::shared_ptr<const RunDefinition>> SqlStore::readDefinition(const std::string& id)
{
    using Definition = std::shared_ptr<const RunDefinition>;
    return m_session->run("read a run", [&](soci::session& sql) -> Result<Definition> {
        std::string config;
        long long created = 0;
        if (!firstRow(sql, "SELECT config, created_at FROM runs WHERE id = :id",
                      std::tie(config, created), id))
            return notThere("run", id);
        auto run = std::make_shared<RunDefinition>();
        CW_TRY(const Json json, jsonFromColumn(config));
        CW_TRY(run->config, work::runConfigFromJson(json));
        CW_TRY(run->fragments, readFragments(sql, id));
        CW_TRY(run->shards, readShards(sql, id, false));
        CW_TRY(run->heldOut, readShards(sql, id, true));
        run->created = wallTime(created);
        return Definition(std::move(run));
    });
}

Result<std::shared_ptr<const RunDefinition>> SqlStore::definition(const std::string& id)
{
    {
        const std::lock_guard lock(m_definitionsMutex);
        if (const auto known = m_definitions.find(id); known != m_definitions.end())
            return known->second;
    }
    CW_TRY(auto read, readDefinition(id));
    const std::lock_guard lock(m_definitionsMutex);
    return m_definitions.try_emplace(id, std::move(read)).first->second;
}

Result<RunRecord> SqlStore::run(const std::string& id)
{
    StatusColumns columns;
    CW_CHECK(m_session->run("read a run", [&](soci::session& sql) -> Result<void> {
        if (!firstRow(sql,
                      "SELECT state, newest_version, opened_at, closes_at, next_epoch, "
                      "next_position, units_issued FROM runs "
                      "WHERE id = :id",
                      columns.tie(), id))
            return notThere("run", id);
        return {};
    }));
    CW_TRY(auto run, definition(id));
    return RunRecord{std::move(run), columns.status()};
}

Result<std::vector<RunRecord>> SqlStore::runs()
{
    std::vector<std::string> ids;
    std::string id;
    CW_CHECK(m_session->run("list the runs", [&](soci::session& sql) -> Result<void> {
        return forEachRow(sql, "SELECT id FROM runs ORDER BY created_at, id", std::tie(id),
                          [&]() -> Result<void> {
                              ids.push_back(id);
                              return {};
                          });
    }));
    std::vector<RunRecord> runs;
    for (const auto& each : ids) {
        CW_TRY(auto record, run(each));
        runs.push_back(std::move(record));
    }
    return runs;
}

Result<void> SqlStore::setRunState(const std::string& id, const std::string& state)
{
    return m_session->run("change a run", [&](soci::session& sql) -> Result<void> {
        if (change(sql, "UPDATE runs SET state = :state WHERE id = :id", state, id) == 0)
            return notThere("run", id);
        return {};
    });
}

Result<void> SqlStore::setRound(const std::string& id, const RoundClock& round)
{
    return m_session->run("change a round", [&](soci::session& sql) -> Result<void> {
        const long long closes = round.closesAt ? milliseconds(*round.closesAt) : 0;
        change(sql, "UPDATE runs SET opened_at = :opened, closes_at = :closes WHERE id = :id",
               milliseconds(round.openedAt), closes, id);
        return {};
    });
}

Result<void> SqlStore::setCursor(const std::string& id, const LeaseCursor& cursor)
{
    return m_session->run("change a run's data", [&](soci::session& sql) -> Result<void> {
        change(sql, "UPDATE runs SET next_epoch = :epoch, next_position = :position WHERE id = :id",
               number(cursor.epoch), number(cursor.position), id);
        return {};
    });
}

Result<RoundCounts> SqlStore::roundCounts(const std::string& run, const std::string& asking)
{
    return m_session->run("count a round", [&](soci::session& sql) -> Result<RoundCounts> {
        long long newest = 0;
        if (!firstRow(sql, "SELECT newest_version FROM runs WHERE id = :id", std::tie(newest), run))
            return notThere("run", run);
        const auto counted = [&](const char* query, const auto&... values) {
            long long value = 0;
            firstRow(sql, query, std::tie(value), values...);
            return static_cast<std::uint32_t>(value);
        };
        RoundCounts counts;
        counts.openUnits =
            counted("SELECT COUNT(*) FROM units WHERE run = :r AND round = :v AND state = 'open'",
                    run, newest);
        counts.freshResults = counted("SELECT COUNT(*) FROM results WHERE run = :r AND "
                                      "base_version = :v AND state = 'accepted'",
                                      run, newest);
        counts.staleResults = counted("SELECT COUNT(*) FROM results WHERE run = :r AND "
                                      "base_version < :v AND state = 'accepted'",
                                      run, newest);
        counts.returningHosts = counted("SELECT COUNT(DISTINCT host) FROM results WHERE run = :r "
                                        "AND merged_version = :v AND host "
                                        "NOT IN (SELECT host FROM units WHERE run = :r2 AND "
                                        "round = :v2) AND host NOT IN "
                                        "(SELECT id FROM hosts WHERE is_project = 1)",
                                        run, newest, run, newest);
        counts.activeHosts =
            counted("SELECT COUNT(*) FROM (SELECT host FROM results WHERE run = :r AND "
                    "merged_version = :v UNION "
                    "SELECT host FROM units WHERE run = :r2 AND round = :v2 UNION "
                    "SELECT id FROM hosts WHERE id = :h) AS active WHERE host NOT IN "
                    "(SELECT id FROM hosts WHERE is_project = 1)",
                    run, newest, run, newest, asking);
        long long first = 0;
        firstRow(sql,
                 "SELECT COALESCE(MIN(received_at), 0) FROM results WHERE run = :r AND "
                 "base_version = :v AND state = 'accepted'",
                 std::tie(first), run, newest);
        if (counts.freshResults > 0)
            counts.firstReport = wallTime(first);
        return counts;
    });
}

} // namespace commonweight::server
