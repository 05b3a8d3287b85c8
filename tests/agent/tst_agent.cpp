// The agent with everything real but network, clock and training: what goes right.
#include "tests/agent/agent_fixture.h"

#include <QTest>

using namespace commonweight;
using namespace commonweight::agent;

class TestAgent : public QObject {
    Q_OBJECT

    std::unique_ptr<AgentFixture> m_fixture;

    /// Has never enough steps to be delivered before its end.
    work::WorkUnit longUnit() const
    {
        auto unit = m_fixture->project.makeUnit("long");
        unit.data = {{0, 0, 8 * 100'000}};
        unit.stepsAtMost = unit.stepsAtLeast = 100'000;
        return unit;
    }

private Q_SLOTS:
    void init()
    {
        m_fixture = std::make_unique<AgentFixture>();
        const auto started = m_fixture->start();
        QVERIFY2(started.ok(), started.ok() ? "" : started.error().message.c_str());
    }
    void cleanup()
    {
        QVERIFY2(m_fixture->project.badRequests().empty(),
                 m_fixture->project.badRequests().c_str());
        m_fixture.reset();
    }

    void nothingRunsBeforeAProjectIsChosen()
    {
        auto& f = *m_fixture;
        QVERIFY(f.until([&] { return !f.snapshot().devices.empty(); }));
        QVERIFY(f.snapshot().activity == Activity::Unattached);
        QVERIFY(f.snapshot().blockers.at(0).reason == Reason::NotAttached);
        QCOMPARE(f.snapshot().devices.at(0).name, std::string("Fake processor"));
        QCOMPARE(f.snapshot().idleSource, std::string("a test"));
    }

    void aUnitIsTrainedSentAndCounted()
    {
        auto& f = *m_fixture;
        f.project.offer(f.project.makeUnit("finish-1"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.isIn("finish-1", TaskState::Committed); }));
        const auto results = f.project.results();
        QCOMPARE(results.size(), std::size_t{1});
        QCOMPARE(results[0]["unit"].get<std::string>(), std::string("finish-1"));
        QCOMPARE(results[0]["host"].get<std::string>(), f.project.host());
        QVERIFY(f.project.blob(results[0]["outer_gradients"][0]["sha256"].get<std::string>())
                    .starts_with("finish-1 gradient"));
        const auto& snapshot = f.snapshot();
        QCOMPARE(snapshot.contribution.units, std::uint64_t{1});
        QCOMPARE(snapshot.contribution.tokens, std::uint64_t{50});
        QVERIFY(f.until([&] { return f.snapshot().projects.at(0).run.tokensMerged == 1000; }));
        QCOMPARE(f.snapshot().contribution.shareOfModel, 0.05);
        QVERIFY(
            f.until([&] { return !std::filesystem::exists(f.folder() / "data" / "slots" / "0"); }));
        // The speed that was measured is told with the next call.
        QVERIFY(f.until([&] {
            return f.project.schedulerCalls().back().devices.at(0).tokensPerSecond == 1000;
        }));
    }

    void theSpeedThatIsToldCountsTheRests()
    {
        auto& f = *m_fixture;
        Preferences preferences = f.snapshot().preferences;
        preferences.dutyCycle = 0.5;
        QVERIFY(f.agent->setPreferences(preferences));
        f.project.offer(f.project.makeUnit("finish-1"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.isIn("finish-1", TaskState::Committed); }));
        // 1000 tokens a second while it computes, half of the time.
        QVERIFY(f.until([&] {
            return f.project.schedulerCalls().back().devices.at(0).tokensPerSecond == 500;
        }));
    }

    void oneUnitTrainsWhileTheOneBeforeIsSent()
    {
        auto& f = *m_fixture;
        f.project.holdPatches = true;
        f.project.offer(f.project.makeUnit("finish-1"));
        f.project.offer(f.project.makeUnit("long-2"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.isIn("finish-1", TaskState::Uploading); }));
        // The server has no connection for uploads, which also delays the next question; it comes
        // back now and then.
        QVERIFY(f.until([&] {
            return f.isIn("long-2", TaskState::Running) && f.isIn("finish-1", TaskState::Uploading);
        }));
        QVERIFY(std::filesystem::exists(f.folder() / "data" / "slots" / "1"));
        f.project.holdPatches = false;
        QVERIFY(f.until([&] { return f.isIn("finish-1", TaskState::Committed); }));
        QVERIFY(f.isIn("long-2", TaskState::Running));
    }

    void theUserComesBackAndGoes()
    {
        auto& f = *m_fixture;
        f.project.offer(longUnit());
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.task("long").step > 3; }));
        QVERIFY(f.snapshot().activity == Activity::Training);
        *f.sinceInput = 0;
        QVERIFY(f.until([&] { return f.isIn("long", TaskState::Paused); }));
        QVERIFY(f.snapshot().activity == Activity::Paused);
        QVERIFY(f.hasBlocker(Reason::UserActive));
        const auto step = f.task("long").step;
        *f.sinceInput = 1e6;
        QVERIFY(f.until(
            [&] { return f.isIn("long", TaskState::Running) && f.task("long").step > step; }));
    }

    void aTrainerWithNothingToDoIsEndedAfterAWhileAndStartedAgain()
    {
        auto& f = *m_fixture;
        f.project.offer(longUnit());
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.task("long").step > 3; }));
        *f.sinceInput = 0;
        QVERIFY(f.until([&] { return f.isIn("long", TaskState::Paused); }));
        const auto step = f.task("long").step;
        f.clock->advance(std::chrono::minutes{2});
        QTest::qWait(300);
        *f.sinceInput = 1e6;
        QVERIFY(f.until([&] { return f.task("long").step > step; }));
        QVERIFY(!f.logHas("failed"));
    }

    void aTimedPauseSurvivesARestartAndEnds()
    {
        auto& f = *m_fixture;
        f.project.offer(f.project.makeUnit("long"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.task("long").step > 3; }));
        const auto end = f.clock->wall() + std::chrono::minutes{15};
        f.agent->pauseUntil(end);
        QVERIFY(f.until([&] { return f.isIn("long", TaskState::Paused); }));
        QVERIFY(f.hasBlocker(Reason::PausedByUser));
        QVERIFY(f.start());
        QVERIFY(f.snapshot().pause.active);
        QVERIFY(f.snapshot().pause.until == end);
        QVERIFY(f.until([&] { return f.hasBlocker(Reason::PausedByUser); }));
        f.clock->advance(std::chrono::minutes{16});
        QVERIFY(f.until([&] { return f.isIn("long", TaskState::Running); }));
        QVERIFY(!f.snapshot().pause.active);
    }

    void aClockSetBackDoesNotLengthenAPause()
    {
        auto& f = *m_fixture;
        f.agent->pauseUntil(f.clock->wall() + std::chrono::minutes{15});
        f.clock->jumpWall(std::chrono::hours{-24 * 30});
        f.clock->advance(std::chrono::minutes{16});
        QVERIFY(f.until([&] { return !f.snapshot().pause.active; }));
    }

    void aPauseWithoutAnEndIsEndedByResume()
    {
        auto& f = *m_fixture;
        f.agent->pauseUntil(std::nullopt);
        f.clock->advance(std::chrono::hours{1000});
        QVERIFY(f.until([&] { return f.snapshot().pause.active; }));
        f.agent->resume();
        QVERIFY(!f.snapshot().pause.active);
        QVERIFY(f.start());
        QVERIFY(!f.snapshot().pause.active);
    }

    void preferencesAreCheckedAndKept()
    {
        auto& f = *m_fixture;
        Preferences preferences = f.snapshot().preferences;
        preferences.idleMinutes = 12;
        preferences.devices["cpu"].enabled = false;
        QVERIFY(f.agent->setPreferences(preferences));
        preferences.idleMinutes = 0;
        const auto refused = f.agent->setPreferences(preferences);
        QVERIFY(!refused);
        QVERIFY(refused.error().kind == ErrorKind::Protocol);
        QVERIFY(f.start());
        QCOMPARE(f.snapshot().preferences.idleMinutes, 12);
        QVERIFY(!f.snapshot().preferences.devices.at("cpu").enabled);
    }

    void aDeviceThatIsSwitchedOffAsksForNothing()
    {
        auto& f = *m_fixture;
        Preferences preferences = f.snapshot().preferences;
        preferences.devices["cpu"].enabled = false;
        QVERIFY(f.agent->setPreferences(preferences));
        f.project.offer(f.project.makeUnit("long"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.hasBlocker(Reason::SwitchedOff); }));
        f.clock->advance(std::chrono::minutes{5});
        QTest::qWait(200);
        QVERIFY(f.snapshot().tasks.empty());
        preferences.devices["cpu"].enabled = true;
        QVERIFY(f.agent->setPreferences(preferences));
        QVERIFY(f.until([&] { return f.isIn("long", TaskState::Running); }));
    }

    void theTrainerGetsTheSettings()
    {
        auto& f = *m_fixture;
        Preferences preferences = f.snapshot().preferences;
        preferences.processorThreads = 3;
        preferences.dutyCycle = 0.5;
        preferences.checkpointSeconds = 77;
        QVERIFY(f.agent->setPreferences(preferences));
        f.project.offer(f.project.makeUnit("long"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.task("long").step > 0; }));
        QFile file(QString::fromStdString(
            (f.folder() / "data" / "slots" / "0" / "command.json").string()));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto command = work::commandFromLine(file.readAll().toStdString());
        QVERIFY(command);
        const auto& run = std::get<work::RunCommand>(*command);
        QCOMPARE(run.threads, 3);
        QCOMPARE(run.dutyCycle, 0.5);
        QCOMPARE(run.checkpointSeconds, 77.0);
        QCOMPARE(run.device, std::string("cpu"));
    }

    void aPassedSelfTestIsRememberedAcrossTrainersAndRestarts()
    {
        auto& f = *m_fixture;
        f.options.checkAgainst = "loops";
        QVERIFY(f.start());
        const auto commandIn = [&](const std::string& unit) -> std::optional<work::RunCommand> {
            f.project.offer(f.project.makeUnit(unit));
            if (!f.until([&] { return f.task(unit).step > 0; }))
                return std::nullopt;
            for (const char* slot : {"0", "1"}) {
                QFile file(QString::fromStdString(
                    (f.folder() / "data" / "slots" / slot / "command.json").string()));
                if (!file.open(QIODevice::ReadOnly))
                    continue;
                const auto command = work::commandFromLine(file.readAll().toStdString());
                if (command)
                    return std::get<work::RunCommand>(*command);
            }
            return std::nullopt;
        };
        QCOMPARE(f.attach(), QString());
        const auto first = commandIn("long-1");
        QVERIFY(first);
        QCOMPARE(first->testedAs, std::string());
        QCOMPARE(first->checkAgainst, std::string("loops"));
        f.kill();
        QVERIFY(f.start());
        f.agent->abandon(QStringLiteral("long-1"));
        const auto second = commandIn("long-2");
        QVERIFY(second);
        QCOMPARE(second->testedAs, std::string("a good device"));
    }

    void aWrongClockHereIsCorrectedByTheServers_data()
    {
        QTest::addColumn<int>("serverIsAhead");
        QTest::newRow("an hour behind") << 3600;
        QTest::newRow("a month ahead") << -30 * 86'400;
    }
    void aWrongClockHereIsCorrectedByTheServers()
    {
        QFETCH(int, serverIsAhead);
        auto& f = *m_fixture;
        f.project.aheadSeconds = serverIsAhead; // signatures must be fresh by the server's clock
        f.project.offer(f.project.makeUnit("long"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.task("long").step > 0; }));
        QFile file(QString::fromStdString(
            (f.folder() / "data" / "slots" / "0" / "command.json").string()));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto command = work::commandFromLine(file.readAll().toStdString());
        QVERIFY(command);
        const double keptFree = std::get<work::RunCommand>(*command).uploadSeconds;
        QVERIFY2(std::abs(keptFree - serverIsAhead) < 10, std::to_string(keptFree).c_str());
    }

    void aKilledAgentGoesOnWithEachTask()
    {
        auto& f = *m_fixture;
        f.project.offer(f.project.makeUnit("long"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.task("long").step > 5; }));
        const auto step = f.task("long").step;
        for (int round = 0; round < 3; ++round) {
            QVERIFY(f.start());
            QVERIFY(f.isIn("long", TaskState::Paused));
            QVERIFY(f.until(
                [&] { return f.isIn("long", TaskState::Running) && f.task("long").step > step; }));
        }
        // It is still the same unit for the project: never given back, never asked for again.
        QVERIFY(f.project.failures().empty());
        QCOMPARE(f.project.schedulerCalls().back().running.at(0).unit, std::string("long"));
    }

    void aResultThatWasReadyBeforeTheKillIsSentWithoutTraining()
    {
        auto& f = *m_fixture;
        f.project.offer(f.project.makeUnit("finish-1"));
        f.project.holdPatches = true;
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.isIn("finish-1", TaskState::Uploading); }));
        f.kill();
        f.project.holdPatches = false;
        f.options.trainer = "/nowhere/at/all";
        QVERIFY(f.start());
        QVERIFY(f.until([&] { return f.isIn("finish-1", TaskState::Committed); }));
        QCOMPARE(f.snapshot().contribution.units, std::uint64_t{1});
    }

    void aWithdrawnUnitIsDropped()
    {
        auto& f = *m_fixture;
        f.project.offer(f.project.makeUnit("long"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.task("long").step > 3; }));
        f.project.withdraw("long");
        f.project.offer(f.project.makeUnit("finish-2"));
        QVERIFY(f.until([&] { return f.isIn("long", TaskState::Obsolete); }));
        QVERIFY(f.until([&] { return f.isIn("finish-2", TaskState::Committed); }));
        QVERIFY(f.project.failures().empty());
    }

    void aUnitIsHandedBack()
    {
        auto& f = *m_fixture;
        f.project.offer(f.project.makeUnit("long"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.task("long").step > 3; }));
        f.agent->abandon(QStringLiteral("long"));
        QVERIFY(f.isIn("long", TaskState::Failed));
        QVERIFY(f.until([&] { return f.project.failures().size() == 1; }));
        QCOMPARE(f.project.failures()[0].reason, std::string("declined"));
        QVERIFY(
            f.until([&] { return !std::filesystem::exists(f.folder() / "data" / "slots" / "0"); }));
        f.clock->advance(std::chrono::minutes{1});
        QTest::qWait(200);
        QCOMPARE(f.project.failures().size(), std::size_t{1}); // told once
    }

    void leavingAProjectEndsItsWork()
    {
        auto& f = *m_fixture;
        f.project.offer(f.project.makeUnit("long"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.task("long").step > 3; }));
        f.agent->detach(QString::fromLatin1(FakeProject::kAddress));
        QVERIFY(f.snapshot().projects.empty());
        QVERIFY(f.snapshot().tasks.empty());
        QVERIFY(
            f.until([&] { return !std::filesystem::exists(f.folder() / "data" / "slots" / "0"); }));
        QVERIFY(f.start());
        QVERIFY(f.snapshot().projects.empty());
        QCOMPARE(f.attach(), QString()); // and it may be joined again
    }

    void stoppingKeepsTheWorkAndSaysSo()
    {
        auto& f = *m_fixture;
        f.project.offer(f.project.makeUnit("long"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.task("long").step > 3; }));
        bool stopped = false;
        QObject::connect(f.agent.get(), &Agent::stopped, [&] { stopped = true; });
        f.agent->stop();
        QVERIFY(f.until([&] { return stopped; }));
        QVERIFY(f.start());
        QVERIFY(f.isIn("long", TaskState::Paused));
    }

    void changesAreToldAtMostFourTimesASecond()
    {
        auto& f = *m_fixture;
        int changes = 0;
        QObject::connect(f.agent.get(), &Agent::changed, [&] { ++changes; });
        f.project.offer(f.project.makeUnit("long"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.task("long").step > 3; }));
        changes = 0;
        QElapsedTimer timer;
        timer.start();
        QTest::qWait(1500);
        QVERIFY(changes > 0);
        QVERIFY(changes <= static_cast<int>(timer.elapsed() / 250 + 1));
    }
};

QTEST_GUILESS_MAIN(TestAgent)
#include "tst_agent.moc"
