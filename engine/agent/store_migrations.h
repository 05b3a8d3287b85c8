#pragma once
// The state file's layout as numbered steps; PRAGMA user_version says how many were taken. Called
// by AgentStore once.

#include "engine/agent/sqlite_database.h"

namespace commonweight::agent {

/// Brings the file up to this version's layout, each step in one transaction. Protocol when it
/// comes from a newer version; then nothing is touched. `stopAfter` is for tests of the steps.
Result<void> migrate(SqliteDatabase& database, int stopAfter = -1);
int newestLayout();

} // namespace commonweight::agent
