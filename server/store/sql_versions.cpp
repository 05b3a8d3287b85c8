#include "server/store/sql_store.h"

namespace commonweight::server {

Result<void> SqlStore::addVersion(const VersionRecord& version)
{
    return atomically([&]() -> Result<void> {
        return m_session->run("record a version", [&](soci::session& sql) -> Result<void> {
            const long long moved = change(
                sql,
                "UPDATE runs SET newest_version = :v WHERE id = :run AND newest_version = :before",
                number(version.version), version.run, number(version.version) - 1);
            if (moved == 0)
                return Error{ErrorKind::Conflict,
                             "version " + std::to_string(version.version) +
                                 " does not follow the newest version of run '" + version.run +
                                 "'"};
            change(sql,
                   "INSERT INTO versions (run, version, created_at, tokens_merged, results_merged, "
                   "second_moments, "
                   "second_moments_bytes) VALUES (:run, :version, :created, :tokens, :results, "
                   ":moments, :bytes)",
                   version.run, number(version.version), milliseconds(version.created),
                   number(version.tokensMerged), number(version.resultsMerged),
                   hexOrEmpty(version.secondMoments), bytesOrZero(version.secondMoments));
            for (std::size_t i = 0; i < version.fragments.size(); ++i) {
                const auto& fragment = version.fragments[i];
                change(sql,
                       "INSERT INTO fragment_versions (run, version, fragment, sha256, bytes, "
                       "momentum, momentum_bytes, "
                       "opposed) VALUES (:run, :version, :fragment, :sha256, :bytes, :momentum, "
                       ":momentum_bytes, :opposed)",
                       version.run, number(version.version), number(i),
                       fragment.parameters.sha256.hex(), number(fragment.parameters.bytes),
                       hexOrEmpty(fragment.momentum), bytesOrZero(fragment.momentum),
                       number(fragment.opposed));
            }
            return {};
        });
    });
}

static Result<std::vector<FragmentVersion>>
readFragmentVersions(soci::session& sql, const std::string& run, std::uint64_t version)
{
    std::vector<FragmentVersion> fragments;
    std::string sha256, momentum;
    long long bytes = 0, momentumBytes = 0, opposed = 0;
    CW_CHECK(forEachRow(
        sql,
        "SELECT sha256, bytes, momentum, momentum_bytes, opposed FROM fragment_versions WHERE run "
        "= :run AND version = :version "
        "ORDER BY fragment",
        std::tie(sha256, bytes, momentum, momentumBytes, opposed),
        [&]() -> Result<void> {
            FragmentVersion fragment;
            CW_TRY(fragment.parameters, blobFromColumns(sha256, bytes));
            CW_TRY(fragment.momentum, optionalBlobFromColumns(momentum, momentumBytes));
            fragment.opposed = static_cast<std::uint32_t>(opposed);
            fragments.push_back(fragment);
            return {};
        },
        run, number(version)));
    return fragments;
}

Result<VersionRecord> SqlStore::version(const std::string& run, std::uint64_t version)
{
    return m_session->run("read a version", [&](soci::session& sql) -> Result<VersionRecord> {
        VersionRecord record;
        record.run = run;
        record.version = version;
        long long created = 0, tokens = 0, results = 0, bytes = 0;
        std::string moments;
        if (!firstRow(sql,
                      "SELECT created_at, tokens_merged, results_merged, second_moments, "
                      "second_moments_bytes FROM versions "
                      "WHERE run = :run AND version = :version",
                      std::tie(created, tokens, results, moments, bytes), run, number(version)))
            return notThere("version", std::to_string(version));
        record.created = wallTime(created);
        record.tokensMerged = count(tokens);
        record.resultsMerged = count(results);
        CW_TRY(record.secondMoments, optionalBlobFromColumns(moments, bytes));
        CW_TRY(record.fragments, readFragmentVersions(sql, run, version));
        return record;
    });
}

Result<void> SqlStore::addMerge(const MergeRecord& merge)
{
    return m_session->run("write the merge log", [&](soci::session& sql) -> Result<void> {
        change(sql,
               "INSERT INTO merges (run, version, fragment, body) VALUES (:run, :version, "
               ":fragment, :body)",
               merge.run, number(merge.version), number(merge.fragment), canonicalJson(merge.body));
        return {};
    });
}

Result<std::vector<MergeRecord>> SqlStore::merges(const std::string& run, std::uint64_t version)
{
    return m_session->run(
        "read the merge log", [&](soci::session& sql) -> Result<std::vector<MergeRecord>> {
            std::vector<MergeRecord> merges;
            long long fragment = 0;
            std::string body;
            CW_CHECK(forEachRow(
                sql,
                "SELECT fragment, body FROM merges WHERE run = :run AND version = :version ORDER "
                "BY fragment",
                std::tie(fragment, body),
                [&]() -> Result<void> {
                    CW_TRY(auto json, jsonFromColumn(body));
                    merges.push_back({run, version, count(fragment), std::move(json)});
                    return {};
                },
                run, number(version)));
            return merges;
        });
}

} // namespace commonweight::server
