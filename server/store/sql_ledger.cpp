#include "server/store/sql_store.h"

#include "engine/base/clock.h"

namespace commonweight::server {

namespace {

/// RFC 9162, section 2.1.1: the hash of a leaf is that of a zero byte and the entry.
Sha256 leafHash(const LedgerEntry& entry)
{
    const Json json{{"sequence", entry.sequence},
                    {"time", toRfc3339(entry.time)},
                    {"kind", entry.kind},
                    {"run", entry.run},
                    {"body", entry.body}};
    Sha256Hasher hasher;
    hasher.update(Bytes{0});
    hasher.update(asBytes(canonicalJson(json)));
    return hasher.finish();
}

} // namespace

Result<void> SqlStore::appendLedger(LedgerEntry entry)
{
    return atomically([&]() -> Result<void> {
        return m_session->run("append to the ledger", [&](soci::session& sql) -> Result<void> {
            long long last = 0;
            firstRow(sql, "SELECT COALESCE(MAX(sequence), 0) FROM ledger", std::tie(last));
            entry.sequence = count(last + 1);
            entry.leaf = leafHash(entry);
            change(sql,
                   "INSERT INTO ledger (sequence, time, kind, run, body, leaf) VALUES (:sequence, "
                   ":time, :kind, :run, :body, :leaf)",
                   number(entry.sequence), milliseconds(entry.time), entry.kind, entry.run,
                   canonicalJson(entry.body), entry.leaf.hex());
            return {};
        });
    });
}

Result<std::vector<LedgerEntry>> SqlStore::ledger(const std::string& run, std::uint64_t after,
                                                  int atMost)
{
    return m_session->run("read the ledger",
                          [&](soci::session& sql) -> Result<std::vector<LedgerEntry>> {
                              std::vector<LedgerEntry> entries;
                              LedgerEntry entry;
                              long long sequence = 0, time = 0;
                              std::string body, leaf;
                              CW_CHECK(forEachRow(
                                  sql,
                                  "SELECT sequence, time, kind, run, body, leaf FROM ledger WHERE "
                                  "run = :run AND sequence > :after ORDER BY sequence "
                                  "LIMIT :n",
                                  std::tie(sequence, time, entry.kind, entry.run, body, leaf),
                                  [&]() -> Result<void> {
                                      entry.sequence = count(sequence);
                                      entry.time = wallTime(time);
                                      CW_TRY(entry.body, jsonFromColumn(body));
                                      CW_TRY(entry.leaf, Sha256::parse(leaf));
                                      entries.push_back(entry);
                                      return {};
                                  },
                                  run, number(after), static_cast<long long>(atMost)));
                              return entries;
                          });
}

} // namespace commonweight::server
