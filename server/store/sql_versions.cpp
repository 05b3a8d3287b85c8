#include "server/store/sql_store.h"

#include <algorithm>

namespace commonweight::server {

static constexpr long long kNone = -1;
/// Versions that a chain goes back at most: int4 is an eighth of a whole file.
static constexpr long long kChainAtMost = 8;

static void insertFragment(soci::session& sql, const VersionRecord& version, std::size_t index)
{
    const auto& fragment = version.fragments[index];
    change(sql,
           "INSERT INTO fragment_versions (run, version, fragment, sha256, bytes, momentum, "
           "momentum_bytes, opposed, exact, exact_bytes, delta, delta_bytes) VALUES (:run, "
           ":version, :fragment, :sha256, :bytes, :momentum, :momentum_bytes, :opposed, :exact, "
           ":exact_bytes, :delta, :delta_bytes)",
           version.run, number(version.version), number(index), fragment.parameters.sha256.hex(),
           number(fragment.parameters.bytes), hexOrEmpty(fragment.momentum),
           bytesOrZero(fragment.momentum), number(fragment.opposed), hexOrEmpty(fragment.exact),
           bytesOrZero(fragment.exact), hexOrEmpty(fragment.delta), bytesOrZero(fragment.delta));
}

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
                   "second_moments, second_moments_bytes, restored, reverted) VALUES (:run, "
                   ":version, :created, :tokens, :results, :moments, :bytes, :restored, 0)",
                   version.run, number(version.version), milliseconds(version.created),
                   number(version.tokensMerged), number(version.resultsMerged),
                   hexOrEmpty(version.secondMoments), bytesOrZero(version.secondMoments),
                   version.restored ? number(*version.restored) : kNone);
            for (std::size_t i = 0; i < version.fragments.size(); ++i)
                insertFragment(sql, version, i);
            return {};
        });
    });
}

static Result<std::vector<FragmentVersion>>
readFragmentVersions(soci::session& sql, const std::string& run, std::uint64_t version)
{
    std::vector<FragmentVersion> fragments;
    std::string sha256, momentum, exact, delta;
    long long bytes = 0, momentumBytes = 0, exactBytes = 0, deltaBytes = 0, opposed = 0;
    CW_CHECK(forEachRow(
        sql,
        "SELECT sha256, bytes, momentum, momentum_bytes, opposed, exact, exact_bytes, delta, "
        "delta_bytes FROM fragment_versions WHERE run = :run AND version = :version ORDER BY "
        "fragment",
        std::tie(sha256, bytes, momentum, momentumBytes, opposed, exact, exactBytes, delta,
                 deltaBytes),
        [&]() -> Result<void> {
            FragmentVersion fragment;
            CW_TRY(fragment.parameters, blobFromColumns(sha256, bytes));
            CW_TRY(fragment.momentum, optionalBlobFromColumns(momentum, momentumBytes));
            CW_TRY(fragment.exact, optionalBlobFromColumns(exact, exactBytes));
            CW_TRY(fragment.delta, optionalBlobFromColumns(delta, deltaBytes));
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
        long long created = 0, tokens = 0, results = 0, bytes = 0, restored = kNone, reverted = 0;
        std::string moments;
        if (!firstRow(sql,
                      "SELECT created_at, tokens_merged, results_merged, second_moments, "
                      "second_moments_bytes, restored, reverted FROM versions WHERE run = :run AND "
                      "version = :version",
                      std::tie(created, tokens, results, moments, bytes, restored, reverted), run,
                      number(version)))
            return notThere("version", std::to_string(version));
        record.created = wallTime(created);
        record.tokensMerged = count(tokens);
        record.resultsMerged = count(results);
        CW_TRY(record.secondMoments, optionalBlobFromColumns(moments, bytes));
        if (restored != kNone)
            record.restored = count(restored);
        record.reverted = reverted != 0;
        CW_TRY(record.fragments, readFragmentVersions(sql, run, version));
        return record;
    });
}

namespace {

struct ChainRow {
    std::uint64_t version = 0;
    work::BlobRef parameters;
    std::optional<work::BlobRef> delta;
};

/// The last steps of one fragment that together are fewer bytes than its file. `rows`: newest
/// first.
work::FragmentChain chainOf(std::uint32_t index, const std::vector<ChainRow>& rows)
{
    work::FragmentChain chain{index, {}};
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i + 1 < rows.size() && rows[i].delta; ++i) {
        bytes += rows[i].delta->bytes;
        if (bytes >= rows.front().parameters.bytes)
            break;
        chain.deltas.push_back({rows[i].version, rows[i + 1].parameters.sha256, *rows[i].delta});
    }
    std::reverse(chain.deltas.begin(), chain.deltas.end());
    return chain;
}

} // namespace

Result<std::vector<work::FragmentChain>> SqlStore::chainTo(const std::string& run,
                                                           std::uint64_t version)
{
    std::map<long long, std::vector<ChainRow>> rows;
    CW_CHECK(m_session->run("read a version's chain", [&](soci::session& sql) -> Result<void> {
        long long fragment = 0, at = 0, bytes = 0, deltaBytes = 0;
        std::string sha256, delta;
        return forEachRow(
            sql,
            "SELECT fragment, version, sha256, bytes, delta, delta_bytes FROM fragment_versions "
            "WHERE run = :run AND version <= :version AND version >= :first ORDER BY fragment, "
            "version DESC",
            std::tie(fragment, at, sha256, bytes, delta, deltaBytes),
            [&]() -> Result<void> {
                ChainRow row{count(at), {}, {}};
                CW_TRY(row.parameters, blobFromColumns(sha256, bytes));
                CW_TRY(row.delta, optionalBlobFromColumns(delta, deltaBytes));
                rows[fragment].push_back(row);
                return {};
            },
            run, number(version), number(version) - kChainAtMost);
    }));
    std::vector<work::FragmentChain> chains;
    bool any = false;
    for (const auto& [fragment, versions] : rows) {
        chains.push_back(chainOf(static_cast<std::uint32_t>(fragment), versions));
        any = any || !chains.back().deltas.empty();
    }
    return any ? chains : std::vector<work::FragmentChain>();
}

Result<void> SqlStore::markReverted(const std::string& run, std::uint64_t first, std::uint64_t last)
{
    return m_session->run("mark versions", [&](soci::session& sql) -> Result<void> {
        change(sql,
               "UPDATE versions SET reverted = 1 WHERE run = :run AND version >= :first AND "
               "version <= :last",
               run, number(first), number(last));
        return {};
    });
}

Result<void> SqlStore::addRollback(const RollbackRecord& rollback)
{
    return m_session->run("record a rollback", [&](soci::session& sql) -> Result<void> {
        change(sql,
               "INSERT INTO rollbacks (run, version, restored, first_reverted, last_reverted, "
               "suspects, reason, created_at) VALUES (:run, :version, :restored, :first, :last, "
               ":suspects, :reason, :created)",
               rollback.run, number(rollback.version), number(rollback.restored),
               number(rollback.firstReverted), number(rollback.lastReverted),
               dumpJson(rollback.suspects), rollback.reason, milliseconds(rollback.created));
        return {};
    });
}

Result<std::vector<RollbackRecord>> SqlStore::rollbacks(const std::string& run)
{
    return m_session->run(
        "read the rollbacks", [&](soci::session& sql) -> Result<std::vector<RollbackRecord>> {
            std::vector<RollbackRecord> rollbacks;
            RollbackRecord each;
            each.run = run;
            long long version = 0, restored = 0, first = 0, last = 0, created = 0;
            std::string suspects;
            CW_CHECK(forEachRow(
                sql,
                "SELECT version, restored, first_reverted, last_reverted, suspects, reason, "
                "created_at FROM rollbacks WHERE run = :run ORDER BY version",
                std::tie(version, restored, first, last, suspects, each.reason, created),
                [&]() -> Result<void> {
                    each.version = count(version);
                    each.restored = count(restored);
                    each.firstReverted = count(first);
                    each.lastReverted = count(last);
                    each.created = wallTime(created);
                    CW_TRY(const Json list, jsonFromColumn(suspects));
                    each.suspects.clear();
                    for (const auto& host : list)
                        each.suspects.push_back(host.is_string() ? host.get<std::string>() : "");
                    rollbacks.push_back(each);
                    return {};
                },
                run));
            return rollbacks;
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
