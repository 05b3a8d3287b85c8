#include "server/store/sql_store.h"

#include "server/store/migration.h"

namespace commonweight::server {

namespace {

constexpr std::array kUnitStates{"open", "reported", "expired", "failed", "lost"};
constexpr std::array kLeaseStates{"free", "leased", "merged"};
constexpr std::array kResultStates{"accepted", "merged", "credited", "reverted"};

Result<void> checkLayout(SqlSession& session)
{
    CW_TRY(const int layout, layoutOf(session));
    if (layout == static_cast<int>(builtInMigrations().size()))
        return {};
    return Error{ErrorKind::Conflict, "this folder's database has layout " +
                                          std::to_string(layout) +
                                          ", this program works with layout " +
                                          std::to_string(builtInMigrations().size()) +
                                          ": use the tool and the server of one version (the "
                                          "server updates older folders when it starts)"};
}

} // namespace

const char* toString(UnitState state)
{
    return kUnitStates[static_cast<std::size_t>(state)];
}

const char* toString(LeaseState state)
{
    return kLeaseStates[static_cast<std::size_t>(state)];
}

const char* toString(ResultState state)
{
    return kResultStates[static_cast<std::size_t>(state)];
}

Error notThere(const char* what, const std::string& name)
{
    return {ErrorKind::NotFound, std::string("there is no ") + what + " '" + name + "'"};
}

Result<work::BlobRef> blobFromColumns(const std::string& hex, long long bytes)
{
    const auto sha256 = Sha256::parse(hex);
    if (!sha256.ok() || bytes < 0)
        return Error{ErrorKind::Corrupt,
                     "the database names a blob that cannot exist: '" + hex + "'"};
    return work::BlobRef{*sha256, count(bytes)};
}

Result<std::optional<work::BlobRef>> optionalBlobFromColumns(const std::string& hex,
                                                             long long bytes)
{
    if (hex.empty())
        return std::optional<work::BlobRef>();
    CW_TRY(auto ref, blobFromColumns(hex, bytes));
    return std::optional(ref);
}

Result<Json> jsonFromColumn(const std::string& text)
{
    auto json = parseJson(text, {.bytes = 256u << 20, .depth = 64, .values = 50'000'000});
    if (!json.ok())
        return Error{ErrorKind::Corrupt,
                     "the database holds a damaged record: " + json.error().message};
    return json;
}

Result<std::unique_ptr<Store>> openMemoryStore()
{
    CW_TRY(auto session, SqlSession::openSqlite(":memory:"));
    CW_CHECK(migrate(*session, builtInMigrations()));
    return std::unique_ptr<Store>(std::make_unique<SqlStore>(std::move(session)));
}

Result<std::unique_ptr<Store>> openSqliteStore(const std::filesystem::path& database, OpenMode mode)
{
    std::error_code ignored;
    if (mode == OpenMode::Existing && !std::filesystem::exists(database, ignored))
        return Error{ErrorKind::NotFound, database.parent_path().string() +
                                              " is not a project's folder (it has no database); "
                                              "commonweight-project create makes one"};
    CW_TRY(auto session, SqlSession::openSqlite(database));
    CW_CHECK(mode == OpenMode::Create ? migrate(*session, builtInMigrations())
                                      : checkLayout(*session));
    return std::unique_ptr<Store>(std::make_unique<SqlStore>(std::move(session)));
}

} // namespace commonweight::server
