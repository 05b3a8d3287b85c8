#include "server/store/migration.h"

#include "server/store/sql_session.h"

#include <sstream>

namespace commonweight::server {

namespace {

std::vector<std::string> statementsOf(const std::string& text)
{
    std::vector<std::string> statements;
    std::istringstream lines(text);
    std::string statement;
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("--", 0) == 0)
            continue;
        statement += line + '\n';
        if (line.ends_with(';')) {
            statements.push_back(statement);
            statement.clear();
        }
    }
    return statements;
}

Result<void> apply(SqlSession& session, const std::string& text, int layout)
{
    return session.atomically([&]() -> Result<void> {
        for (const auto& statement : statementsOf(text))
            CW_CHECK(session.execute(statement));
        CW_CHECK(session.execute("DELETE FROM schema_version"));
        return session.execute("INSERT INTO schema_version (version) VALUES (" +
                               std::to_string(layout) + ")");
    });
}

} // namespace

Result<int> layoutOf(SqlSession& session)
{
    return session.run("be read", [](soci::session& sql) -> Result<int> {
        int layout = 0;
        soci::indicator found = soci::i_null;
        sql << "SELECT MAX(version) FROM schema_version", soci::into(layout, found);
        return found == soci::i_ok ? layout : 0;
    });
}

Result<void> migrate(SqlSession& session, const std::vector<std::string>& migrations)
{
    CW_CHECK(
        session.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)"));
    CW_TRY(const int layout, layoutOf(session));
    const int newest = static_cast<int>(migrations.size());
    if (layout > newest)
        return Error{
            ErrorKind::Conflict,
            "this folder's database was written by a newer version of Commonweight (layout " +
                std::to_string(layout) + "; this program knows up to " + std::to_string(newest) +
                "): install the newer version to use it"};
    for (int next = layout; next < newest; ++next)
        CW_CHECK(apply(session, migrations[static_cast<std::size_t>(next)], next + 1));
    return {};
}

} // namespace commonweight::server
