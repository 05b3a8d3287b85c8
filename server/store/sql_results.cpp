#include "server/store/sql_store.h"

namespace commonweight::server {

namespace {

#define RESULT_COLUMNS                                                                             \
    "id, unit, run, host, base_version, number, state, steps, tokens, received_at, seconds, "      \
    "norm_rate, merged_version, fragments, second_moments, second_moments_bytes, content, "        \
    "envelope"

Json fragmentsToJson(const std::vector<work::FragmentRef>& fragments)
{
    Json list = Json::array();
    for (const auto& fragment : fragments)
        list.push_back(work::toJson(fragment.blob));
    return list;
}

Result<std::vector<work::FragmentRef>> fragmentsFromColumn(const std::string& text)
{
    CW_TRY(const Json list, jsonFromColumn(text));
    std::vector<work::FragmentRef> fragments;
    for (const auto& item : list) {
        CW_TRY(const auto blob, work::blobRefFromJson(item));
        fragments.push_back({static_cast<std::uint32_t>(fragments.size()), blob});
    }
    return fragments;
}

struct ResultColumns {
    ResultRecord result;
    std::string state, fragments, moments;
    long long base = 0, number = 0, steps = 0, tokens = 0, received = 0, merged = 0;
    long long momentsBytes = 0;

    auto tie()
    {
        return std::tie(result.id, result.unit, result.run, result.host, base, number, state, steps,
                        tokens, received, result.seconds, result.normRate, merged, fragments,
                        moments, momentsBytes, result.content, result.envelope);
    }

    Result<ResultRecord> record() const
    {
        ResultRecord record = result;
        record.baseVersion = count(base);
        record.number = count(number);
        record.steps = count(steps);
        record.tokens = count(tokens);
        record.received = wallTime(received);
        record.mergedVersion = count(merged);
        for (const auto known : {ResultState::Accepted, ResultState::Merged, ResultState::Credited,
                                 ResultState::Reverted})
            if (state == toString(known))
                record.state = known;
        CW_TRY(record.outerGradients, fragmentsFromColumn(fragments));
        CW_TRY(record.secondMoments, optionalBlobFromColumns(moments, momentsBytes));
        return record;
    }
};

Result<ResultRecord> readResult(soci::session& sql, const char* query, const std::string& key)
{
    ResultColumns columns;
    if (!firstRow(sql, query, columns.tie(), key))
        return notThere("result", key);
    return columns.record();
}

} // namespace

Result<void> SqlStore::addResult(const ResultRecord& result)
{
    return atomically([&]() -> Result<void> {
        return m_session->run("record a result", [&](soci::session& sql) -> Result<void> {
            long long last = 0;
            firstRow(sql, "SELECT COALESCE(MAX(number), 0) FROM results WHERE run = :run",
                     std::tie(last), result.run);
            change(sql,
                   "INSERT INTO results (" RESULT_COLUMNS
                   ") VALUES (:id, :unit, :run, :host, :base, :number, :state, :steps, :tokens, "
                   ":received, :seconds, :norm, :merged, :fragments, :moments, :moments_bytes, "
                   ":content, "
                   ":envelope)",
                   result.id, result.unit, result.run, result.host, number(result.baseVersion),
                   last + 1, std::string(toString(result.state)), number(result.steps),
                   number(result.tokens), milliseconds(result.received), result.seconds,
                   result.normRate, number(result.mergedVersion),
                   dumpJson(fragmentsToJson(result.outerGradients)),
                   hexOrEmpty(result.secondMoments), bytesOrZero(result.secondMoments),
                   result.content, result.envelope);
            return {};
        });
    });
}

Result<ResultRecord> SqlStore::result(const std::string& id)
{
    return m_session->run("read a result", [&](soci::session& sql) {
        return readResult(sql, "SELECT " RESULT_COLUMNS " FROM results WHERE id = :id", id);
    });
}

Result<ResultRecord> SqlStore::resultOfUnit(const std::string& unit)
{
    return m_session->run("read a unit's result", [&](soci::session& sql) {
        return readResult(sql, "SELECT " RESULT_COLUMNS " FROM results WHERE unit = :unit", unit);
    });
}

Result<std::vector<ResultRecord>> SqlStore::waitingResults(const std::string& run)
{
    return m_session->run(
        "read the waiting results", [&](soci::session& sql) -> Result<std::vector<ResultRecord>> {
            std::vector<ResultRecord> results;
            ResultColumns columns;
            CW_CHECK(forEachRow(
                sql,
                "SELECT " RESULT_COLUMNS
                " FROM results WHERE run = :run AND state = 'accepted' ORDER BY number",
                columns.tie(),
                [&]() -> Result<void> {
                    CW_TRY(auto record, columns.record());
                    results.push_back(std::move(record));
                    return {};
                },
                run));
            return results;
        });
}

Result<void> SqlStore::markResult(const std::string& id, ResultState state,
                                  std::uint64_t mergedVersion)
{
    return m_session->run("mark a result", [&](soci::session& sql) -> Result<void> {
        if (change(sql,
                   "UPDATE results SET state = :state, merged_version = :version WHERE id = :id "
                   "AND state = 'accepted'",
                   std::string(toString(state)), number(mergedVersion), id) == 0)
            return Error{ErrorKind::Conflict, "result '" + id + "' does not wait for a merge"};
        return {};
    });
}

Result<void> SqlStore::remarkResult(const std::string& id, ResultState state,
                                    std::uint64_t mergedVersion)
{
    return m_session->run("mark a result", [&](soci::session& sql) -> Result<void> {
        if (change(sql,
                   "UPDATE results SET state = :state, merged_version = :version WHERE id = :id "
                   "AND state = 'merged'",
                   std::string(toString(state)), number(mergedVersion), id) == 0)
            return Error{ErrorKind::Conflict, "result '" + id + "' is part of no version"};
        return {};
    });
}

Result<std::vector<ResultRecord>> SqlStore::mergedResults(const std::string& run,
                                                          std::uint64_t first, std::uint64_t last)
{
    return m_session->run(
        "read merged results", [&](soci::session& sql) -> Result<std::vector<ResultRecord>> {
            std::vector<ResultRecord> results;
            ResultColumns columns;
            CW_CHECK(forEachRow(
                sql,
                "SELECT " RESULT_COLUMNS
                " FROM results WHERE run = :run AND state = 'merged' AND merged_version >= :first "
                "AND merged_version <= :last ORDER BY number",
                columns.tie(),
                [&]() -> Result<void> {
                    CW_TRY(auto record, columns.record());
                    results.push_back(std::move(record));
                    return {};
                },
                run, number(first), number(last)));
            return results;
        });
}

Result<std::optional<std::string>> SqlStore::resultWithContent(const std::string& run,
                                                               const std::string& content)
{
    return m_session->run("look for a copy",
                          [&](soci::session& sql) -> Result<std::optional<std::string>> {
                              std::string id;
                              if (!firstRow(sql,
                                            "SELECT id FROM results WHERE run = :run AND content = "
                                            ":content ORDER BY number LIMIT 1",
                                            std::tie(id), run, content))
                                  return std::optional<std::string>();
                              return std::optional(id);
                          });
}

Result<std::vector<double>> SqlStore::recentNormRates(const std::string& run, int atMost)
{
    return m_session->run("read recent results",
                          [&](soci::session& sql) -> Result<std::vector<double>> {
                              std::vector<double> rates;
                              double rate = 0;
                              CW_CHECK(forEachRow(
                                  sql,
                                  "SELECT norm_rate FROM results WHERE run = :run AND state <> "
                                  "'credited' AND state <> 'reverted' AND norm_rate > 0 ORDER BY "
                                  "number DESC LIMIT :n",
                                  std::tie(rate),
                                  [&]() -> Result<void> {
                                      rates.push_back(rate);
                                      return {};
                                  },
                                  run, static_cast<long long>(atMost)));
                              return rates;
                          });
}

Result<std::vector<work::ContributorSummary>> SqlStore::contributors(const std::string& run,
                                                                     int atMost)
{
    return m_session->run("list the contributors",
                          [&](soci::session& sql) -> Result<std::vector<work::ContributorSummary>> {
                              std::vector<work::ContributorSummary> contributors;
                              work::ContributorSummary each;
                              long long results = 0, tokens = 0;
                              CW_CHECK(forEachRow(
                                  sql,
                                  "SELECT hosts.id, hosts.name, COUNT(*), SUM(results.tokens) FROM "
                                  "results JOIN hosts ON hosts.id = results.host "
                                  "WHERE results.run = :run GROUP BY hosts.id, hosts.name ORDER BY "
                                  "SUM(results.tokens) DESC, hosts.id LIMIT :n",
                                  std::tie(each.host, each.name, results, tokens),
                                  [&]() -> Result<void> {
                                      each.results = count(results);
                                      each.tokens = count(tokens);
                                      contributors.push_back(each);
                                      return {};
                                  },
                                  run, static_cast<long long>(atMost)));
                              return contributors;
                          });
}

} // namespace commonweight::server
