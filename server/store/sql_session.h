#pragma once
// One connection to a database with the transactions on it, and the one place where SOCI's
// exceptions become errors. Owned by the store. Thread-safe: a recursive lock serialises everybody;
// a transaction keeps it.

#include "engine/base/result.h"

#include <soci/soci.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>

namespace commonweight::server {

class SqlSession {
public:
    /// WAL, synchronous=FULL, foreign keys, 10 s of patience with other processes.
    static Result<std::unique_ptr<SqlSession>> openSqlite(const std::filesystem::path& database);

    /// Runs `query(session)`, which returns a Result; what it throws becomes an Error that begins
    /// with `what`.
    template <class Query>
    auto run(const char* what, Query&& query) -> decltype(query(std::declval<soci::session&>()))
    {
        const std::lock_guard lock(m_mutex);
        try {
            return query(m_sql);
        } catch (const std::exception& exception) {
            return errorFrom(what, exception);
        }
    }

    Result<void> execute(const std::string& statement);
    Result<void> atomically(const std::function<Result<void>()>& work);

private:
    SqlSession() = default;
    static Error errorFrom(const char* what, const std::exception& exception);
    Result<void> configure();

    std::recursive_mutex m_mutex;
    soci::session m_sql;
    int m_depth = 0; ///< of nested atomically()
};

} // namespace commonweight::server
