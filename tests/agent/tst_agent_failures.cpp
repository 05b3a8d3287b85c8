// The agent with everything real but network, clock and training: what goes wrong.
#include "tests/agent/agent_fixture.h"

#include <QTest>

#include <fstream>
#include <set>

using namespace commonweight;
using namespace commonweight::agent;

class TestAgentFailures : public QObject {
    Q_OBJECT

    std::unique_ptr<AgentFixture> m_fixture;

    /// The words that the project was told about a unit; empty when none.
    std::string reasonFor(const std::string& unit) const
    {
        for (const auto& failure : m_fixture->project.failures())
            if (failure.unit == unit)
                return failure.reason;
        return {};
    }

private Q_SLOTS:
    void init()
    {
        m_fixture = std::make_unique<AgentFixture>();
        QVERIFY(m_fixture->start());
    }
    void cleanup() { m_fixture.reset(); }

    // Projects

    void whatIsNotAProjectIsRefusedInASentence_data()
    {
        QTest::addColumn<QString>("address");
        QTest::addColumn<bool>("webPage");
        QTest::addColumn<bool>("down");
        QTest::addColumn<QString>("inError");
        const QString good = QString::fromLatin1(FakeProject::kAddress);
        QTest::newRow("no address")
            << QStringLiteral("  ") << false << false << QStringLiteral("not an address");
        QTest::newRow("nonsense") << QStringLiteral("http://") << false << false
                                  << QStringLiteral("not an address");
        QTest::newRow("a file") << QStringLiteral("file:///etc/passwd") << false << false
                                << QStringLiteral("not an address");
        QTest::newRow("with a password") << QStringLiteral("http://a:b@example.org") << false
                                         << false << QStringLiteral("not an address");
        QTest::newRow("a web site")
            << good << true << false << QStringLiteral("not a Commonweight project");
        QTest::newRow("another path") << good + QStringLiteral("/elsewhere") << false << false
                                      << QStringLiteral("not a Commonweight project");
        QTest::newRow("nobody there") << good << false << true << QStringLiteral("no connection");
    }
    void whatIsNotAProjectIsRefusedInASentence()
    {
        QFETCH(QString, address);
        QFETCH(bool, webPage);
        QFETCH(bool, down);
        QFETCH(QString, inError);
        m_fixture->project.webPage = webPage;
        m_fixture->project.down = down;
        const QString error = m_fixture->attach(address);
        QVERIFY2(error.contains(inError), qPrintable(error));
        QVERIFY(m_fixture->snapshot().projects.empty());
    }

    void anAddressIsCompletedAndTrimmed()
    {
        QCOMPARE(m_fixture->attach(QStringLiteral(" 127.0.0.1:4242/ ")), QString());
        QCOMPARE(m_fixture->snapshot().projects.at(0).address, std::string(FakeProject::kAddress));
        QCOMPARE(m_fixture->attach(), QString()); // the same one again is no second
        QCOMPARE(m_fixture->snapshot().projects.size(), std::size_t{1});
    }

    void aChangedKeyIsNotTrusted()
    {
        auto& f = *m_fixture;
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return !f.project.schedulerCalls().empty(); }));
        f.kill();
        f.project.key = SigningKey::generate();
        f.project.offer(f.project.makeUnit("long"));
        const auto calls = f.project.schedulerCalls().size();
        QVERIFY(f.start());
        QVERIFY(f.until([&] { return f.snapshot().activity == Activity::Attention; }));
        QVERIFY(f.snapshot().projects.at(0).problem.find("key") != std::string::npos);
        QVERIFY(f.attach().contains(QStringLiteral("key")));
        f.clock->advance(std::chrono::hours{2});
        QTest::qWait(300);
        QCOMPARE(f.project.schedulerCalls().size(), calls);
        QVERIFY(f.snapshot().tasks.empty());
    }

    void aUnitWithAWrongSignatureIsRefusedAndReported()
    {
        auto& f = *m_fixture;
        f.project.offerSigned(f.project.makeUnit("long-forged"), SigningKey::generate());
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return reasonFor("long-forged") == "denied"; }));
        QVERIFY(f.logHas("refused"));
        QVERIFY(f.snapshot().tasks.empty());
    }

    void aUnitThatNeedsTooMuchMemoryIsDeclined()
    {
        auto& f = *m_fixture;
        auto unit = f.project.makeUnit("long-huge");
        unit.microBatch = 4096;
        unit.sequenceLength = 65'536;
        unit.model["hidden_size"] = 100'000;
        unit.data = std::vector<work::DataRange>(4096, {0, 0, 65'536});
        unit.stepsAtMost = 1;
        f.project.offer(unit);
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return reasonFor("long-huge") == "declined"; }));
        QVERIFY(f.logHas("of memory"));
    }

    void aUnitWhoseFilesAreTooLargeIsDeclined()
    {
        auto& f = *m_fixture;
        auto unit = f.project.makeUnit("long-fat");
        unit.shards[0].bytes = 11'000'000'000;
        f.project.offer(unit);
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return reasonFor("long-fat") == "declined"; }));
        QVERIFY(f.logHas("disk space"));
    }

    // Trainers

    void aCrashIsRepeatedFromTheCheckpoint()
    {
        auto& f = *m_fixture;
        f.project.offer(f.project.makeUnit("stumble"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.isIn("stumble", TaskState::Committed); }));
        QVERIFY(f.logHas("something terrible"));
        QVERIFY(f.logHas("1 of 3"));
        QVERIFY(f.project.failures().empty());
        QVERIFY(f.snapshot().activity != Activity::Attention);
    }

    void threeStrikesSetTheDeviceAsideUntilItIsTestedAgain_data()
    {
        QTest::addColumn<QString>("unit");
        QTest::newRow("crashes") << QStringLiteral("crash");
        QTest::newRow("diverges") << QStringLiteral("diverge");
        QTest::newRow("delivers nothing") << QStringLiteral("empty");
    }
    void threeStrikesSetTheDeviceAsideUntilItIsTestedAgain()
    {
        QFETCH(QString, unit);
        auto& f = *m_fixture;
        f.project.offer(f.project.makeUnit(unit.toStdString()));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.isIn(unit.toStdString(), TaskState::Failed); }));
        QVERIFY(f.until([&] { return reasonFor(unit.toStdString()) == "device"; }));
        QVERIFY(f.snapshot().activity == Activity::Attention);
        QVERIFY(f.hasBlocker(Reason::DeviceFailed));
        f.project.offer(f.project.makeUnit("finish-after"));
        f.clock->advance(std::chrono::minutes{10});
        QTest::qWait(300);
        QVERIFY(f.task("finish-after").unit.empty());
        f.agent->resume();
        QVERIFY(f.until([&] { return f.isIn("finish-after", TaskState::Committed); }));
        QVERIFY(f.snapshot().activity != Activity::Attention);
    }

    void aFailedSelfTestSetsTheDeviceAsideAtOnceUntilItIsTestedAgain()
    {
        auto& f = *m_fixture;
        f.project.offer(f.project.makeUnit("lie"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.isIn("lie", TaskState::Failed); }));
        QVERIFY(f.until([&] { return reasonFor("lie") == "device"; }));
        QVERIFY(f.hasBlocker(Reason::DeviceFailed));
        QVERIFY(f.snapshot().activity == Activity::Attention);
        QVERIFY(f.logHas("failed its self-test and is set aside"));
        QVERIFY(!f.logHas("1 of 3"));
        f.project.offer(f.project.makeUnit("finish-after"));
        f.agent->resume();
        QVERIFY(f.until([&] { return f.isIn("finish-after", TaskState::Committed); }));
    }

    void aTrainerThatCannotBeConfinedWaitsForThePerson()
    {
        auto& f = *m_fixture;
        f.options.trainer = f.trainerNamed("unconfined");
        QVERIFY(f.start());
        f.project.offer(f.project.makeUnit("finish-confined"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.hasBlocker(Reason::NotConfined); }));
        QVERIFY(f.snapshot().activity == Activity::Attention);
        QVERIFY(f.logHas("not confined: a test's kernel"));
        QVERIFY(!f.logHas("1 of 3"));
        f.clock->advance(std::chrono::minutes{10});
        QTest::qWait(300);
        QVERIFY(f.hasBlocker(Reason::NotConfined));
        QVERIFY(f.task("finish-confined").state != TaskState::Committed);

        auto preferences = f.snapshot().preferences;
        preferences.allowUnconfined = true;
        QVERIFY(f.agent->setPreferences(preferences).ok());
        QVERIFY(f.until([&] { return f.isIn("finish-confined", TaskState::Committed); }));
        QVERIFY(f.snapshot().activity != Activity::Attention);
    }

    void aHangingTrainerIsKilledAndStartedAgain()
    {
        auto& f = *m_fixture;
        f.timeouts.silence = Seconds{200};
        QVERIFY(f.start());
        f.project.offer(f.project.makeUnit("hang"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.isIn("hang", TaskState::Failed); }, 90'000));
        QVERIFY(f.logHas("nothing was heard"));
        QCOMPARE(reasonFor("hang").empty() ? std::string("device") : reasonFor("hang"),
                 std::string("device"));
    }

    void aUnitThatCannotBeRunIsGivenBackWithoutAStrike_data()
    {
        QTest::addColumn<QString>("unit");
        QTest::addColumn<QString>("reason");
        QTest::newRow("unknown codec") << QStringLiteral("refuse") << QStringLiteral("protocol");
        QTest::newRow("the round closed") << QStringLiteral("close") << QStringLiteral("conflict");
        QTest::newRow("blobs damaged again and again")
            << QStringLiteral("hole") << QStringLiteral("corrupt");
    }
    void aUnitThatCannotBeRunIsGivenBackWithoutAStrike()
    {
        QFETCH(QString, unit);
        QFETCH(QString, reason);
        auto& f = *m_fixture;
        f.project.offer(f.project.makeUnit(unit.toStdString()));
        f.project.offer(f.project.makeUnit("finish-next"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return reasonFor(unit.toStdString()) == reason.toStdString(); }));
        QVERIFY(f.until([&] { return f.isIn("finish-next", TaskState::Committed); }));
        QVERIFY(!f.logHas("of 3"));
    }

    void withoutATrainerThereIsASentence()
    {
        auto& f = *m_fixture;
        f.options.trainer = "/nowhere/at/all";
        QVERIFY(f.start());
        QVERIFY(f.until([&] { return f.logHas("the trainer cannot be started"); }));
        f.kill();
    }

    // Blobs

    void aDamagedBlobIsFetchedAgainAndThenGivenBack()
    {
        auto& f = *m_fixture;
        f.project.damageBlobs = true;
        f.project.offer(f.project.makeUnit("finish-1"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return reasonFor("finish-1") == "corrupt"; }));
        f.project.damageBlobs = false;
        f.project.offer(f.project.makeUnit("finish-2"));
        QVERIFY(f.until([&] { return f.isIn("finish-2", TaskState::Committed); }));
    }

    void aCacheThatWasDeletedIsFilledAgain()
    {
        auto& f = *m_fixture;
        f.project.offer(f.project.makeUnit("long"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.task("long").step > 3; }));
        f.kill();
        std::filesystem::remove_all(f.folder() / "data" / "blobs");
        QVERIFY(f.start());
        QVERIFY(f.until([&] { return f.isIn("long", TaskState::Running); }));
        QVERIFY(!std::filesystem::is_empty(f.folder() / "data" / "blobs"));
    }

    // The server

    void aServerThatVanishesIsWaitedFor()
    {
        auto& f = *m_fixture;
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return !f.project.schedulerCalls().empty(); }));
        f.project.down = true;
        QVERIFY(f.until([&] { return f.hasBlocker(Reason::ServerUnreachable); }));
        QVERIFY(!f.snapshot().projects.at(0).problem.empty());
        f.project.down = false;
        f.project.offer(f.project.makeUnit("finish-1"));
        QVERIFY(f.until([&] { return f.isIn("finish-1", TaskState::Committed); }));
        QVERIFY(f.snapshot().projects.at(0).problem.empty());
    }

    void trainingGoesOnWhileTheServerIsAway()
    {
        auto& f = *m_fixture;
        f.project.offer(f.project.makeUnit("long"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.task("long").step > 3; }));
        f.project.down = true;
        f.clock->advance(std::chrono::hours{3});
        const auto step = f.task("long").step;
        QVERIFY(f.until([&] { return f.task("long").step > step + 10; }));
        QVERIFY(f.snapshot().activity == Activity::Training);
    }

    void aLostAnswerToACommitDoesNotCountTwice()
    {
        auto& f = *m_fixture;
        f.project.loseCommits = 2;
        f.project.offer(f.project.makeUnit("finish-1"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.isIn("finish-1", TaskState::Committed); }));
        const auto results = f.project.results();
        QCOMPARE(results.size(), std::size_t{3});
        std::set<std::string> ids;
        for (const auto& result : results)
            ids.insert(result["id"].get<std::string>());
        QCOMPARE(ids.size(), std::size_t{1});
        QCOMPARE(f.project.uploads(), std::size_t{1});
        QCOMPARE(f.snapshot().contribution.units, std::uint64_t{1});
    }

    void aBrokenUploadGoesOnWhereItWas()
    {
        auto& f = *m_fixture;
        f.project.breakPatches = 3;
        f.project.offer(f.project.makeUnit("finish-1"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.project.uploads() == 1; }));
        QVERIFY(f.start()); // killed in the middle, too
        QVERIFY(f.until([&] { return f.isIn("finish-1", TaskState::Committed); }));
        QCOMPARE(f.project.uploads(), std::size_t{1});
        const auto results = f.project.results();
        QCOMPARE(f.project.uploadedBytes(),
                 results[0]["outer_gradients"][0]["bytes"].get<std::size_t>()); // no byte twice
    }

    void aResultThatIsNoLongerWantedIsDropped()
    {
        auto& f = *m_fixture;
        f.project.refuseCommits = 409;
        f.project.offer(f.project.makeUnit("finish-1"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.isIn("finish-1", TaskState::Obsolete); }));
        QVERIFY(
            f.until([&] { return !std::filesystem::exists(f.folder() / "data" / "slots" / "0"); }));
        QCOMPARE(f.snapshot().contribution.units, std::uint64_t{0});
    }

    void aResultIsKeptWhileTheServerIsInTrouble()
    {
        auto& f = *m_fixture;
        f.project.refuseCommits = 503;
        f.project.offer(f.project.makeUnit("finish-1"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.isIn("finish-1", TaskState::Uploading); }));
        f.clock->advance(std::chrono::hours{24 * 30});
        QTest::qWait(300);
        QVERIFY(f.isIn("finish-1", TaskState::Uploading));
        f.project.refuseCommits = 0;
        QVERIFY(f.until([&] { return f.isIn("finish-1", TaskState::Committed); }));
    }

    // State

    void aSecondAgentOnTheSameFolderIsRefused()
    {
        auto& f = *m_fixture;
        AgentParts parts;
        parts.transport = std::make_unique<transfer::FakeTransport>();
        parts.clock = f.clock;
        const auto second = Agent::createWith(f.options, std::move(parts));
        QVERIFY(!second);
        QVERIFY(second.error().kind == ErrorKind::Conflict);
        QVERIFY2(second.error().message.find("already in use") != std::string::npos,
                 second.error().message.c_str());
    }

    void damagedSettingsAreReplacedByTheDefaults()
    {
        auto& f = *m_fixture;
        f.kill();
        {
            const auto store = AgentStore::open(f.folder() / "state" / "agent.sqlite");
            QVERIFY((*store)->putSetting("pause", "nonsense"));
        }
        std::ofstream(f.folder() / "state" / "settings.json") << R"({"idle_minutes": -4})";
        QVERIFY(f.start());
        QCOMPARE(f.snapshot().preferences.idleMinutes, 5);
        QVERIFY(f.logHas("'idle_minutes' must be a whole number from 1 to 240"));
        QVERIFY(!f.snapshot().pause.active);
    }

    void aDamagedTaskIsGivenBack()
    {
        auto& f = *m_fixture;
        f.project.offer(f.project.makeUnit("long"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.task("long").step > 3; }));
        f.kill();
        {
            auto database = SqliteDatabase::open(f.folder() / "state" / "agent.sqlite");
            QVERIFY(database);
            QVERIFY(database->run("UPDATE tasks SET envelope='{\"unit\":'"));
        }
        QVERIFY(f.start());
        QVERIFY(f.isIn("long", TaskState::Failed));
        QVERIFY(f.until([&] { return reasonFor("long") == "corrupt"; }));
    }

    void leftoverSlotsAreSwept()
    {
        auto& f = *m_fixture;
        f.kill();
        std::filesystem::create_directories(f.folder() / "data" / "slots" / "17" / "out");
        std::ofstream(f.folder() / "data" / "slots" / "17" / "unit.json") << "{}";
        QVERIFY(f.start());
        QVERIFY(!std::filesystem::exists(f.folder() / "data" / "slots" / "17"));
    }
};

QTEST_GUILESS_MAIN(TestAgentFailures)
#include "tst_agent_failures.moc"
