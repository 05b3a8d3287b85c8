#include "server/store/sql_store.h"

namespace commonweight::server {

namespace {

#define LEASE_COLUMNS "run, epoch, first_position, positions, state, COALESCE(unit, ''), changed_at"

template <class... Values>
Result<std::vector<LeaseRecord>> readLeases(soci::session& sql, const char* query,
                                            const Values&... values)
{
    std::vector<LeaseRecord> leases;
    LeaseRecord lease;
    std::string state;
    long long epoch = 0, first = 0, positions = 0, changed = 0;
    CW_CHECK(forEachRow(
        sql, query, std::tie(lease.run, epoch, first, positions, state, lease.unit, changed),
        [&]() -> Result<void> {
            lease.epoch = count(epoch);
            lease.first = count(first);
            lease.count = count(positions);
            lease.changed = wallTime(changed);
            for (const auto known : {LeaseState::Free, LeaseState::Leased, LeaseState::Merged})
                if (state == toString(known))
                    lease.state = known;
            leases.push_back(lease);
            return {};
        },
        values...));
    return leases;
}

} // namespace

Result<void> SqlStore::putLease(const LeaseRecord& lease)
{
    return m_session->run("record a lease", [&](soci::session& sql) -> Result<void> {
        change(
            sql,
            "INSERT INTO leases (run, epoch, first_position, positions, state, unit, changed_at) "
            "VALUES (:run, :epoch, :first, :positions, :state, NULLIF(:unit, ''), :changed) "
            "ON CONFLICT (run, epoch, first_position) DO UPDATE SET positions = "
            "excluded.positions, state = excluded.state, "
            "unit = excluded.unit, changed_at = excluded.changed_at",
            lease.run, number(lease.epoch), number(lease.first), number(lease.count),
            std::string(toString(lease.state)), lease.unit, milliseconds(lease.changed));
        return {};
    });
}

Result<std::vector<LeaseRecord>> SqlStore::freeLeases(const std::string& run)
{
    return m_session->run("look for free data", [&](soci::session& sql) {
        return readLeases(
            sql,
            "SELECT " LEASE_COLUMNS
            " FROM leases WHERE run = :run AND state = 'free' ORDER BY epoch, first_position",
            run);
    });
}

Result<std::vector<LeaseRecord>> SqlStore::leasesOf(const std::string& unit)
{
    return m_session->run("read a unit's data", [&](soci::session& sql) {
        return readLeases(sql,
                          "SELECT " LEASE_COLUMNS
                          " FROM leases WHERE unit = :unit ORDER BY epoch, first_position",
                          unit);
    });
}

Result<std::vector<LeaseRecord>> SqlStore::leases(const std::string& run)
{
    return m_session->run("list the leases", [&](soci::session& sql) {
        return readLeases(sql,
                          "SELECT " LEASE_COLUMNS
                          " FROM leases WHERE run = :run ORDER BY epoch, first_position",
                          run);
    });
}

} // namespace commonweight::server
