#include "engine/agent/sqlite_database.h"

#include <sqlite3.h>

#include <fcntl.h>
#include <unistd.h>

namespace commonweight::agent {

namespace {

constexpr int kBusyMilliseconds = 5000;

ErrorKind kindOf(int code)
{
    switch (code & 0xff) {
    case SQLITE_FULL:
        return ErrorKind::Full;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return ErrorKind::Corrupt;
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_READONLY:
        return ErrorKind::Denied;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_CONSTRAINT:
        return ErrorKind::Conflict;
    case SQLITE_NOMEM:
        return ErrorKind::OutOfMemory;
    default:
        return ErrorKind::Io;
    }
}

struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

void bind(sqlite3_stmt* statement, int index, const SqlValue& value)
{
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        sqlite3_bind_int64(statement, index, *integer);
    else if (const auto* number = std::get_if<double>(&value))
        sqlite3_bind_double(statement, index, *number);
    else if (const auto* text = std::get_if<std::string>(&value))
        sqlite3_bind_text64(statement, index, text->data(), text->size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8);
}

/// Makes the file for its owner alone before SQLite would make it for everybody; -wal and -shm take
/// its mode.
Result<void> makeFile(const std::filesystem::path& file)
{
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0)
        return errnoError("cannot open " + file.string());
    ::close(descriptor);
    return {};
}

} // namespace

std::int64_t SqlRow::integer(int column) const
{
    return sqlite3_column_int64(m_statement, column);
}

double SqlRow::number(int column) const
{
    return sqlite3_column_double(m_statement, column);
}

std::string SqlRow::text(int column) const
{
    const auto* text = sqlite3_column_text(m_statement, column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column));
    return text == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(text), size);
}

void SqliteDatabase::Close::operator()(sqlite3* database) const
{
    sqlite3_close_v2(database);
}

Error SqliteDatabase::error(const std::string& what) const
{
    return {kindOf(sqlite3_extended_errcode(m_database.get())),
            what + ": " + sqlite3_errmsg(m_database.get())};
}

Result<SqliteDatabase> SqliteDatabase::open(const std::filesystem::path& file)
{
    CW_CHECK(makeFile(file));
    sqlite3* handle = nullptr;
    const int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    const int code = sqlite3_open_v2(file.c_str(), &handle, flags, nullptr);
    SqliteDatabase database(handle);
    if (code != SQLITE_OK)
        return database.error("cannot open " + file.string());
    sqlite3_busy_timeout(handle, kBusyMilliseconds);
    for (const char* pragma :
         {"PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "PRAGMA foreign_keys=ON"})
        if (auto set = database.script(pragma); !set)
            return set.error().withContext(file.string());
    return database;
}

Result<void> SqliteDatabase::query(const std::string& sql, const std::vector<SqlValue>& values,
                                   const std::function<void(const SqlRow& row)>& visit)
{
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(m_database.get(), sql.c_str(), -1, &raw, nullptr) != SQLITE_OK)
        return error("state file");
    const Statement statement(raw);
    for (std::size_t i = 0; i < values.size(); ++i)
        bind(raw, static_cast<int>(i) + 1, values[i]);
    int code = sqlite3_step(raw);
    for (; code == SQLITE_ROW; code = sqlite3_step(raw))
        visit(SqlRow(raw));
    if (code != SQLITE_DONE)
        return error("state file");
    return {};
}

Result<void> SqliteDatabase::run(const std::string& sql, const std::vector<SqlValue>& values)
{
    return query(sql, values, [](const SqlRow&) {});
}

Result<void> SqliteDatabase::script(const std::string& sql)
{
    if (sqlite3_exec(m_database.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        return error("state file");
    return {};
}

Result<void> SqliteDatabase::transaction(const std::function<Result<void>()>& work)
{
    CW_CHECK(script("BEGIN IMMEDIATE"));
    auto done = work();
    if (done)
        done = script("COMMIT");
    if (!done)
        (void)script("ROLLBACK");
    return done;
}

} // namespace commonweight::agent
