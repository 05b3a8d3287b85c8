#include "server/store/sql_store.h"

#include <algorithm>

namespace commonweight::server {

namespace {

class BlobList {
public:
    explicit BlobList(soci::session& sql) : m_sql(sql) {}

    /// A query whose rows are one hash, or empty.
    template <class... Values> Result<void> addHashes(const char* query, const Values&... values)
    {
        std::string hex;
        return forEachRow(
            m_sql, query, std::tie(hex), [&]() { return add(hex); }, values...);
    }

    /// A query whose rows are a list of outer gradients.
    template <class... Values> Result<void> addLists(const char* query, const Values&... values)
    {
        std::string text;
        const auto each = [&]() -> Result<void> {
            CW_TRY(const Json list, jsonFromColumn(text));
            for (const auto& item : list) {
                CW_TRY(const auto blob, work::blobRefFromJson(item));
                m_blobs.push_back(blob.sha256);
            }
            return {};
        };
        return forEachRow(m_sql, query, std::tie(text), each, values...);
    }

    /// Everything of the versions from `first` to `last`.
    Result<void> addVersions(const std::string& run, long long first, long long last)
    {
        for (const char* query :
             {"SELECT sha256 FROM fragment_versions WHERE run = :r AND version >= :a AND version "
              "<= :b",
              "SELECT exact FROM fragment_versions WHERE run = :r AND version >= :a AND version <= "
              ":b",
              "SELECT momentum FROM fragment_versions WHERE run = :r AND version >= :a AND version "
              "<= :b",
              "SELECT second_moments FROM versions WHERE run = :r AND version >= :a AND version <= "
              ":b"})
            CW_CHECK(addHashes(query, run, first, last));
        return {};
    }

    std::vector<Sha256> sorted()
    {
        std::sort(m_blobs.begin(), m_blobs.end());
        m_blobs.erase(std::unique(m_blobs.begin(), m_blobs.end()), m_blobs.end());
        return std::move(m_blobs);
    }

    void add(const Sha256& blob) { m_blobs.push_back(blob); }

private:
    Result<void> add(const std::string& hex)
    {
        if (hex.empty())
            return {};
        CW_TRY(const auto blob, blobFromColumns(hex, 0));
        m_blobs.push_back(blob.sha256);
        return {};
    }

    soci::session& m_sql;
    std::vector<Sha256> m_blobs;
};

constexpr long long kAllVersions = 1LL << 53;

} // namespace

Result<std::vector<Sha256>> SqlStore::referencedBlobs()
{
    CW_TRY(const auto everyRun, runs());
    return m_session->run(
        "list the blobs in use", [&](soci::session& sql) -> Result<std::vector<Sha256>> {
            BlobList list(sql);
            CW_CHECK(list.addHashes("SELECT sha256 FROM shards"));
            CW_CHECK(list.addHashes("SELECT delta FROM fragment_versions"));
            CW_CHECK(list.addHashes("SELECT second_moments FROM results"));
            CW_CHECK(list.addLists("SELECT fragments FROM results"));
            for (const auto& run : everyRun) {
                CW_CHECK(list.addVersions(run.id(), 0, kAllVersions));
                list.add(run.config().vocabulary); // a tokenizer's file, when there is one
            }
            return list.sorted();
        });
}

Result<std::vector<Sha256>> SqlStore::neededBlobs(const std::string& id, const RetentionRule& rule)
{
    CW_TRY(const auto record, run(id));
    return m_session->run(
        "list the blobs that are needed", [&](soci::session& sql) -> Result<std::vector<Sha256>> {
            BlobList list(sql);
            list.add(record.config().vocabulary);
            const long long replay = number(rule.replayFrom);
            CW_CHECK(list.addHashes("SELECT sha256 FROM shards WHERE run = :run", id));
            CW_CHECK(list.addVersions(id, number(rule.anchorsFrom), kAllVersions));
            for (const auto version : rule.starts)
                CW_CHECK(list.addVersions(id, number(version), number(version)));
            CW_CHECK(list.addHashes(
                "SELECT delta FROM fragment_versions WHERE run = :run AND version > :v", id,
                replay));
            CW_CHECK(list.addHashes(
                "SELECT second_moments FROM versions WHERE run = :run AND version >= :v", id,
                replay));
            // What somebody may still have to download for a unit in his hands.
            CW_CHECK(list.addHashes("SELECT sha256 FROM fragment_versions WHERE run = :run AND "
                                    "version IN (SELECT base_version FROM units WHERE run = :r2 "
                                    "AND state = 'open')",
                                    id, id));
            CW_CHECK(list.addHashes("SELECT second_moments FROM versions WHERE run = :run AND "
                                    "version IN (SELECT base_version FROM units WHERE run = :r2 "
                                    "AND state = 'open')",
                                    id, id));
            for (const char* query :
                 {"SELECT fragments FROM results WHERE run = :run AND state = 'accepted'",
                  "SELECT fragments FROM results WHERE run = :run AND merged_version > :v"})
                CW_CHECK(std::string_view(query).find(":v") == std::string_view::npos
                             ? list.addLists(query, id)
                             : list.addLists(query, id, replay));
            CW_CHECK(list.addHashes(
                "SELECT second_moments FROM results WHERE run = :run AND state = 'accepted'", id));
            CW_CHECK(list.addHashes(
                "SELECT second_moments FROM results WHERE run = :run AND merged_version > :v", id,
                replay));
            return list.sorted();
        });
}

} // namespace commonweight::server
