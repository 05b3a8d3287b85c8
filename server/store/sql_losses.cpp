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
                                  "SELECT version, loss, tokens, time FROM losses WHERE run = :run "
                                  "ORDER BY version DESC LIMIT 100000",
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
            if (!firstRow(sql,
                          "SELECT versions.version FROM versions LEFT JOIN losses ON losses.run = "
                          "versions.run AND losses.version = "
                          "versions.version WHERE versions.run = :run AND losses.version IS NULL "
                          "ORDER BY versions.version DESC LIMIT 1",
                          std::tie(version), run))
                return std::optional<std::uint64_t>();
            return std::optional(count(version));
        });
}

Result<std::vector<Sha256>> SqlStore::referencedBlobs()
{
    std::vector<Sha256> blobs;
    std::string hex, fragments;
    const auto add = [&]() -> Result<void> {
        CW_TRY(const auto blob, blobFromColumns(hex, 0));
        blobs.push_back(blob.sha256);
        return {};
    };
    CW_CHECK(m_session->run("list the blobs in use", [&](soci::session& sql) -> Result<void> {
        CW_CHECK(forEachRow(sql,
                            "SELECT sha256 FROM shards UNION SELECT sha256 FROM fragment_versions "
                            "UNION SELECT momentum FROM "
                            "fragment_versions WHERE momentum <> '' UNION SELECT second_moments "
                            "FROM versions WHERE second_moments <> ''",
                            std::tie(hex), add));
        return forEachRow(sql, "SELECT fragments FROM results", std::tie(fragments),
                          [&]() -> Result<void> {
                              CW_TRY(const Json list, jsonFromColumn(fragments));
                              for (const auto& item : list) {
                                  CW_TRY(const auto blob, work::blobRefFromJson(item));
                                  blobs.push_back(blob.sha256);
                              }
                              return {};
                          });
    }));
    CW_TRY(const auto everyRun, runs());
    for (const auto& run : everyRun)
        blobs.push_back(run.config().vocabulary); // a tokenizer's file, when there is one
    std::sort(blobs.begin(), blobs.end());
    return blobs;
}

} // namespace commonweight::server
