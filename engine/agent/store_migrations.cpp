#include "engine/agent/store_migrations.h"

#include <array>

namespace commonweight::agent {

namespace {

// A step that a released version has taken is never changed; a new one is appended.
constexpr std::array kSteps{
    // 1: everything of the first version
    R"(CREATE TABLE projects(
           address TEXT PRIMARY KEY, name TEXT NOT NULL, key TEXT NOT NULL, host TEXT NOT NULL DEFAULT '',
           attached INTEGER NOT NULL) STRICT;
       CREATE TABLE tasks(
           unit TEXT NOT NULL, project TEXT NOT NULL, run TEXT NOT NULL, state TEXT NOT NULL, device TEXT NOT NULL,
           slot INTEGER NOT NULL, envelope TEXT NOT NULL, result TEXT NOT NULL DEFAULT '',
           message TEXT NOT NULL DEFAULT '', failure TEXT NOT NULL DEFAULT '', reported INTEGER NOT NULL DEFAULT 1,
           attempts INTEGER NOT NULL DEFAULT 0, since INTEGER NOT NULL,
           PRIMARY KEY(project, unit)) STRICT;
       CREATE TABLE transfers(
           project TEXT NOT NULL, unit TEXT NOT NULL, sha256 TEXT NOT NULL, url TEXT NOT NULL,
           done INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(project, unit, sha256)) STRICT;
       CREATE TABLE settings(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
       CREATE TABLE traffic(
           day TEXT PRIMARY KEY, downloaded INTEGER NOT NULL DEFAULT 0, uploaded INTEGER NOT NULL DEFAULT 0) STRICT;
       CREATE TABLE history(
           project TEXT NOT NULL, unit TEXT NOT NULL, run TEXT NOT NULL, tokens INTEGER NOT NULL,
           seconds REAL NOT NULL, committed INTEGER NOT NULL, PRIMARY KEY(project, unit)) STRICT;)",
};

Result<int> layoutOf(SqliteDatabase& database)
{
    std::int64_t version = 0;
    CW_CHECK(database.query("PRAGMA user_version", {},
                            [&](const SqlRow& row) { version = row.integer(0); }));
    return static_cast<int>(version);
}

} // namespace

int newestLayout()
{
    return static_cast<int>(kSteps.size());
}

Result<void> migrate(SqliteDatabase& database, int stopAfter)
{
    CW_TRY(int layout, layoutOf(database));
    if (layout > newestLayout() || layout < 0)
        return Error{ErrorKind::Protocol,
                     "the state file was written by a newer version of Commonweight (layout " +
                         std::to_string(layout) + ", this version knows " +
                         std::to_string(newestLayout()) +
                         "): install that version, or choose another state folder"};
    const int last = stopAfter < 0 ? newestLayout() : stopAfter;
    for (; layout < last; ++layout)
        CW_CHECK(database.transaction([&]() -> Result<void> {
            CW_CHECK(database.script(kSteps[static_cast<std::size_t>(layout)]));
            return database.script("PRAGMA user_version=" + std::to_string(layout + 1));
        }));
    return {};
}

} // namespace commonweight::agent
