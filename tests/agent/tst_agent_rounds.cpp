// The agent's part in rounds that nobody waits for: partial results, the next unit just in time,
// units that continue and move onto newer versions.
#include "engine/agent/reason_text.h"
#include "engine/base/atomic_file.h"
#include "tests/agent/agent_fixture.h"

#include <QTest>

using namespace commonweight;
using namespace commonweight::agent;

class TestAgentRounds : public QObject {
    Q_OBJECT

    std::unique_ptr<AgentFixture> m_fixture;

    work::WorkUnit unitOf(const char* name, std::uint64_t stepsAtLeast, bool mayShift = false) const
    {
        auto unit = m_fixture->project.makeUnit(name);
        unit.data = {{0, 0, 8 * 100'000}};
        unit.stepsAtMost = 100'000;
        unit.stepsAtLeast = stepsAtLeast;
        unit.mayShift = mayShift;
        unit.closesAt = m_fixture->clock->wall() + std::chrono::hours{10};
        unit.deadline = unit.closesAt + std::chrono::hours{1};
        return unit;
    }
    std::filesystem::path slot(int number) const
    {
        return m_fixture->folder() / "data" / "slots" / std::to_string(number);
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

    void aPauseThatOutlastsTheTrainerDeliversWhatCounts()
    {
        auto& f = *m_fixture;
        f.project.offer(unitOf("long", 3));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.task("long").step > 5; }));
        *f.sinceInput = 0;
        QVERIFY(f.until([&] { return f.isIn("long", TaskState::Paused); }));
        f.clock->advance(std::chrono::minutes{2});
        QVERIFY(f.until([&] { return f.isIn("long", TaskState::Committed); }));
        QVERIFY(f.project.results().at(0)["steps_done"].get<int>() > 5);
        QVERIFY(!f.logHas("failed"));
    }

    void aPauseThatOutlastsTheRoundDeliversAtItsEnd()
    {
        auto& f = *m_fixture;
        auto unit = unitOf("long", 3);
        unit.closesAt = f.clock->wall() + std::chrono::minutes{30};
        f.project.offer(unit);
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.task("long").step > 5; }));
        *f.sinceInput = 0;
        QVERIFY(f.until([&] { return f.isIn("long", TaskState::Paused); }));
        f.clock->jumpWall(std::chrono::minutes{40}); // only the wall clock: the pause is short
        QVERIFY(f.until([&] { return f.isIn("long", TaskState::Committed); }));
    }

    void tooFewStepsStayOnTheDisk()
    {
        auto& f = *m_fixture;
        f.project.offer(unitOf("long", 100'000));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.task("long").step > 5; }));
        *f.sinceInput = 0;
        QVERIFY(f.until([&] { return f.isIn("long", TaskState::Paused); }));
        const auto step = f.task("long").step;
        f.clock->advance(std::chrono::minutes{2});
        QTest::qWait(300);
        QVERIFY(f.isIn("long", TaskState::Paused));
        *f.sinceInput = 1e6;
        QVERIFY(f.until([&] { return f.task("long").step > step; }));
        QVERIFY(f.project.results().empty());
    }

    void aPauseThatTheUserAskedForDeliversNothing()
    {
        auto& f = *m_fixture;
        f.project.offer(unitOf("long", 3));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.task("long").step > 5; }));
        f.agent->pauseUntil(std::nullopt);
        QVERIFY(f.until([&] { return f.isIn("long", TaskState::Paused); }));
        f.clock->advance(std::chrono::minutes{2});
        QTest::qWait(300);
        QVERIFY(f.isIn("long", TaskState::Paused));
        f.agent->resume();
        QVERIFY(f.until([&] { return f.isIn("long", TaskState::Running); }));
    }

    void theNextUnitIsThereBeforeThisOneEnds()
    {
        auto& f = *m_fixture;
        f.project.offer(unitOf("long-soon-1", 3));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.isIn("long-soon-1", TaskState::Running); }));
        f.project.offer(unitOf("long-soon-2", 3));
        f.project.offer(unitOf("long-soon-3", 3));
        QVERIFY(f.until([&] { return f.isIn("long-soon-2", TaskState::Ready); }));
        QVERIFY(f.isIn("long-soon-1", TaskState::Running));
        QVERIFY(f.project.schedulerCalls().back().running.at(0).sending);
        // One ahead is enough.
        QTest::qWait(300);
        QCOMPARE(f.task("long-soon-3").unit, std::string());
        f.project.withdraw("long-soon-1");
        f.clock->advance(std::chrono::minutes{1});
        QVERIFY(f.until([&] { return f.isIn("long-soon-2", TaskState::Running); }));
    }

    void aUnitThatHasLongToGoIsNotFollowedYet()
    {
        auto& f = *m_fixture;
        f.project.offer(unitOf("long", 3));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.task("long").step > 5; }));
        f.project.offer(unitOf("long-2", 3));
        f.clock->advance(std::chrono::seconds{30});
        QTest::qWait(500);
        QCOMPARE(f.task("long-2").unit, std::string());
        for (const auto& call : f.project.schedulerCalls())
            for (const auto& running : call.running)
                QVERIFY(!running.sending);
    }

    void aUnitThatMayShiftBeginsWhereTheLastOneEnded()
    {
        auto& f = *m_fixture;
        f.project.holdPatches = true; // the slow uplink
        f.project.offer(f.project.makeUnit("finish-1"));
        f.project.offer(unitOf("long-2", 3, true));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.isIn("long-2", TaskState::Running); }));
        QVERIFY(f.isIn("finish-1", TaskState::Uploading));
        const auto text = readTextFile(slot(1) / "continues.json", 1 << 20);
        QVERIFY(text.ok());
        const auto continuation = work::continuationFromJson(*parseJson(*text));
        QVERIFY(continuation.ok());
        QCOMPARE(continuation->unit, std::string("finish-1"));
        for (const auto& gradient : continuation->outerGradients)
            QVERIFY(std::filesystem::exists(slot(1) / "continues" / gradient.blob.sha256.hex()));
        QVERIFY(f.project.schedulerCalls().back().running.at(0).sending);
        // The files stay although the last unit's slot goes.
        f.project.holdPatches = false;
        QVERIFY(f.until([&] { return f.isIn("finish-1", TaskState::Committed); }));
        QVERIFY(f.until([&] { return !std::filesystem::exists(slot(0)); }));
        QVERIFY(std::filesystem::exists(slot(1) / "continues" /
                                        continuation->outerGradients[0].blob.sha256.hex()));
    }

    void anOrdinaryUnitBeginsAtItsAnchor()
    {
        auto& f = *m_fixture;
        f.project.holdPatches = true;
        f.project.offer(f.project.makeUnit("finish-1"));
        f.project.offer(unitOf("long-2", 3, false));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.task("long-2").step > 2; }));
        QVERIFY(!std::filesystem::exists(slot(1) / "continues.json"));
    }

    void aNewerVersionIsFetchedAndOffered()
    {
        auto& f = *m_fixture;
        f.project.offer(unitOf("long", 3, true));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.task("long").step > 2; }));
        QVERIFY(!std::filesystem::exists(slot(0) / "shift.json"));
        f.project.newestVersion = 9;
        QVERIFY(f.until([&] { return f.logHas("goes on from version 9"); }));
        const auto newest = f.project.makeAnchor(9);
        QVERIFY(std::filesystem::exists(f.folder() / "data" / "blobs" /
                                        newest.fragments[0].blob.sha256.hex()));
        f.project.newestVersion = 10;
        QVERIFY(f.until([&] { return f.logHas("goes on from version 10"); }));
        QVERIFY(f.isIn("long", TaskState::Running));
    }

    void aUnitThatMayNotShiftIsLeftAlone()
    {
        auto& f = *m_fixture;
        f.project.offer(unitOf("long", 3, false));
        f.project.newestVersion = 9;
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.task("long").step > 2; }));
        f.clock->advance(std::chrono::minutes{2});
        QTest::qWait(300);
        QVERIFY(!std::filesystem::exists(slot(0) / "shift.json"));
    }

    void theStateFolderOfARunIsTheDevicesOwn()
    {
        auto& f = *m_fixture;
        f.project.offer(unitOf("long", 3));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.task("long").step > 2; }));
        const auto text = readTextFile(slot(0) / "command.json", 1 << 20);
        const auto command = work::commandFromLine(*text);
        const auto state = std::get<work::RunCommand>(*command).state.string();
        QVERIFY(state.find("/data/state/") != std::string::npos);
        QVERIFY(state.ends_with("/run-1/cpu"));
    }

    void aBusyServersRetryAfterIsObeyed()
    {
        auto& f = *m_fixture;
        f.project.busySeconds = 500;
        f.project.offer(f.project.makeUnit("finish-1"));
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] { return f.hasBlocker(Reason::ServerUnreachable); }));
        const auto& blocker = f.snapshot().devices.at(0).blockers.at(0);
        QVERIFY(blocker.until.has_value());
        const Seconds wait = *blocker.until - f.clock->wall();
        QVERIFY2(wait.count() > 300, qPrintable(QString::number(wait.count())));
        f.project.busySeconds = 0;
        f.clock->advance(std::chrono::seconds{1000});
        QVERIFY(f.until([&] { return f.isIn("finish-1", TaskState::Committed); }));
    }

    void theProjectsReasonForHavingNoWorkIsShown()
    {
        auto& f = *m_fixture;
        QCOMPARE(f.attach(), QString());
        QVERIFY(f.until([&] {
            return headline(f.snapshot(), f.clock->wall())
                .contains(QStringLiteral("(no data is left)"));
        }));
    }

    void aProjectThatDoesNotAnswerIsNamedPlainly()
    {
        auto& f = *m_fixture;
        f.project.down = true;
        const QString error = f.attach();
        QVERIFY2(error.startsWith(QStringLiteral("no connection to http://127.0.0.1:4242: check")),
                 qPrintable(error));
    }
};

QTEST_GUILESS_MAIN(TestAgentRounds)
#include "tst_agent_rounds.moc"
