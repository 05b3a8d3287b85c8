#include "server/store/sql_session.h"

#include <soci/sqlite3/soci-sqlite3.h>

namespace commonweight::server {

namespace {

/// SOCI's connection string is split at blanks; quotes keep a path together.
std::string connectionTo(const std::filesystem::path& database)
{
    return "db=\"" + database.string() + "\" timeout=10";
}

ErrorKind kindOf(int code)
{
    switch (code & 0xff) {
    case SQLITE_FULL:
        return ErrorKind::Full;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return ErrorKind::Timeout;
    case SQLITE_CONSTRAINT:
        return ErrorKind::Conflict;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return ErrorKind::Corrupt;
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH:
        return ErrorKind::Denied;
    default:
        return ErrorKind::Io;
    }
}

} // namespace

Error SqlSession::errorFrom(const char* what, const std::exception& exception)
{
    ErrorKind kind = ErrorKind::Io;
    if (const auto* sqlite = dynamic_cast<const soci::sqlite3_soci_error*>(&exception))
        kind = kindOf(sqlite->result());
    return {kind, std::string("the database could not ") + what + ": " + exception.what()};
}

Result<std::unique_ptr<SqlSession>> SqlSession::openSqlite(const std::filesystem::path& database)
{
    if (database.string().find('"') != std::string::npos)
        return Error{ErrorKind::Denied,
                     "the folder's name must not contain quotation marks: " + database.string()};
    std::unique_ptr<SqlSession> session(new SqlSession);
    CW_CHECK(session->run("be opened", [&](soci::session& sql) -> Result<void> {
        sql.open(soci::sqlite3, connectionTo(database));
        return {};
    }));
    CW_CHECK(session->configure());
    return session;
}

Result<void> SqlSession::configure()
{
    for (const char* pragma : {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL",
                               "PRAGMA foreign_keys = ON", "PRAGMA busy_timeout = 10000"})
        CW_CHECK(execute(pragma));
    return {};
}

Result<void> SqlSession::execute(const std::string& statement)
{
    return run("be changed", [&](soci::session& sql) -> Result<void> {
        sql << statement;
        return {};
    });
}

Result<void> SqlSession::atomically(const std::function<Result<void>()>& work)
{
    const std::lock_guard lock(m_mutex);
    if (m_depth > 0)
        return work();
    // At once a writer, so that no two transactions read the same state and then both change it.
    CW_CHECK(execute("BEGIN IMMEDIATE"));
    ++m_depth;
    auto result = work();
    --m_depth;
    if (result.ok())
        result = execute("COMMIT");
    if (!result.ok())
        // Fails only when the database has already rolled back on its own.
        static_cast<void>(execute("ROLLBACK"));
    return result;
}

} // namespace commonweight::server
