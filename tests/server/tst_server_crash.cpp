// kill -9 of a process that schedules, admits and publishes: nothing acknowledged is lost, nothing
// is merged twice.

#include "server/sync/blob_sweep.h"
#include "server/sync/rollback.h"
#include "tests/server/sample_rounds.h"

#include <QTest>

#include <csignal>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

using namespace commonweight;
using namespace commonweight::server;

namespace {

/// A blob store whose process dies after a number of writes, or of removals.
class DeadlyBlobStore final : public BlobStore {
public:
    DeadlyBlobStore(BlobStore& real, int putsToLive, int removalsToLive = 0)
        : m_real(real), m_putsToLive(putsToLive), m_removalsToLive(removalsToLive)
    {}

    Result<Sha256> put(ByteView bytes) override
    {
        auto stored = m_real.put(bytes);
        if (--m_putsToLive == 0)
            kill(getpid(), SIGKILL);
        return stored;
    }
    Result<void> adopt(const std::filesystem::path& file, const Sha256& sha256) override
    {
        return m_real.adopt(file, sha256);
    }
    Result<Bytes> get(const Sha256& sha256, std::uint64_t maxBytes) override
    {
        return m_real.get(sha256, maxBytes);
    }
    Result<std::uint64_t> size(const Sha256& sha256) override { return m_real.size(sha256); }
    Result<std::filesystem::path> file(const Sha256& sha256) override
    {
        return m_real.file(sha256);
    }
    Result<void> remove(const Sha256& sha256) override
    {
        auto removed = m_real.remove(sha256);
        if (--m_removalsToLive == 0)
            kill(getpid(), SIGKILL);
        return removed;
    }
    Result<void> forEach(const std::function<void(const Sha256&, std::uint64_t,
                                                  std::filesystem::file_time_type)>& visit) override
    {
        return m_real.forEach(visit);
    }

private:
    BlobStore& m_real;
    int m_putsToLive;
    int m_removalsToLive;
};

/// Runs `body` in a child process that is killed after `milliseconds` (0: it ends by itself);
/// whether it was killed.
bool runAndKill(int milliseconds, const std::function<void()>& body)
{
    const pid_t child = fork();
    if (child == 0) {
        body();
        _exit(0);
    }
    if (milliseconds > 0) {
        usleep(static_cast<useconds_t>(milliseconds) * 1000);
        kill(child, SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status);
}

/// Each lane of an epoch in at most one merged result.
bool mergedOnce(Store& store)
{
    std::set<std::pair<std::uint64_t, std::uint64_t>> merged;
    for (std::uint64_t after = 0;;) {
        const auto entries = sure(store.ledger("sample", after, 500));
        if (entries.empty())
            return true;
        after = entries.back().sequence;
        for (const auto& entry : entries) {
            if (entry.kind != "merge")
                continue;
            for (const auto& result : entry.body["results"])
                for (const auto& lanes : result["lanes"])
                    for (std::uint64_t i = 0; i < lanes[2].get<std::uint64_t>(); ++i)
                        if (!merged
                                 .insert({lanes[0].get<std::uint64_t>(),
                                          lanes[1].get<std::uint64_t>() + i})
                                 .second)
                            return false;
        }
    }
}

} // namespace

class ServerCrashTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void killedBetweenBlobsAndTransaction_data()
    {
        QTest::addColumn<int>("puts");
        QTest::newRow("after the server's own parameters") << 1;
        QTest::newRow("after the momentum") << 2;
        QTest::newRow("after the published parameters") << 3;
        QTest::newRow("after everything, before the transaction") << 4;
    }
    void killedBetweenBlobsAndTransaction()
    {
        QFETCH(int, puts);
        SampleProject project;
        const auto host = project.volunteer();
        const auto unit = project.unitIn(project.ask(host));
        sure(project.deliver(host, project.answerTo(host, unit, 20)));
        project.close();
        const bool killed = runAndKill(0, [&] {
            const auto store =
                sure(openSqliteStore(ProjectFolder{project.folder()}.database(), OpenMode::Create));
            DeadlyBlobStore blobs(project.blobs(), puts);
            static_cast<void>(
                Publisher(*store, blobs, project.clock).publish(sure(store->run("sample"))));
        });
        QVERIFY(killed);

        project.reopen();
        QCOMPARE(project.run().status.newestVersion, std::uint64_t{0});
        QCOMPARE(sure(project.store().waitingResults("sample")).size(), std::size_t{1});
        QCOMPARE(sure(project.syncer->tick()), 1);
        QCOMPARE(sure(project.syncer->tick()), 0);
        QCOMPARE(project.newest().resultsMerged, std::uint64_t{1});
        QVERIFY(mergedOnce(project.store()));
    }

    void killedWhileFilesAreRemoved()
    {
        SampleProject project({.snapshotEvery = 4});
        const auto host = project.volunteer();
        for (int i = 0; i < 18; ++i)
            playRound(project, {host}, 0.01F);
        const SweepOptions options{.unusedAge = std::chrono::hours(1), .retention = {2}};
        // One removal further each time, until there is nothing left to be killed in.
        int kills = 0;
        for (bool killed = true; killed; kills += killed) {
            project.close();
            killed = runAndKill(0, [&] {
                const auto store = sure(
                    openSqliteStore(ProjectFolder{project.folder()}.database(), OpenMode::Create));
                DeadlyBlobStore blobs(project.blobs(), 0, 1);
                static_cast<void>(sweepBlobs(*store, blobs, project.clock, options));
            });
            project.reopen();
            if (kills % 8 == 0 || !killed) {
                const auto replayed = replayAll(project);
                QVERIFY(replayed.size() >= 6);
                QCOMPARE(replayed.back().version, std::uint64_t{18});
                QVERIFY(replayed.back().equal);
            }
        }
        QVERIFY2(kills > 20, std::to_string(kills).c_str());
        playRound(project, {host}, 0.01F);
        QVERIFY(replayAll(project).back().equal);
    }

    void killedWhileItRollsBack_data()
    {
        QTest::addColumn<int>("puts");
        QTest::newRow("after the server's own parameters") << 1;
        QTest::newRow("after everything, before the transaction") << 4;
    }
    void killedWhileItRollsBack()
    {
        QFETCH(int, puts);
        SampleProject project;
        const auto honest = project.volunteer(), attacker = project.volunteer();
        playRound(project, {honest}, 0.01F);
        playRound(project, {honest, attacker}, 0.02F);
        const RollbackOrder order{1, {attacker.id}, true, "a test"};
        project.close();
        const bool killed = runAndKill(0, [&] {
            const auto store =
                sure(openSqliteStore(ProjectFolder{project.folder()}.database(), OpenMode::Create));
            DeadlyBlobStore blobs(project.blobs(), puts);
            static_cast<void>(
                rollBack(*store, blobs, project.clock, sure(store->run("sample")), order));
        });
        QVERIFY(killed);
        project.reopen();
        QCOMPARE(project.run().status.newestVersion, std::uint64_t{2});
        QVERIFY(sure(project.store().host(attacker.id)).quarantine.empty());
        const auto report =
            sure(rollBack(project.store(), project.blobs(), project.clock, project.run(), order));
        QCOMPARE(report.resultsKept, std::size_t{1});
        QVERIFY(replayAll(project).back().equal);
    }

    void killedAtAnyMoment()
    {
        SampleProject project({.stepsAtMost = 10});
        std::vector<Volunteer> hosts{project.volunteer("a"), project.volunteer("b"),
                                     project.volunteer("c")};
        std::uint64_t reached = 0;
        int kills = 0;
        for (int i = 0; i < 20; ++i) {
            const int milliseconds = 15 + (i * 37) % 120;
            project.close();
            kills += runAndKill(milliseconds, [&] {
                project.reopen();
                for (;;) {
                    for (const auto& host : hosts) {
                        const auto reply = project.ask(host);
                        if (reply.units.empty())
                            continue;
                        const auto unit = project.unitIn(reply);
                        static_cast<void>(
                            project.deliver(host, project.answerTo(host, unit, 7, 0.01F)));
                    }
                    sure(project.syncer->tick());
                    project.clock.advance(std::chrono::seconds(15));
                }
            });
            project.reopen();
            const auto run = project.run();
            QVERIFY(run.status.newestVersion >= reached);
            reached = run.status.newestVersion;
            QCOMPARE(leaseProblem(project.store(), "sample"), std::string());
            QVERIFY(mergedOnce(project.store()));
        }
        QCOMPARE(kills, 20);
        QVERIFY2(reached >= 3, "the children were killed before they did anything");
        std::uint64_t replayed = 0;
        sure(replayRun(project.store(), project.blobs(), project.run(), reached,
                       [&](const ReplayedVersion& version) {
                           QVERIFY(version.equal);
                           replayed = version.version;
                       }));
        QCOMPARE(replayed, reached);
    }
};

QTEST_GUILESS_MAIN(ServerCrashTest)
#include "tst_server_crash.moc"
