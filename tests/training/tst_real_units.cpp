#include "engine/training/second_moments.h"
#include "engine/training/unit_runner.h"

#include "engine/base/atomic_file.h"
#include "tests/base/result_checks.h"
#include "tests/training/unit_fixture.h"

using namespace commonweight;
using namespace commonweight::test;
using training::Ending;
using training::Outcome;

/// The runner with the real transformer on the processor.
class TestRealUnits : public QObject {
    Q_OBJECT

    const gpu::Registry m_registry{COMMONWEIGHT_LIB_DIR};
    const SystemClock m_clock{};
    training::Control m_control;
    std::vector<work::TrainerEvent> m_events;
    std::function<void(const work::TrainerEvent&)> m_onEvent;

    Outcome run(const work::RunCommand& command)
    {
        m_events.clear();
        m_control.reset(1);
        const auto open = training::openModelOn(
            m_registry, {command.device, command.threads, command.checkAgainst});
        const auto emit = [this](const work::TrainerEvent& event) {
            m_events.push_back(event);
            m_onEvent(event);
        };
        return training::UnitRunner(command, {m_clock, m_control, open, emit}).run();
    }
    std::string failure() const
    {
        const auto* failed = std::get_if<work::FailedEvent>(&m_events.back());
        return failed == nullptr ? std::string("no failure")
                                 : failed->kind + ": " + failed->message;
    }

private Q_SLOTS:
    void init()
    {
        m_onEvent = [](const work::TrainerEvent&) {};
    }

    void theSameUnitTwiceGivesTheSameBytes_data()
    {
        QTest::addColumn<QString>("codec");
        QTest::addColumn<int>("threads");
        for (const char* codec : {"fp32", "bf16", "int8", "int4"})
            QTest::newRow(codec) << QString::fromUtf8(codec) << 1;
        QTest::newRow("two threads") << QStringLiteral("int4") << 2;
    }
    void theSameUnitTwiceGivesTheSameBytes()
    {
        QFETCH(const QString, codec);
        QFETCH(const int, threads);
        UnitShape shape;
        shape.secondMoments = true;
        shape.fragmentBytes = 8192;
        UnitFixture fixture(shape);
        fixture.unit.codec = codec.toStdString();
        fixture.unit.reportSecondMoments = true;
        fixture.writeUnit();
        auto command = fixture.command();
        command.threads = threads;
        QVERIFY2(run(command) == Outcome::Finished, failure().c_str());
        const auto first = fixture.delivered();
        const auto firstResult = fixture.result();
        QCOMPARE(first.size(), fixture.fragments.size() + 1);
        fixture.newSlot();
        command.slot = fixture.slot();
        QVERIFY2(run(command) == Outcome::Finished, failure().c_str());
        QVERIFY(first == fixture.delivered());
        VERIFY_OK(firstResult);
        QCOMPARE(firstResult->lossTrace, fixture.result()->lossTrace);
        QVERIFY(firstResult->id != fixture.result()->id); // another slot is another volunteer
    }

    void anotherSeedRoundsDifferently()
    {
        UnitFixture fixture;
        QVERIFY2(run(fixture.command()) == Outcome::Finished, failure().c_str());
        const auto first = fixture.delivered();
        fixture.unit.seed = 43;
        fixture.newSlot();
        QVERIFY2(run(fixture.command()) == Outcome::Finished, failure().c_str());
        QVERIFY(first != fixture.delivered());
    }

    void stoppingAndReleasingChangeNothing()
    {
        UnitFixture fixture;
        QVERIFY2(run(fixture.command()) == Outcome::Finished, failure().c_str());
        const auto expected = fixture.delivered();

        fixture.newSlot();
        auto command = fixture.command();
        command.checkpointSeconds = 0; // after each step
        int checkpoints = 0;
        m_onEvent = [&](const work::TrainerEvent& event) {
            if (std::holds_alternative<work::CheckpointEvent>(event) && ++checkpoints == 2)
                m_control.pause(true);
            if (checkpoints == 4)
                m_control.end(Ending::Checkpoint);
            if (std::holds_alternative<work::PausedEvent>(event))
                m_control.resume();
        };
        QVERIFY2(run(command) == Outcome::Stopped, failure().c_str());
        m_onEvent = [](const work::TrainerEvent&) {};
        QVERIFY2(run(command) == Outcome::Finished, failure().c_str());
        QVERIFY(std::get<work::StartedEvent>(m_events.front()).resumed);
        QVERIFY(expected == fixture.delivered());
    }

    void aWarmUpLearnsAndItsTableStartsTheNextUnit()
    {
        UnitShape shape;
        shape.steps = 60;
        shape.sequencesPerLane = 10;
        UnitFixture fixture(shape);
        fixture.unit.codec = "fp32";
        fixture.unit.optimizer.biasCorrection = true;
        fixture.unit.reportSecondMoments = true;
        fixture.writeUnit();
        QVERIFY2(run(fixture.command()) == Outcome::Finished, failure().c_str());
        const auto result = fixture.result();
        VERIFY_OK(result);
        QVERIFY2(result->lossTrace.back() < 0.7F * result->lossTrace.front(),
                 qPrintable(QStringLiteral("loss %1 → %2")
                                .arg(static_cast<double>(result->lossTrace.front()))
                                .arg(static_cast<double>(result->lossTrace.back()))));
        QVERIFY(result->secondMoments.has_value());

        const auto table = fixture.delivered().at(result->secondMoments->sha256.hex());
        std::vector<float> second(fixture.parameters.size());
        VERIFY_OK(training::expandSecondMoments(fixture.layout, table, second));
        QVERIFY(std::count_if(second.begin(), second.end(), [](float v) { return v > 0; }) >
                static_cast<std::ptrdiff_t>(second.size() / 2));

        fixture.unit.anchor.secondMoments = fixture.addBlob(table);
        fixture.unit.optimizer.biasCorrection = false;
        fixture.newSlot();
        QVERIFY2(run(fixture.command()) == Outcome::Finished, failure().c_str());
        QVERIFY(fixture.result()->lossTrace.back() < fixture.result()->lossTrace.front());
    }

    void accumulationGivesTheGradientOfTheWholeBatch()
    {
        // The same eight sequences a step: at once, and in four pieces. Equal but for rounding.
        std::vector<std::vector<float>> deltas;
        for (const std::uint32_t pieces : {1u, 4u}) {
            UnitShape shape;
            shape.microBatch = 8 / pieces;
            shape.accumulation = pieces;
            shape.steps = 2;
            UnitFixture fixture(shape);
            fixture.unit.codec = "fp32";
            // From zero, AdamW turns any rounding of a tiny gradient into a whole step: start where
            // it does not.
            fixture.unit.optimizer.epsilon = 1e-2;
            fixture.writeUnit();
            QVERIFY2(run(fixture.command()) == Outcome::Finished, failure().c_str());
            auto& delta = deltas.emplace_back(fixture.parameters.size());
            VERIFY_OK(exchange::decodeOuterGradient(fixture.delivered().begin()->second,
                                                    fixture.fragments.front(), delta));
        }
        double norm = 0;
        double apart = 0;
        for (std::size_t i = 0; i < deltas[0].size(); ++i) {
            norm += static_cast<double>(deltas[0][i]) * static_cast<double>(deltas[0][i]);
            const double difference = static_cast<double>(deltas[0][i] - deltas[1][i]);
            apart += difference * difference;
        }
        QVERIFY(norm > 0);
        QVERIFY2(std::sqrt(apart / norm) < 1e-4,
                 qPrintable(QString::number(std::sqrt(apart / norm))));
    }

    void aModelThatDoesNotFitIsOutOfMemory()
    {
        UnitFixture fixture;
        auto model = fixture.shape.model;
        model.hiddenSize = 8192;
        model.intermediateSize = 32'768;
        model.heads = model.kvHeads = 64;
        model.headSize = 128;
        model.layers = 1000;
        fixture.unit.model = model::toJson(model);
        fixture.writeUnit();
        QVERIFY(run(fixture.command()) == Outcome::Failed);
        QVERIFY2(failure().starts_with("out_of_memory: "), failure().c_str());
    }

    void anotherNumericClassIsRefused()
    {
        UnitFixture fixture;
        fixture.unit.numericClass = "bf16";
        fixture.writeUnit();
        QVERIFY(run(fixture.command()) == Outcome::Failed);
        QVERIFY2(failure().starts_with("protocol: the unit asks for bf16"), failure().c_str());
    }

    void anUnknownDeviceIsNotReplaced()
    {
        UnitFixture fixture;
        auto command = fixture.command();
        command.device = "vulkan:none";
        QVERIFY(run(command) == Outcome::Failed);
        QVERIFY2(failure().starts_with("not_found: ") || failure().starts_with("device: "),
                 failure().c_str());
        QCOMPARE(m_events.size(), 1u);
    }

    void trainingThatDivergesIsNotDelivered()
    {
        UnitFixture fixture;
        auto values = valuesOf(fixture.fragments[0], fixture.layout, fixture.parameters);
        for (auto& value : values)
            value *= 1e37F; // finite, but no product of two of them is
        fixture.unit.anchor.fragments[0].blob = fixture.addBlob(
            exchange::writeParameters(fixture.fragments[0], values, fixture.unit.run, 7));
        fixture.writeUnit();
        QVERIFY(run(fixture.command()) == Outcome::Failed);
        QVERIFY2(failure().starts_with("device: the training diverged"), failure().c_str());
    }
};

QTEST_GUILESS_MAIN(TestRealUnits)
#include "tst_real_units.moc"
