#include "engine/agent/slot_folder.h"
#include "engine/agent/trainer_process.h"
#include "tests/agent/agent_fixture.h"

#include <QTest>

using namespace commonweight;
using namespace commonweight::agent;
using Phase = TrainerProcess::Phase;

namespace {

/// A trainer process with what it said.
struct Watched {
    Watched(AgentFixture& fixture, TrainerTimeouts timeouts = {})
        : process(*fixture.clock, fixture.folder() / "trainer.lock", timeouts)
    {
        QObject::connect(&process, &TrainerProcess::eventArrived,
                         [this](const work::TrainerEvent& event) {
                             if (const auto* progress = std::get_if<work::ProgressEvent>(&event))
                                 step = progress->step;
                             if (const auto* started = std::get_if<work::StartedEvent>(&event))
                                 startedAt = started->step;
                             finished |= std::holds_alternative<work::FinishedEvent>(event);
                             if (const auto* event_ = std::get_if<work::FailedEvent>(&event))
                                 failed = event_->kind;
                         });
        QObject::connect(&process, &TrainerProcess::ended, [this](const QString& why) {
            ended = true;
            reason = why;
        });
    }

    TrainerProcess process;
    std::uint64_t step = 0;
    std::uint64_t startedAt = 0;
    bool finished = false;
    bool ended = false;
    std::string failed;
    QString reason;
};

} // namespace

class TestTrainerProcess : public QObject {
    Q_OBJECT

    std::unique_ptr<AgentFixture> m_fixture;

    work::RunCommand commandFor(const std::string& unit)
    {
        const auto slot = m_fixture->folder() / "slot";
        (void)prepareSlot(slot, m_fixture->project.makeUnit(unit));
        return {.slot = slot, .blobs = m_fixture->folder()};
    }

    void begin(Watched& watched, const std::string& unit)
    {
        QVERIFY(watched.process.start(COMMONWEIGHT_FAKE_TRAINER));
        QTRY_VERIFY_WITH_TIMEOUT(watched.process.phase() == Phase::Ready, 30'000);
        watched.process.run(commandFor(unit));
        QVERIFY(watched.process.phase() == Phase::Running);
    }

private Q_SLOTS:
    void init() { m_fixture = std::make_unique<AgentFixture>(); }

    void aUnitRunsToItsEndAndAnotherOneFollows()
    {
        Watched watched(*m_fixture);
        begin(watched, "finish-1");
        QTRY_VERIFY_WITH_TIMEOUT(watched.finished, 30'000);
        QVERIFY(watched.process.phase() == Phase::Ready);
        watched.finished = false;
        watched.process.run(commandFor("finish-2"));
        QTRY_VERIFY_WITH_TIMEOUT(watched.finished, 30'000);
        watched.process.stop();
        QTRY_VERIFY_WITH_TIMEOUT(watched.ended, 30'000);
        QVERIFY2(watched.reason.isEmpty(), qPrintable(watched.reason));
        QVERIFY(watched.process.phase() == Phase::Off);
    }

    void pauseAndResumeAreObeyed()
    {
        Watched watched(*m_fixture);
        begin(watched, "long");
        QTRY_VERIFY_WITH_TIMEOUT(watched.step > 2, 30'000);
        watched.process.pause(true);
        QTRY_VERIFY_WITH_TIMEOUT(watched.process.phase() == Phase::Paused, 30'000);
        const auto paused = watched.step;
        QTest::qWait(100);
        QCOMPARE(watched.step, paused);
        watched.process.resume();
        QTRY_VERIFY_WITH_TIMEOUT(watched.step > paused, 30'000);
    }

    void aStoppedUnitGoesOnWhereItWas()
    {
        std::uint64_t step = 0;
        {
            Watched watched(*m_fixture);
            begin(watched, "long");
            QTRY_VERIFY_WITH_TIMEOUT(watched.step > 2, 30'000);
            watched.process.stop();
            QTRY_VERIFY_WITH_TIMEOUT(watched.ended, 30'000);
            step = watched.step;
        }
        Watched watched(*m_fixture);
        begin(watched, "long");
        QTRY_VERIFY_WITH_TIMEOUT(watched.step > step, 30'000);
        QVERIFY(watched.startedAt >= step);
    }

    void aCrashIsToldWithTheLastWords()
    {
        Watched watched(*m_fixture);
        begin(watched, "crash");
        QTRY_VERIFY_WITH_TIMEOUT(watched.ended, 30'000);
        QVERIFY2(watched.reason.contains(QStringLiteral("something terrible")),
                 qPrintable(watched.reason));
    }

    void aTrainerThatDoesNotSayHelloIsKilled()
    {
        Watched watched(*m_fixture, {.hello = Seconds{10}});
        QVERIFY(watched.process.start(m_fixture->trainerNamed("mute")));
        QTest::qWait(50);
        watched.process.check();
        QVERIFY(!watched.ended);
        m_fixture->clock->advance(std::chrono::seconds{11});
        watched.process.check();
        QTRY_VERIFY_WITH_TIMEOUT(watched.ended, 30'000);
        QVERIFY2(watched.reason.contains(QStringLiteral("hello")), qPrintable(watched.reason));
    }

    void aTrainerThatFallsSilentIsKilled()
    {
        Watched watched(*m_fixture, {.silence = Seconds{300}});
        begin(watched, "hang");
        QTRY_VERIFY_WITH_TIMEOUT(watched.step == 1, 30'000);
        m_fixture->clock->advance(std::chrono::seconds{299});
        watched.process.check();
        QTest::qWait(50);
        QVERIFY(!watched.ended);
        m_fixture->clock->advance(std::chrono::seconds{2});
        watched.process.check();
        QTRY_VERIFY_WITH_TIMEOUT(watched.ended, 30'000);
        QVERIFY(!watched.reason.isEmpty());
    }

    void aTrainerThatDoesNotPauseOrStopIsKilled()
    {
        Watched watched(*m_fixture, {.pause = Seconds{60}, .stop = Seconds{8}});
        begin(watched, "hang");
        QTRY_VERIFY_WITH_TIMEOUT(watched.step == 1, 30'000);
        QTest::qWait(100); // it sleeps in its second step by now
        watched.process.pause(true);
        m_fixture->clock->advance(std::chrono::seconds{61});
        watched.process.check();
        QTRY_VERIFY_WITH_TIMEOUT(watched.ended, 30'000);
        QVERIFY2(watched.reason.contains(QStringLiteral("pause")), qPrintable(watched.reason));

        watched.ended = false;
        watched.step = 0;
        begin(watched, "hang-2");
        QTRY_VERIFY_WITH_TIMEOUT(watched.step == 1, 30'000);
        QTest::qWait(100);
        watched.process.stop();
        m_fixture->clock->advance(std::chrono::seconds{9});
        watched.process.check();
        QTRY_VERIFY_WITH_TIMEOUT(watched.ended, 30'000);
        QVERIFY(watched.reason.isEmpty()); // it was asked to end
    }

    void whatIsNotUnderstoodEndsIt()
    {
        Watched watched(*m_fixture);
        QVERIFY(watched.process.start(m_fixture->trainerNamed("babble")));
        QTRY_VERIFY_WITH_TIMEOUT(watched.ended, 30'000);
        QVERIFY2(watched.reason.contains(QStringLiteral("not understood")),
                 qPrintable(watched.reason));
    }

    void aProgramThatIsNotThereIsToldInASentence()
    {
        Watched watched(*m_fixture);
        QVERIFY(watched.process.start("/nowhere/at/all"));
        QTRY_VERIFY_WITH_TIMEOUT(watched.ended, 30'000);
        QVERIFY2(watched.reason.contains(QStringLiteral("could not be started")),
                 qPrintable(watched.reason));
        QVERIFY(watched.process.phase() == Phase::Off);
    }

    void aSecondTrainerWaitsUntilTheFirstHasReallyEnded()
    {
        Watched first(*m_fixture);
        begin(first, "long");
        Watched second(*m_fixture);
        auto started = second.process.start(COMMONWEIGHT_FAKE_TRAINER);
        QVERIFY(!started);
        QVERIFY(started.error().kind == ErrorKind::Conflict);
        // One that does not end by itself is made to.
        m_fixture->clock->advance(std::chrono::seconds{31});
        QVERIFY(!second.process.start(COMMONWEIGHT_FAKE_TRAINER));
        QTRY_VERIFY_WITH_TIMEOUT(first.ended, 30'000);
        QVERIFY(second.process.start(COMMONWEIGHT_FAKE_TRAINER));
        QTRY_VERIFY_WITH_TIMEOUT(second.process.phase() == Phase::Ready, 30'000);
    }
};

QTEST_GUILESS_MAIN(TestTrainerProcess)
#include "tst_trainer_process.moc"
