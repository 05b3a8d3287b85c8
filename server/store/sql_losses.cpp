#include "server/store/sql_store.h"

#include <algorithm>

namespace commonweight::server {

Result<void> SqlStore::addLoss(const std::string& run, const work::LossPoint& point)
{
    return m_session->run("record a loss", [&](soci::session& sql) -> Result<void> {
        change(sql,
               "INSERT INTO losses (run, version, loss, tokens, time) VALUES (:run, :version, "
               ":loss, :tokens, :time) "
               "ON CONFLICT (run, version) DO UPDATE SET loss = excluded.loss, tokens = "
               "excluded.tokens, time = excluded.time",
               run, number(point.version), point.loss, number(point.tokens),
               milliseconds(point.time));
        return {};
    });
}

Result<std::vector<work::LossPoint>> SqlStore::losses(const std::string& run)
{
    return m_session->run("read the losses",
                          [&](soci::session& sql) -> Result<std::vector<work::LossPoint>> {
                              std::vector<work::LossPoint> points;
                              work::LossPoint point;
                              long long version = 0, tokens = 0, time = 0;
                              // The newest ones when there are too many for an answer.
                              CW_CHECK(forEachRow(
                                  sql,
                                  "SELECT losses.version, losses.loss, losses.tokens, losses.time "
                                  "FROM losses JOIN versions ON versions.run = losses.run AND "
                                  "versions.version = losses.version WHERE losses.run = :run AND "
                                  "versions.reverted = 0 ORDER BY losses.version DESC LIMIT 100000",
                                  std::tie(version, point.loss, tokens, time),
                                  [&]() -> Result<void> {
                                      point.version = count(version);
                                      point.tokens = count(tokens);
                                      point.time = wallTime(time);
                                      points.push_back(point);
                                      return {};
                                  },
                                  run));
                              std::reverse(points.begin(), points.end());
                              return points;
                          });
}

Result<std::optional<std::uint64_t>> SqlStore::newestWithoutLoss(const std::string& run)
{
    return m_session->run(
        "look for a version to evaluate",
        [&](soci::session& sql) -> Result<std::optional<std::uint64_t>> {
            long long version = 0;
            if (!firstRow(
                    sql,
                    "SELECT versions.version FROM versions LEFT JOIN losses ON losses.run = "
                    "versions.run AND losses.version = "
                    "versions.version WHERE versions.run = :run AND losses.version IS NULL AND "
                    "versions.reverted = 0 "
                    "ORDER BY versions.version DESC LIMIT 1",
                    std::tie(version), run))
                return std::optional<std::uint64_t>();
            return std::optional(count(version));
        });
}

} // namespace commonweight::server
