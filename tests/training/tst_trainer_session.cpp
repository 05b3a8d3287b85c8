#include "engine/training/trainer_session.h"

#include "tests/support/fake_clock.h"
#include "tests/training/fake_model.h"
#include "tests/training/unit_fixture.h"

#include <QTest>

#include <thread>

using namespace commonweight;
using namespace commonweight::test;
using training::TrainerSession;

/// The conversation, with fake models. Commands come from event hooks, that is, while a unit runs.
class TestTrainerSession : public QObject {
    Q_OBJECT

    FakeClock m_clock;
    FakeModels m_models;
    std::unique_ptr<UnitFixture> m_fixture;
    std::vector<work::TrainerEvent> m_events;
    std::function<void(const work::TrainerEvent&)> m_onEvent;
    std::unique_ptr<TrainerSession> m_session;

    void send(const work::TrainerCommand& command) { m_session->receive(work::toLine(command)); }

    void makeSession(training::DeviceTests tests)
    {
        m_session = std::make_unique<TrainerSession>(training::SessionParts{
            m_clock, [this](const work::RunCommand&) { return m_models.open(); },
            [this](const work::TrainerEvent& event) {
                m_events.push_back(event);
                m_onEvent(event);
            },
            std::move(tests)});
    }

    template <class Event> std::size_t count() const
    {
        std::size_t number = 0;
        for (const auto& event : m_events)
            number += std::holds_alternative<Event>(event) ? 1 : 0;
        return number;
    }

private Q_SLOTS:
    void init()
    {
        m_models = {};
        m_events.clear();
        m_onEvent = [](const work::TrainerEvent&) {};
        m_fixture = std::make_unique<UnitFixture>();
        makeSession({});
    }

    void itGreetsFirstAndSaysGoodbye()
    {
        m_session->end();
        m_session->serve();
        QCOMPARE(m_events.size(), 2u);
        const auto* hello = std::get_if<work::HelloEvent>(&m_events[0]);
        QVERIFY(hello != nullptr);
        QCOMPARE(hello->protocol, 1);
        QCOMPARE(hello->version, std::string(COMMONWEIGHT_VERSION));
        QVERIFY(std::holds_alternative<work::StoppedEvent>(m_events[1]));
    }

    void afterAFinishedUnitAnotherMayCome()
    {
        m_onEvent = [this](const work::TrainerEvent& event) {
            if (!std::holds_alternative<work::FinishedEvent>(event))
                return;
            if (count<work::FinishedEvent>() == 2)
                return m_session->end();
            m_fixture->newSlot();
            send(m_fixture->command());
        };
        send(m_fixture->command());
        m_session->serve();
        QCOMPARE(count<work::FinishedEvent>(), 2u);
        QCOMPARE(count<work::FailedEvent>(), 0u);
        QCOMPARE(m_models.opened, 2);
    }

    void afterAFailedUnitAnotherMayCome()
    {
        auto missing = m_fixture->command();
        missing.slot /= "nowhere";
        m_onEvent = [this](const work::TrainerEvent& event) {
            if (std::holds_alternative<work::FailedEvent>(event))
                send(m_fixture->command());
            if (std::holds_alternative<work::FinishedEvent>(event))
                m_session->end();
        };
        send(missing);
        m_session->serve();
        QCOMPARE(count<work::FailedEvent>(), 1u);
        QCOMPARE(count<work::FinishedEvent>(), 1u);
    }

    void aDeviceIsTestedOnceForManyUnits()
    {
        int tests = 0;
        std::string identity = "driver 1";
        makeSession({[&](const work::RunCommand&) { return Result<std::string>(identity); },
                     [&](const work::RunCommand&) {
                         ++tests;
                         return Result<void>();
                     },
                     {}});
        int finished = 0;
        m_onEvent = [&](const work::TrainerEvent& event) {
            if (!std::holds_alternative<work::FinishedEvent>(event))
                return;
            if (++finished == 4)
                return m_session->end();
            if (finished == 2)
                identity = "driver 2";
            m_fixture->newSlot();
            auto next = m_fixture->command();
            if (finished == 3) {
                identity = "driver 3";
                next.testedAs = identity; // by an earlier process
            }
            send(next);
        };
        send(m_fixture->command());
        m_session->serve();
        QCOMPARE(finished, 4);
        QCOMPARE(tests, 2);
        QCOMPARE(count<work::TestedEvent>(), 2u);
    }

    void aDeviceThatFailsItsTestGetsNoUnitAndIsTestedAgain()
    {
        int tests = 0;
        makeSession({[](const work::RunCommand&) { return Result<std::string>("driver"); },
                     [&](const work::RunCommand&) -> Result<void> {
                         if (++tests == 1)
                             return Error{ErrorKind::Device, "2 and 2 are 5"};
                         if (tests == 2)
                             return Error{ErrorKind::OutOfMemory, "no room for a test"};
                         return {};
                     },
                     {}});
        m_onEvent = [this](const work::TrainerEvent& event) {
            if (std::holds_alternative<work::FailedEvent>(event))
                send(m_fixture->command());
            if (std::holds_alternative<work::FinishedEvent>(event))
                m_session->end();
        };
        send(m_fixture->command());
        m_session->serve();
        QCOMPARE(tests, 3);
        QCOMPARE(m_models.opened, 1);
        QStringList kinds;
        for (const auto& event : m_events)
            if (const auto* failed = std::get_if<work::FailedEvent>(&event))
                kinds += QString::fromStdString(failed->kind);
        QCOMPARE(kinds,
                 (QStringList{QStringLiteral("self_test"), QStringLiteral("out_of_memory")}));
    }

    void aSecondUnitMeanwhileIsRefused()
    {
        m_models.afterMicroBatch = [this](int number) {
            if (number == 3)
                send(m_fixture->command());
            if (number == 16)
                m_session->end();
        };
        send(m_fixture->command());
        m_session->serve();
        QCOMPARE(count<work::FailedEvent>(), 1u);
        for (const auto& event : m_events)
            if (const auto* failed = std::get_if<work::FailedEvent>(&event))
                QCOMPARE(failed->kind, std::string("conflict"));
        QVERIFY(std::holds_alternative<work::StoppedEvent>(m_events.back()));
    }

    void whatIsNoCommandIsRefused_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::newRow("empty") << QByteArray("");
        QTest::newRow("no JSON") << QByteArray("run!");
        QTest::newRow("unknown") << QByteArray(R"({"command":"dance"})");
        QTest::newRow("incomplete") << QByteArray(R"({"command":"run"})");
        QTest::newRow("too long") << QByteArray(70'000, ' ');
        QTest::newRow("an event") << QByteArray(R"({"event":"resumed"})");
    }
    void whatIsNoCommandIsRefused()
    {
        QFETCH(const QByteArray, line);
        m_session->receive({line.constData(), static_cast<std::size_t>(line.size())});
        QCOMPARE(m_events.size(), 1u);
        const auto* failed = std::get_if<work::FailedEvent>(&m_events[0]);
        QVERIFY(failed != nullptr);
        QCOMPARE(failed->kind, std::string("protocol"));
    }

    void commandsForAUnitThatIsOverMeanNothing()
    {
        send(work::PauseCommand{true});
        send(work::ThrottleCommand{0.1});
        send(work::StopCommand{true});
        m_onEvent = [this](const work::TrainerEvent& event) {
            if (std::holds_alternative<work::FinishedEvent>(event))
                m_session->end();
        };
        send(m_fixture->command());
        m_session->serve();
        QCOMPARE(count<work::PausedEvent>(), 0u);
        QCOMPARE(count<work::FinishedEvent>(), 1u);
        QCOMPARE(m_models.microBatches, 16);
    }

    void aPauseRightBehindRunIsNotForgotten()
    {
        m_onEvent = [this](const work::TrainerEvent& event) {
            if (std::holds_alternative<work::PausedEvent>(event)) {
                QCOMPARE(m_models.microBatches, 0);
                send(work::ResumeCommand{});
            }
            if (std::holds_alternative<work::FinishedEvent>(event))
                m_session->end();
        };
        send(m_fixture->command());
        send(work::PauseCommand{});
        m_session->serve();
        QCOMPARE(count<work::PausedEvent>(), 1u);
        QCOMPARE(count<work::FinishedEvent>(), 1u);
    }

    void stopChecksPointAndEnds()
    {
        m_models.afterMicroBatch = [this](int number) {
            if (number == 5)
                send(work::StopCommand{});
        };
        send(m_fixture->command());
        m_session->serve();
        const auto* stopped = std::get_if<work::StoppedEvent>(&m_events.back());
        QVERIFY(stopped != nullptr);
        QCOMPARE(stopped->step, 2u);
        QCOMPARE(count<work::StoppedEvent>(), 1u);
    }

    void finishPartialDeliversAndStays()
    {
        m_models.afterMicroBatch = [this](int number) {
            if (number == 7)
                send(work::StopCommand{true});
        };
        m_onEvent = [this](const work::TrainerEvent& event) {
            if (std::holds_alternative<work::FinishedEvent>(event))
                m_session->end();
        };
        send(m_fixture->command());
        m_session->serve();
        QCOMPARE(count<work::FinishedEvent>(), 1u);
        QCOMPARE(m_fixture->result()->stepsDone, 3u);
    }

    void commandsWakeASleepingTrainer()
    {
        std::thread agent;
        m_onEvent = [&](const work::TrainerEvent& event) {
            if (std::holds_alternative<work::PausedEvent>(event))
                agent = std::thread([this] { send(work::StopCommand{}); });
        };
        m_models.afterMicroBatch = [this](int number) {
            if (number == 3)
                send(work::PauseCommand{});
        };
        send(m_fixture->command());
        m_session->serve();
        agent.join();
        const auto* stopped = std::get_if<work::StoppedEvent>(&m_events.back());
        QVERIFY(stopped != nullptr);
        QCOMPARE(stopped->step, 1u);
    }
};

QTEST_GUILESS_MAIN(TestTrainerSession)
#include "tst_trainer_session.moc"
