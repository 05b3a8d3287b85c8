#include "server/store/sql_store.h"

namespace commonweight::server {

Result<void> SqlStore::addProject(const ProjectRecord& project)
{
    return m_session->run("record the project", [&](soci::session& sql) -> Result<void> {
        change(sql,
               "INSERT INTO project (id, name, description, terms) VALUES (1, :name, :description, "
               ":terms)",
               project.name, project.description, project.terms);
        return {};
    });
}

Result<ProjectRecord> SqlStore::project()
{
    return m_session->run("read the project", [&](soci::session& sql) -> Result<ProjectRecord> {
        ProjectRecord project;
        if (!firstRow(sql, "SELECT name, description, terms FROM project",
                      std::tie(project.name, project.description, project.terms)))
            return Error{ErrorKind::NotFound,
                         "this folder holds no project yet; commonweight-project create makes one"};
        return project;
    });
}

Result<PublicKey> SqlStore::keyOf(const std::string& host)
{
    return m_session->run("read a host's key", [&](soci::session& sql) -> Result<PublicKey> {
        std::string key;
        int banned = 0;
        if (!firstRow(sql, "SELECT public_key, banned FROM hosts WHERE id = :id",
                      std::tie(key, banned), host))
            return notThere("host", host);
        if (banned != 0)
            return Error{ErrorKind::Denied,
                         "this project no longer accepts work from host '" + host + "'"};
        return PublicKey::parse(key);
    });
}

Result<void> SqlStore::useNonce(const std::string& host, const std::string& nonce, WallTime now)
{
    return m_session->run("remember a request", [&](soci::session& sql) -> Result<void> {
        const long long added =
            change(sql,
                   "INSERT INTO nonces (host, nonce, seen_at) VALUES (:host, :nonce, :seen) "
                   "ON CONFLICT (host, nonce) DO NOTHING",
                   host, nonce, milliseconds(now));
        if (added == 0)
            return Error{ErrorKind::Denied,
                         "this request was already made: its nonce has been seen"};
        return {};
    });
}

Result<void> SqlStore::forgetNonces(WallTime before)
{
    return m_session->run("forget old requests", [&](soci::session& sql) -> Result<void> {
        change(sql, "DELETE FROM nonces WHERE seen_at < :before", milliseconds(before));
        return {};
    });
}

Result<void> SqlStore::putHost(const HostRecord& host)
{
    return m_session->run("record a host", [&](soci::session& sql) -> Result<void> {
        change(sql,
               "INSERT INTO hosts (id, public_key, name, devices, tokens_per_second, "
               "registered_at, seen_at, banned, "
               "is_project) VALUES (:id, :key, :name, :devices, :speed, :registered, :seen, "
               ":banned, :project) "
               "ON CONFLICT (id) DO UPDATE SET name = excluded.name, devices = excluded.devices, "
               "seen_at = excluded.seen_at",
               host.id, host.key.base64(), host.name, dumpJson(host.devices), host.tokensPerSecond,
               milliseconds(host.registered), milliseconds(host.seen), host.banned ? 1 : 0,
               host.isProject ? 1 : 0);
        return {};
    });
}

#define HOST_COLUMNS                                                                               \
    "id, public_key, name, devices, tokens_per_second, registered_at, seen_at, banned, "           \
    "is_project, validated_units, quarantine"

namespace {

struct HostColumns {
    HostRecord host;
    std::string key, devices;
    long long registered = 0, seen = 0, validated = 0;
    int banned = 0, isProject = 0;

    auto tie()
    {
        return std::tie(host.id, key, host.name, devices, host.tokensPerSecond, registered, seen,
                        banned, isProject, validated, host.quarantine);
    }

    Result<HostRecord> record() const
    {
        HostRecord record = host;
        CW_TRY(record.key, PublicKey::parse(key));
        CW_TRY(record.devices, jsonFromColumn(devices));
        record.registered = wallTime(registered);
        record.seen = wallTime(seen);
        record.banned = banned != 0;
        record.isProject = isProject != 0;
        record.validatedUnits = count(validated);
        return record;
    }
};

} // namespace

Result<HostRecord> SqlStore::host(const std::string& id)
{
    return m_session->run("read a host", [&](soci::session& sql) -> Result<HostRecord> {
        HostColumns columns;
        if (!firstRow(sql, "SELECT " HOST_COLUMNS " FROM hosts WHERE id = :id", columns.tie(), id))
            return notThere("host", id);
        return columns.record();
    });
}

Result<std::vector<HostRecord>> SqlStore::hosts()
{
    return m_session->run(
        "list the hosts", [&](soci::session& sql) -> Result<std::vector<HostRecord>> {
            std::vector<HostRecord> hosts;
            HostColumns columns;
            CW_CHECK(forEachRow(sql,
                                "SELECT " HOST_COLUMNS " FROM hosts ORDER BY registered_at, id",
                                columns.tie(), [&]() -> Result<void> {
                                    CW_TRY(auto host, columns.record());
                                    hosts.push_back(std::move(host));
                                    return {};
                                }));
            return hosts;
        });
}

Result<void> SqlStore::addValidatedUnit(const std::string& id)
{
    return m_session->run("change a host", [&](soci::session& sql) -> Result<void> {
        change(sql, "UPDATE hosts SET validated_units = validated_units + 1 WHERE id = :id", id);
        return {};
    });
}

Result<void> SqlStore::setQuarantine(const std::string& id, const std::string& reason)
{
    return m_session->run("change a host", [&](soci::session& sql) -> Result<void> {
        if (change(sql,
                   "UPDATE hosts SET quarantine = :reason, validated_units = CASE WHEN :again = '' "
                   "THEN validated_units ELSE 0 END WHERE id = :id",
                   reason, reason, id) == 0)
            return notThere("host", id);
        return {};
    });
}

Result<void> SqlStore::noteSeen(const std::string& id, WallTime now)
{
    return m_session->run("note a host", [&](soci::session& sql) -> Result<void> {
        change(sql, "UPDATE hosts SET seen_at = :seen WHERE id = :id", milliseconds(now), id);
        return {};
    });
}

Result<void> SqlStore::noteSpeed(const std::string& id, double tokensPerSecond)
{
    return m_session->run("note a host's speed", [&](soci::session& sql) -> Result<void> {
        change(sql, "UPDATE hosts SET tokens_per_second = :speed WHERE id = :id", tokensPerSecond,
               id);
        return {};
    });
}

Result<void> SqlStore::setBanned(const std::string& id, bool banned)
{
    return m_session->run("change a host", [&](soci::session& sql) -> Result<void> {
        if (change(sql, "UPDATE hosts SET banned = :banned WHERE id = :id", banned ? 1 : 0, id) ==
            0)
            return notThere("host", id);
        return {};
    });
}

} // namespace commonweight::server
