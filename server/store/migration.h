#pragma once
// Brings a database's layout up to date: numbered steps, each in a transaction of its own together
// with the number it leads to. Called once at opening, by the thread that opens. Only for the
// store.

#include "engine/base/result.h"

#include <string>
#include <vector>

namespace commonweight::server {

class SqlSession;

/// The text of migrations/NNN_*.sql; the first one leads to layout 1.
const std::vector<std::string>& builtInMigrations();

/// 0 for an empty database.
Result<int> layoutOf(SqlSession& session);

/// Conflict when the database's layout is newer than the last of `migrations`.
Result<void> migrate(SqlSession& session, const std::vector<std::string>& migrations);

} // namespace commonweight::server
