#pragma once
// SQLite through its C API, just as much as AgentStore needs: one connection, statements with bound
// values, transactions. Owner: AgentStore, which serialises the calls.

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace commonweight::agent {

using SqlValue = std::variant<std::int64_t, double, std::string>;

/// The current row of a query; valid inside the callback only.
class SqlRow {
public:
    explicit SqlRow(sqlite3_stmt* statement) : m_statement(statement) {}
    std::int64_t integer(int column) const;
    double number(int column) const;
    std::string text(int column) const;

private:
    sqlite3_stmt* m_statement;
};

class SqliteDatabase {
public:
    /// Opens or creates the file (mode 0600): WAL, synchronous=FULL, 5 s busy time-out. Corrupt
    /// when it is no database.
    static Result<SqliteDatabase> open(const std::filesystem::path& file);

    Result<void> run(const std::string& sql, const std::vector<SqlValue>& values = {});
    Result<void> query(const std::string& sql, const std::vector<SqlValue>& values,
                       const std::function<void(const SqlRow& row)>& visit);
    /// Several statements in one text, for migrations.
    Result<void> script(const std::string& sql);
    /// All of `work` or nothing. Not nested.
    Result<void> transaction(const std::function<Result<void>()>& work);

private:
    struct Close {
        void operator()(sqlite3* database) const;
    };
    explicit SqliteDatabase(sqlite3* database) : m_database(database) {}
    Error error(const std::string& what) const;

    std::unique_ptr<sqlite3, Close> m_database;
};

} // namespace commonweight::agent
