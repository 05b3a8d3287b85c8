#include "server/store/sql_store.h"

#include <algorithm>

namespace commonweight::server {

namespace {

/// The columns of a unit in the order of kColumns.
struct UnitColumns {
    UnitRecord unit;
    std::string state;
    long long base = 0, round = 0, issued = 0, ended = 0, closes = 0, deadline = 0;

    auto tie()
    {
        return std::tie(unit.id, unit.run, unit.host, base, state, issued, ended, closes, deadline,
                        unit.envelope, round);
    }

    UnitRecord record() const
    {
        UnitRecord record = unit;
        record.baseVersion = count(base);
        record.round = count(round);
        record.issued = wallTime(issued);
        record.ended = wallTime(ended);
        record.closesAt = wallTime(closes);
        record.deadline = wallTime(deadline);
        for (const auto known : {UnitState::Open, UnitState::Reported, UnitState::Expired,
                                 UnitState::Failed, UnitState::Lost})
            if (state == toString(known))
                record.state = known;
        return record;
    }
};

#define UNIT_COLUMNS                                                                               \
    "id, run, host, base_version, state, issued_at, ended_at, closes_at, deadline, envelope, "     \
    "round"

template <class... Values>
Result<std::vector<UnitRecord>> readUnits(soci::session& sql, const char* query,
                                          const Values&... values)
{
    std::vector<UnitRecord> units;
    UnitColumns columns;
    CW_CHECK(forEachRow(
        sql, query, columns.tie(),
        [&]() -> Result<void> {
            units.push_back(columns.record());
            return {};
        },
        values...));
    return units;
}

} // namespace

Result<void> SqlStore::addUnit(const UnitRecord& unit)
{
    return atomically([&]() -> Result<void> {
        return m_session->run("record a unit", [&](soci::session& sql) -> Result<void> {
            change(sql,
                   "INSERT INTO units (" UNIT_COLUMNS ") "
                   "VALUES (:id, :run, :host, :base, :state, :issued, :ended, :closes, :deadline, "
                   ":envelope, :round)",
                   unit.id, unit.run, unit.host, number(unit.baseVersion),
                   std::string(toString(unit.state)), milliseconds(unit.issued),
                   milliseconds(unit.ended), milliseconds(unit.closesAt),
                   milliseconds(unit.deadline), unit.envelope,
                   number(std::max(unit.round, unit.baseVersion)));
            change(sql, "UPDATE runs SET units_issued = units_issued + 1 WHERE id = :run",
                   unit.run);
            return {};
        });
    });
}

Result<UnitRecord> SqlStore::unit(const std::string& id)
{
    return m_session->run("read a unit", [&](soci::session& sql) -> Result<UnitRecord> {
        UnitColumns columns;
        if (!firstRow(sql, "SELECT " UNIT_COLUMNS " FROM units WHERE id = :id", columns.tie(), id))
            return notThere("unit", id);
        return columns.record();
    });
}

Result<void> SqlStore::endUnit(const std::string& id, UnitState state, WallTime now)
{
    return m_session->run("end a unit", [&](soci::session& sql) -> Result<void> {
        if (change(sql,
                   "UPDATE units SET state = :state, ended_at = :now WHERE id = :id AND state = "
                   "'open'",
                   std::string(toString(state)), milliseconds(now), id) == 0)
            return Error{ErrorKind::Conflict, "unit '" + id + "' is not open"};
        return {};
    });
}

Result<std::vector<UnitRecord>> SqlStore::unitsOfHost(const std::string& run,
                                                      const std::string& host, std::uint64_t round)
{
    return m_session->run("read a host's units", [&](soci::session& sql) {
        return readUnits(sql,
                         "SELECT " UNIT_COLUMNS " FROM units WHERE run = :run AND round = "
                         ":round AND host = :host ORDER BY issued_at, id",
                         run, number(round), host);
    });
}

Result<std::vector<UnitRecord>> SqlStore::expiredUnits(const std::string& run, WallTime now)
{
    return m_session->run("look for expired units", [&](soci::session& sql) {
        return readUnits(sql,
                         "SELECT " UNIT_COLUMNS " FROM units WHERE run = :run AND state = 'open' "
                         "AND deadline <= :now ORDER BY deadline, id",
                         run, milliseconds(now));
    });
}

Result<std::vector<UnitRecord>> SqlStore::failedUnits(const std::string& host, WallTime since)
{
    return m_session->run("look for failed units", [&](soci::session& sql) {
        return readUnits(sql,
                         "SELECT " UNIT_COLUMNS
                         " FROM units WHERE host = :host AND state = 'failed' AND ended_at >= "
                         ":since ORDER BY ended_at, id",
                         host, milliseconds(since));
    });
}

} // namespace commonweight::server
