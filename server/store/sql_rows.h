#pragma once
// Short forms for SQL with named places (":a, :b"), and how our types look in columns. Parameters
// bind in order. Only for the store's source files; throws what SOCI throws.

#include "engine/base/clock.h"
#include "engine/base/json.h"
#include "engine/work/unit.h"

#include <soci/soci.h>

#include <optional>
#include <tuple>

namespace commonweight::server {

inline long long number(std::uint64_t value)
{
    return static_cast<long long>(value);
}
inline std::uint64_t count(long long column)
{
    return static_cast<std::uint64_t>(column);
}
inline long long milliseconds(WallTime time)
{
    return time.time_since_epoch().count();
}
inline WallTime wallTime(long long column)
{
    return WallTime{std::chrono::milliseconds{column}};
}
inline std::string hexOrEmpty(const std::optional<work::BlobRef>& ref)
{
    return ref ? ref->sha256.hex() : std::string();
}
inline long long bytesOrZero(const std::optional<work::BlobRef>& ref)
{
    return ref ? number(ref->bytes) : 0;
}
/// Corrupt: only the server writes these columns.
Result<work::BlobRef> blobFromColumns(const std::string& hex, long long bytes);
Result<std::optional<work::BlobRef>> optionalBlobFromColumns(const std::string& hex,
                                                             long long bytes);
/// Corrupt when a column that the server wrote no longer reads as JSON.
Result<Json> jsonFromColumn(const std::string& text);

/// Runs a statement without rows; how many rows it changed.
template <class... Values>
long long change(soci::session& sql, const char* text, const Values&... values)
{
    soci::statement statement(sql);
    (statement.exchange(soci::use(values)), ...);
    statement.alloc();
    statement.prepare(text);
    statement.define_and_bind();
    statement.execute(true);
    return statement.get_affected_rows();
}

/// Fetches each row into `columns` (std::tie) and calls `onRow`, which returns Result<void>.
template <class Columns, class OnRow, class... Values>
Result<void> forEachRow(soci::session& sql, const char* text, Columns columns, OnRow onRow,
                        const Values&... values)
{
    soci::statement statement(sql);
    std::apply([&](auto&... column) { (statement.exchange(soci::into(column)), ...); }, columns);
    (statement.exchange(soci::use(values)), ...);
    statement.alloc();
    statement.prepare(text);
    statement.define_and_bind();
    statement.execute(false);
    while (statement.fetch())
        CW_CHECK(onRow());
    return {};
}

/// The first row into `columns`; whether there was one.
template <class Columns, class... Values>
bool firstRow(soci::session& sql, const char* text, Columns columns, const Values&... values)
{
    soci::statement statement(sql);
    std::apply([&](auto&... column) { (statement.exchange(soci::into(column)), ...); }, columns);
    (statement.exchange(soci::use(values)), ...);
    statement.alloc();
    statement.prepare(text);
    statement.define_and_bind();
    return statement.execute(true);
}

} // namespace commonweight::server
