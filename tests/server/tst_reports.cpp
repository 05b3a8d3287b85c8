// What the operator's tool says about data, hosts and versions.

#include "server/project/reports.h"
#include "server/sync/rollback.h"
#include "tests/server/sample_rounds.h"

#include <algorithm>
#include <fstream>
#include <set>

using namespace commonweight;
using namespace commonweight::server;

class ReportsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void leasesAreCountedByStateEpochAndHost()
    {
        SampleProject project({.shards = 1, .lanesPerShard = 10});
        const auto host = project.volunteer("Ada"), other = project.volunteer("Ben");
        // Ten lanes an epoch, eight for a unit: the second round goes into the second epoch.
        playRound(project, {host}, 0.01F);
        playRound(project, {host}, 0.01F);
        const auto unit = project.unitIn(project.ask(other));
        auto opened = sure(openProject({project.folder(), {}, {}}));
        const auto all = sure(leasesJson(opened));
        QCOMPARE(all["lanes_per_epoch"].get<int>(), 10);
        QCOMPARE(dumpJson(all["totals"]), std::string(R"({"free":0,"leased":8,"merged":16})"));
        QCOMPARE(all["epochs"].size(), std::size_t{3});
        QCOMPARE(dumpJson(all["epochs"][0]),
                 std::string(R"({"epoch":0,"free":0,"leased":0,"merged":10,"untouched":0})"));
        QCOMPARE(dumpJson(all["epochs"][2]),
                 std::string(R"({"epoch":2,"free":0,"leased":4,"merged":0,"untouched":6})"));
        QCOMPARE(all["hosts"].size(), std::size_t{2});

        const auto leased = sure(leasesJson(opened, {.state = "leased", .host = {}, .epoch = {}}));
        for (const auto& row : leased["leases"])
            QCOMPARE(row["unit"].get<std::string>(), unit.id);
        QCOMPARE(leased["totals"]["merged"].get<int>(), 0);
        const auto second = sure(leasesJson(opened, {.state = {}, .host = {}, .epoch = 1}));
        QCOMPARE(dumpJson(second["totals"]), std::string(R"({"free":0,"leased":4,"merged":6})"));
        const auto mine = sure(leasesJson(opened, {.state = {}, .host = host.id, .epoch = {}}));
        QCOMPARE(dumpJson(mine["totals"]), std::string(R"({"free":0,"leased":0,"merged":16})"));
        const auto text = leasesText(all);
        QVERIFY(text.find("epoch 1: merged 6, leased 4, free 0") != std::string::npos);
        QVERIFY(text.find("host " + other.id + ": merged 0, leased 8") != std::string::npos);
    }

    void noTextIsHeldTwiceWithinAnEpoch()
    {
        SampleProject project({.shards = 1, .lanesPerShard = 30, .stepsAtMost = 5});
        std::vector<Volunteer> hosts;
        for (int i = 0; i < 5; ++i)
            hosts.push_back(project.volunteer());
        // Some report, some report half, some never come back.
        for (int round = 0; round < 12; ++round) {
            for (std::size_t i = 0; i < hosts.size(); ++i) {
                const auto reply = project.ask(hosts[i]);
                if (reply.units.empty() || (round + static_cast<int>(i)) % 4 == 0)
                    continue;
                const auto unit = project.unitIn(reply);
                const auto steps = i % 2 == 0 ? unit.stepsAtMost : 3;
                sure(project.deliver(hosts[i], project.answerTo(hosts[i], unit, steps)));
            }
            project.clock.advance(std::chrono::seconds(130));
            sure(project.syncer->tick());
            QCOMPARE(leaseProblem(project.store(), "sample"), std::string());
        }
        auto opened = sure(openProject({project.folder(), {}, {}}));
        std::set<std::pair<int, int>> merged;
        const auto found = sure(leasesJson(opened, {.state = "merged", .host = {}, .epoch = {}}));
        for (const auto& row : found["leases"])
            for (int i = 0; i < row["count"].get<int>(); ++i)
                QVERIFY(
                    merged.insert({row["epoch"].get<int>(), row["first"].get<int>() + i}).second);
        QVERIFY2(merged.size() > 30, std::to_string(merged.size()).c_str()); // over one epoch
    }

    void anotherEpochIsAnotherOrder()
    {
        SampleProject project({.shards = 1, .lanesPerShard = 8});
        const auto host = project.volunteer();
        std::vector<std::vector<work::DataRange>> epochs;
        for (int round = 0; round < 3; ++round) {
            const auto unit = project.unitIn(project.ask(host));
            epochs.push_back(unit.data);
            sure(project.deliver(host, project.answerTo(host, unit, unit.stepsAtMost)));
            QCOMPARE(sure(project.syncer->tick()), 1);
        }
        QVERIFY(epochs[0] != epochs[1]);
        QVERIFY(epochs[1] != epochs[2]);
        const auto sorted = [](std::vector<work::DataRange> lanes) {
            std::sort(lanes.begin(), lanes.end(),
                      [](const auto& a, const auto& b) { return a.firstToken < b.firstToken; });
            return lanes;
        };
        QVERIFY(sorted(epochs[0]) == sorted(epochs[1]));
    }

    void lookingDisturbsNoServerThatWrites()
    {
        SampleProject project;
        const auto folder = ProjectFolder{project.folder()}.blobs() / "ab";
        std::filesystem::create_directories(folder);
        const auto halfWritten = folder / "abcd.tmp";
        std::ofstream(halfWritten) << "half of it";
        QVERIFY(openProject({project.folder(), {}, {}}).ok());
        QVERIFY(std::filesystem::exists(halfWritten));
        project.reopen(); // what a server does at its start
        QVERIFY(!std::filesystem::exists(halfWritten));
    }

    void hostsAndRollbacksAreShown()
    {
        SampleProject project;
        const auto host = project.volunteer("Ada"), attacker = project.volunteer("Mallory");
        playRound(project, {host}, 0.01F);
        playRound(project, {host, attacker}, 0.02F);
        sure(rollBack(project.store(), project.blobs(), project.clock, project.run(),
                      {1, {attacker.id}, true, "the loss was too high"}));
        auto opened = sure(openProject({project.folder(), {}, {}}));
        const auto hosts = sure(hostsJson(opened));
        QCOMPARE(hosts["hosts"].size(), std::size_t{2});
        for (const auto& each : hosts["hosts"]) // one merged unit was rolled back, two stayed
            QCOMPARE(each["trust"].get<double>(), each["host"] == host.id ? 0.4 : 0.25);
        QVERIFY(hostsText(hosts).find("in quarantine: the loss was too high") != std::string::npos);
        const auto status = sure(statusJson(opened));
        QCOMPARE(status["rollbacks"][0]["restored"].get<int>(), 1);
        QCOMPARE(dumpJson(status["quarantined"]), "[\"" + attacker.id + "\"]");
        const auto text = statusText(status);
        QVERIFY(text.find("version 3 is version 1 again: the loss was too high") !=
                std::string::npos);
        QVERIFY(text.find("1 host(s)") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(ReportsTest)
#include "tst_reports.moc"
