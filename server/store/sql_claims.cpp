#include "server/store/claim_owner.h"
#include "server/store/sql_store.h"

namespace commonweight::server {

Result<bool> SqlStore::claim(const ClaimRecord& claim, WallTime now)
{
    bool mine = false;
    CW_CHECK(atomically([&]() -> Result<void> {
        return m_session->run("claim work", [&](soci::session& sql) -> Result<void> {
            std::string owner;
            long long expires = 0;
            const bool taken =
                firstRow(sql, "SELECT owner, expires_at FROM claims WHERE name = :name",
                         std::tie(owner, expires), claim.name);
            if (taken && owner != claim.owner && expires > milliseconds(now) && !isGone(owner))
                return {};
            change(sql,
                   "INSERT INTO claims (name, owner, expires_at) VALUES (:name, :owner, :expires) "
                   "ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, expires_at = "
                   "excluded.expires_at",
                   claim.name, claim.owner, milliseconds(claim.expires));
            mine = true;
            return {};
        });
    }));
    return mine;
}

Result<void> SqlStore::releaseClaim(const std::string& name, const std::string& owner)
{
    return m_session->run("release work", [&](soci::session& sql) -> Result<void> {
        change(sql, "DELETE FROM claims WHERE name = :name AND owner = :owner", name, owner);
        return {};
    });
}

Result<std::vector<ClaimRecord>> SqlStore::claims()
{
    return m_session->run(
        "list the claims", [&](soci::session& sql) -> Result<std::vector<ClaimRecord>> {
            std::vector<ClaimRecord> claims;
            ClaimRecord claim;
            long long expires = 0;
            CW_CHECK(forEachRow(sql, "SELECT name, owner, expires_at FROM claims ORDER BY name",
                                std::tie(claim.name, claim.owner, expires), [&]() -> Result<void> {
                                    claim.expires = wallTime(expires);
                                    claims.push_back(claim);
                                    return {};
                                }));
            return claims;
        });
}

} // namespace commonweight::server
