// Back to the last good version: the old content under a new number, the honest contributions once
// more on top of it, the others set aside.

#include "server/sync/rollback.h"
#include "server/verify/suspects.h"
#include "tests/server/sample_rounds.h"

#include <algorithm>

using namespace commonweight;
using namespace commonweight::server;

namespace {

/// Two good versions, then two with an attacker's part in them.
class PoisonedProject {
public:
    explicit PoisonedProject(const SampleOptions& options = {}) : project(options)
    {
        playRound(project, {honest}, 0.01F);
        playRound(project, {honest}, 0.02F);
        playRound(project, {honest, attacker}, 0.03F);
        playRound(project, {honest, attacker}, 0.04F);
    }
    RollbackOrder order() const { return {2, {attacker.id}, true, "a test"}; }
    Result<RollbackReport> goBack(const RollbackOrder& what)
    {
        return rollBack(project.store(), project.blobs(), project.clock, project.run(), what);
    }
    std::vector<ResultRecord> resultsOf(const Volunteer& host, ResultState state)
    {
        std::vector<ResultRecord> found;
        for (const auto& entry : sure(project.store().ledger("sample", 0, 500)))
            if (entry.kind == "merge")
                for (const auto& merged : entry.body["results"])
                    if (merged["host"].get<std::string>() == host.id) {
                        const auto id = merged["result"].get<std::string>();
                        const auto result = sure(project.store().result(id));
                        if (result.state == state)
                            found.push_back(result);
                    }
        return found;
    }

    SampleProject project;
    Volunteer honest = project.volunteer("honest"), attacker = project.volunteer("attacker");
};

/// Losses by version and by host instead of a model.
class TableTrial final : public ResultTrial {
public:
    Result<double> lossOfVersion(std::uint64_t version) override
    {
        ++asked;
        if (version == 9)
            return Error{ErrorKind::NotFound, "removed"};
        return 2.0;
    }
    Result<double> lossAfter(const ResultRecord& result) override
    {
        if (result.host == "gone")
            return Error{ErrorKind::NotFound, "removed"};
        return result.host == "bad" ? 2.5 : 2.05;
    }
    int asked = 0;
};

} // namespace

class RollbackTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theOldContentIsBackAndTheHonestPartIsMergedAgain()
    {
        PoisonedProject poisoned;
        auto& project = poisoned.project;
        const auto report = sure(poisoned.goBack(poisoned.order()));
        QCOMPARE(report.restored.version, std::uint64_t{5});
        QVERIFY(report.rebuilt.has_value());
        QCOMPARE(report.resultsKept, std::size_t{2});
        QCOMPARE(report.resultsDropped, std::size_t{2});

        QVERIFY(parametersOf(project, 5) == parametersOf(project, 2));
        const auto restored = sure(project.store().version("sample", 5));
        const auto old = sure(project.store().version("sample", 2));
        QVERIFY(restored.fragments[0].parameters == old.fragments[0].parameters);
        QCOMPARE(restored.tokensMerged, old.tokensMerged);
        QCOMPARE(restored.restored.value(), std::uint64_t{2});
        QCOMPARE(project.newest().version, std::uint64_t{6});
        QCOMPARE(project.newest().resultsMerged, std::uint64_t{4});
        QVERIFY(parametersOf(project, 6) != parametersOf(project, 5));
        for (const std::uint64_t version : {3, 4})
            QVERIFY(sure(project.store().version("sample", version)).reverted);

        QVERIFY(!sure(project.store().host(poisoned.attacker.id)).quarantine.empty());
        QCOMPARE(sure(project.store().host(poisoned.attacker.id)).validatedUnits, std::uint64_t{0});
        QVERIFY(sure(project.store().host(poisoned.honest.id)).quarantine.empty());
        QVERIFY(project.ask(poisoned.attacker).units.empty());
        QCOMPARE(poisoned.resultsOf(poisoned.attacker, ResultState::Reverted).size(),
                 std::size_t{2});
        QCOMPARE(poisoned.resultsOf(poisoned.honest, ResultState::Merged).size(), std::size_t{4});
        // The attacker's text goes to others.
        QCOMPARE(leaseProblem(project.store(), "sample"), std::string());
        QVERIFY(!sure(project.store().freeLeases("sample")).empty());
        QCOMPARE(sure(project.store().ledger("sample", 0, 500)).back().kind,
                 std::string("rollback"));
        QCOMPARE(sure(project.store().rollbacks("sample"))[0].suspects,
                 std::vector<std::string>{poisoned.attacker.id});
    }

    void theLogRebuildsItAll_data()
    {
        QTest::addColumn<qulonglong>("fragmentBytes");
        QTest::addColumn<QString>("downlink");
        QTest::newRow("one fragment") << (64ULL << 20) << "int8";
        QTest::newRow("two fragments, int4") << 300ULL << "int4";
        QTest::newRow("whole files") << (64ULL << 20) << "none";
    }
    void theLogRebuildsItAll()
    {
        QFETCH(qulonglong, fragmentBytes);
        QFETCH(QString, downlink);
        PoisonedProject poisoned(
            {.fragmentBytes = fragmentBytes, .downlink = downlink.toStdString()});
        auto& project = poisoned.project;
        sure(poisoned.goBack(poisoned.order()));
        playRound(project, {poisoned.honest}, 0.01F);
        sure(poisoned.goBack({5, {}, false, "again"})); // to a version that was restored itself
        playRound(project, {poisoned.honest}, 0.02F);
        const auto replayed = replayAll(project);
        QCOMPARE(replayed.size(), static_cast<std::size_t>(project.newest().version));
        for (const auto& version : replayed)
            QVERIFY2(version.equal, std::to_string(version.version).c_str());
        QVERIFY(parametersOf(project, 8) == parametersOf(project, 2));
    }

    void withoutTheAttackerItIsWhatTheHonestAloneHadMade()
    {
        PoisonedProject poisoned({.downlink = "none"});
        sure(poisoned.goBack(poisoned.order()));
        // The same contributions with nobody else there.
        const auto log =
            sure(mergeLogEntryFromJson(sure(poisoned.project.store().merges("sample", 6))[0].body));
        const auto& fragment = poisoned.project.run().definition->fragments[0];
        auto server = sure(
            readServerFragment(poisoned.project.blobs(), fragment,
                               sure(poisoned.project.store().version("sample", 2)).fragments[0]));
        std::vector<MergeStep> steps{{log.settings, log.inputs, {}}};
        steps.insert(steps.end(), log.more.begin(), log.more.end());
        QCOMPARE(steps.size(), std::size_t{2});
        for (const auto& step : steps) {
            QCOMPARE(step.inputs.size(), std::size_t{1});
            sure(mergeInputs(poisoned.project.blobs(), fragment, step.inputs, step.settings,
                             server.state));
        }
        QVERIFY(server.state.parameters == parametersOf(poisoned.project, 6));
    }

    void withoutSuspectsEverythingSinceThenIsDropped()
    {
        PoisonedProject poisoned;
        const auto report = sure(poisoned.goBack({3, {}, false, "the operator's decision"}));
        QVERIFY(!report.rebuilt);
        QCOMPARE(report.resultsDropped, std::size_t{2});
        QCOMPARE(poisoned.project.newest().version, std::uint64_t{5});
        QVERIFY(sure(poisoned.project.store().host(poisoned.attacker.id)).quarantine.empty());
    }

    void unitsOnAVersionThatIsGoneAreWithdrawnAndTheirResultsCredited()
    {
        PoisonedProject poisoned;
        auto& project = poisoned.project;
        const auto unit = project.unitIn(project.ask(poisoned.honest)); // on version 4
        sure(poisoned.goBack(poisoned.order()));
        const auto reply = project.ask(poisoned.honest, {unit.id});
        QCOMPARE(reply.withdrawn, std::vector<std::string>{unit.id});
        const auto late =
            sure(project.deliver(poisoned.honest, project.answerTo(poisoned.honest, unit, 20)));
        QCOMPARE(late.state, ResultState::Credited);
        QCOMPARE(late.reason, std::string("the version that it starts from was rolled back"));
    }

    void whatCannotBeReturnedToIsRefused_data()
    {
        QTest::addColumn<int>("version");
        QTest::addColumn<bool>("after");
        QTest::newRow("the newest itself") << 4 << false;
        QTest::newRow("one that is to come") << 40 << false;
        QTest::newRow("one that was rolled back") << 3 << true;
    }
    void whatCannotBeReturnedToIsRefused()
    {
        QFETCH(int, version);
        QFETCH(bool, after);
        PoisonedProject poisoned;
        if (after)
            sure(poisoned.goBack(poisoned.order()));
        const auto newest = poisoned.project.newest().version;
        const auto refused =
            poisoned.goBack({static_cast<std::uint64_t>(version), {}, false, "a test"});
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().kind, ErrorKind::Protocol);
        QCOMPARE(poisoned.project.newest().version, newest);
    }

    void aVersionWhoseFilesAreGoneIsRebuiltFirst()
    {
        PoisonedProject poisoned;
        auto& project = poisoned.project;
        const auto before = parametersOf(project, 2);
        const auto record = sure(project.store().version("sample", 2));
        for (const auto& blob : {record.fragments[0].parameters, *record.fragments[0].exact,
                                 *record.fragments[0].momentum})
            sure(project.blobs().remove(blob.sha256));
        sure(poisoned.goBack(poisoned.order()));
        QVERIFY(parametersOf(project, 5) == before);
        QVERIFY(replayAll(project).back().equal);
    }

    void aRunThatWasFinishedByItGoesOn()
    {
        PoisonedProject poisoned({.totalTokens = 900});
        QCOMPARE(poisoned.project.run().status.state, std::string("finished"));
        sure(poisoned.goBack(poisoned.order()));
        QCOMPARE(poisoned.project.run().status.state, std::string("running"));
    }

    void whoMadeItWorseAloneIsSuspected()
    {
        TableTrial trial;
        const auto result = [](const char* host, std::uint64_t base) {
            ResultRecord record;
            record.id = std::string("r-") + host;
            record.host = host;
            record.baseVersion = base;
            return record;
        };
        const std::vector<ResultRecord> results{result("good", 3), result("bad", 3),
                                                result("bad", 4), result("gone", 4),
                                                result("good", 9)};
        QCOMPARE(findSuspects(results, 0.1, trial), std::vector<std::string>{"bad"});
        QCOMPARE(trial.asked, 3); // each base once
        QVERIFY(findSuspects(results, 1.0, trial).empty());
        QVERIFY(findSuspects({}, 0.1, trial).empty());
    }
};

QTEST_GUILESS_MAIN(RollbackTest)
#include "tst_rollback.moc"
