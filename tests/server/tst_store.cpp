// The store: layouts, what must be unique, transactions, nonces.

#include "tests/server/sample_project.h"

#include <QTest>

#include <sqlite3.h>

#include <fstream>
#include <thread>

using namespace commonweight;
using namespace commonweight::server;

namespace {

void runSql(const std::filesystem::path& database, const char* sql)
{
    sqlite3* handle = nullptr;
    char* failure = nullptr;
    if (sqlite3_open(database.c_str(), &handle) != SQLITE_OK ||
        sqlite3_exec(handle, sql, nullptr, nullptr, &failure) != SQLITE_OK)
        qFatal("SQL failed: %s", failure ? failure : "the database does not open");
    sqlite3_close(handle);
}

LedgerEntry entry(const std::string& kind)
{
    LedgerEntry made;
    made.kind = kind;
    made.run = "sample";
    made.time = WallTime{std::chrono::seconds{1}};
    made.body = {{"a", 1}};
    return made;
}

} // namespace

class StoreTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsStoredIsThereAfterReopening()
    {
        SampleProject project;
        const auto host = project.volunteer("Ada");
        const auto unit = project.unitIn(project.ask(host));
        project.reopen();
        QCOMPARE(sure(project.store().project()).name, std::string("Sample project"));
        QCOMPARE(sure(project.store().host(host.id)).name, std::string("Ada"));
        QCOMPARE(sure(project.store().unit(unit.id)).baseVersion, std::uint64_t{0});
        QCOMPARE(sure(project.store().leasesOf(unit.id)).size(), std::size_t{1});
        const auto run = project.run();
        QCOMPARE(run.definition->fragments.size(), std::size_t{1});
        QCOMPARE(run.definition->fragments[0].tensors.size(), std::size_t{3});
        QCOMPARE(run.definition->lanes(), std::uint64_t{60});
        QVERIFY(run.status.round.closesAt.has_value());
        QVERIFY(run.status.cursor == (LeaseCursor{0, 8}));
    }

    void aFolderWithBlanksInItsNameWorks()
    {
        QTemporaryDir dir;
        const auto folder =
            std::filesystem::path(dir.path().toStdString()) / "a project, with = signs";
        std::filesystem::create_directory(folder);
        QVERIFY(openSqliteStore(folder / "server.sqlite", OpenMode::Create).ok());
        QVERIFY(std::filesystem::exists(folder / "server.sqlite"));
    }

    void aDatabaseOfANewerVersionIsRefused()
    {
        QTemporaryDir dir;
        const std::filesystem::path database =
            dir.filePath(QStringLiteral("server.sqlite")).toStdString();
        QVERIFY(openSqliteStore(database, OpenMode::Create).ok());
        runSql(database, "UPDATE schema_version SET version = 999");
        for (const auto mode : {OpenMode::Create, OpenMode::Existing}) {
            const auto opened = openSqliteStore(database, mode);
            QVERIFY(!opened.ok());
            QCOMPARE(opened.error().kind, ErrorKind::Conflict);
            QVERIFY(opened.error().message.find("999") != std::string::npos);
        }
    }

    void anUnfinishedLayoutIsFinishedByTheServerOnly()
    {
        QTemporaryDir dir;
        const std::filesystem::path database =
            dir.filePath(QStringLiteral("server.sqlite")).toStdString();
        runSql(database, "CREATE TABLE schema_version (version INTEGER NOT NULL)");
        QCOMPARE(openSqliteStore(database, OpenMode::Existing).error().kind, ErrorKind::Conflict);
        QVERIFY(openSqliteStore(database, OpenMode::Create).ok());
        QVERIFY(openSqliteStore(database, OpenMode::Existing).ok());
    }

    void thereIsNoProjectInAnEmptyFolder()
    {
        QTemporaryDir dir;
        const auto opened = openSqliteStore(
            dir.filePath(QStringLiteral("server.sqlite")).toStdString(), OpenMode::Existing);
        QCOMPARE(opened.error().kind, ErrorKind::NotFound);
        QVERIFY(
            !std::filesystem::exists(dir.filePath(QStringLiteral("server.sqlite")).toStdString()));
    }

    void aFileThatIsNoDatabaseIsNamedAsDamaged()
    {
        QTemporaryDir dir;
        const std::filesystem::path database =
            dir.filePath(QStringLiteral("server.sqlite")).toStdString();
        std::ofstream(database) << std::string(5000, 'x');
        const auto opened = openSqliteStore(database, OpenMode::Create);
        QVERIFY(!opened.ok());
        QCOMPARE(opened.error().kind, ErrorKind::Corrupt);
    }

    void aFailedTransactionLeavesNothing()
    {
        SampleProject project;
        const auto done = project.store().atomically([&]() -> Result<void> {
            CW_CHECK(project.store().setRunState("sample", "paused"));
            CW_CHECK(project.store().atomically([&] {
                return project.store().setCursor("sample", {3, 1});
            }));
            return Error{ErrorKind::Cancelled, "no"};
        });
        QCOMPARE(done.error().kind, ErrorKind::Cancelled);
        QCOMPARE(project.run().status.state, std::string("running"));
        QVERIFY(project.run().status.cursor == LeaseCursor{});
    }

    void aVersionMustFollowTheNewest()
    {
        SampleProject project;
        auto version = project.newest();
        version.version = 2;
        QCOMPARE(project.store().addVersion(version).error().kind, ErrorKind::Conflict);
        version.version = 1;
        QVERIFY(project.store().addVersion(version).ok());
        QCOMPARE(project.store().addVersion(version).error().kind, ErrorKind::Conflict);
        QCOMPARE(project.run().status.newestVersion, std::uint64_t{1});
    }

    void anUnknownHostIsNotFoundAndABannedOneDenied()
    {
        SampleProject project;
        QCOMPARE(project.store().keyOf("h0").error().kind, ErrorKind::NotFound);
        const auto host = project.volunteer();
        QVERIFY(sure(project.store().keyOf(host.id)) == host.key.publicKey());
        sure(project.store().setBanned(host.id, true));
        QCOMPARE(project.store().keyOf(host.id).error().kind, ErrorKind::Denied);
    }

    void aNonceServesOnce()
    {
        SampleProject project;
        const auto host = project.volunteer();
        auto& store = project.store();
        QVERIFY(store.useNonce(host.id, "n1", project.clock.wall()).ok());
        QCOMPARE(store.useNonce(host.id, "n1", project.clock.wall()).error().kind,
                 ErrorKind::Denied);
        QVERIFY(store.useNonce(host.id, "n2", project.clock.wall()).ok());
        project.clock.advance(std::chrono::hours(1));
        sure(store.forgetNonces(project.clock.wall() - std::chrono::minutes(15)));
        QVERIFY(store.useNonce(host.id, "n1", project.clock.wall()).ok());
    }

    void theLedgerNumbersAndHashesItsEntries()
    {
        SampleProject project;
        sure(project.store().appendLedger(entry("first")));
        sure(project.store().appendLedger(entry("second")));
        const auto all = sure(project.store().ledger("sample", 0, 10));
        QCOMPARE(all.size(), std::size_t{2});
        QCOMPARE(all[1].sequence, all[0].sequence + 1);
        QVERIFY(all[0].leaf != all[1].leaf);
        const std::string text =
            std::string(1, '\0') +
            R"({"body":{"a":1},"kind":"first","run":"sample","sequence":1,"time":"1970-01-01T00:00:01.000Z"})";
        QCOMPARE(all[0].leaf.hex(), sha256(asBytes(text)).hex());
        QCOMPARE(sure(project.store().ledger("sample", all[0].sequence, 10)).size(),
                 std::size_t{1});
    }

    void theNewestVersionWithoutALossComesFirst()
    {
        SampleProject project;
        auto version = project.newest();
        version.version = 1;
        sure(project.store().addVersion(version));
        QCOMPARE(sure(project.store().newestWithoutLoss("sample")).value(), std::uint64_t{1});
        sure(project.store().addLoss("sample", {1, 10, 2.5, {}}));
        QCOMPARE(sure(project.store().newestWithoutLoss("sample")).value(), std::uint64_t{0});
        sure(project.store().addLoss("sample", {0, 0, 3.5, {}}));
        QVERIFY(!sure(project.store().newestWithoutLoss("sample")));
        QCOMPARE(sure(project.store().losses("sample")).front().loss, 3.5);
    }

    void manyThreadsMayUseIt()
    {
        SampleProject project;
        const auto host = project.volunteer();
        std::vector<std::thread> threads;
        std::atomic<int> failures = 0;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&, i] {
                for (int k = 0; k < 25; ++k) {
                    const auto done = project.store().atomically([&]() -> Result<void> {
                        CW_TRY(const auto run, project.store().run("sample"));
                        return project.store().setCursor("sample",
                                                         {0, run.status.cursor.position + 1});
                    });
                    failures += !done.ok();
                    failures +=
                        !project.store()
                             .useNonce(host.id, std::to_string(i * 100 + k), project.clock.wall())
                             .ok();
                }
            });
        for (auto& thread : threads)
            thread.join();
        QCOMPARE(failures.load(), 0);
        QCOMPARE(project.run().status.cursor.position, std::uint64_t{100});
    }
};

QTEST_GUILESS_MAIN(StoreTest)
#include "tst_store.moc"
