#include "engine/training/unit_runner.h"

#include "engine/base/atomic_file.h"
#include "engine/base/log.h"
#include "tests/base/result_checks.h"
#include "tests/training/runner_bench.h"

using namespace commonweight;
using namespace commonweight::test;
using training::Ending;
using training::Outcome;
namespace fs = std::filesystem;
using std::chrono::milliseconds;

namespace {

/// A folder in the place of the temporary file makes every save fail, for root too.
void blockCheckpoints(const UnitFixture& fixture)
{
    for (const char* name : {"checkpoint-a", "checkpoint-b"})
        fs::create_directory(fixture.slot() / (std::string(name) + ".safetensors.tmp"));
}
void unblockCheckpoints(const UnitFixture& fixture)
{
    for (const char* name : {"checkpoint-a", "checkpoint-b"})
        fs::remove(fixture.slot() / (std::string(name) + ".safetensors.tmp"));
}

bool hasCheckpoint(const UnitFixture& fixture)
{
    return fs::exists(fixture.slot() / "checkpoint-a.safetensors") ||
           fs::exists(fixture.slot() / "checkpoint-b.safetensors");
}

} // namespace

/// The runner on fake models and a fake clock: eight steps of two micro-batches.
class TestUnitRunner : public QObject {
    Q_OBJECT

    std::unique_ptr<UnitFixture> m_fixture;
    std::unique_ptr<RunnerBench> m_bench;
    std::map<std::string, Bytes> m_expected; ///< what an undisturbed run delivers

private Q_SLOTS:
    void initTestCase() { spdlog::set_level(spdlog::level::off); }
    void init()
    {
        m_fixture = std::make_unique<UnitFixture>();
        RunnerBench undisturbed;
        QCOMPARE(undisturbed.run(*m_fixture), Outcome::Finished);
        m_expected = m_fixture->delivered();
        QCOMPARE(m_expected.size(), 1u);
        m_fixture->newSlot();
        m_bench = std::make_unique<RunnerBench>();
    }

    void aUnitRunsToItsEnd()
    {
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Finished);
        const auto started = m_bench->only<work::StartedEvent>();
        QCOMPARE(started.step, 0u);
        QCOMPARE(started.steps, 8u);
        QVERIFY(!started.resumed);
        QCOMPARE(m_bench->models.microBatches, 16);
        QCOMPARE(m_bench->only<work::FinishedEvent>().result, m_fixture->slot() / "result.json");
        QCOMPARE(m_bench->models.alive, 0);

        const auto result = m_fixture->result();
        VERIFY_OK(result);
        QCOMPARE(result->unit, std::string("unit-1"));
        QCOMPARE(result->run, std::string("run-1"));
        QCOMPARE(result->baseVersion, 7u);
        QCOMPARE(result->stepsDone, 8u);
        QCOMPARE(result->tokens, 8u * 4 * 16);
        QCOMPARE(result->lossTrace.size(), 8u);
        QCOMPARE(result->id.size(), 32u);
        QVERIFY(result->host.empty());
        QCOMPARE(result->outerGradients.size(), 1u);
        QVERIFY(m_expected == m_fixture->delivered());
        QVERIFY(m_expected.contains(result->outerGradients[0].blob.sha256.hex()));
        QVERIFY(!hasCheckpoint(*m_fixture));
    }

    void theDeliveredOuterGradientIsAnchorMinusTrained()
    {
        m_fixture->unit.codec = "fp32";
        m_fixture->writeUnit();
        std::vector<float> trained;
        m_bench->models.afterMicroBatch = [&](int count) {
            if (count == 16)
                m_bench->control.end(Ending::Checkpoint);
        };
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Stopped);
        const auto recipe = training::readUnit(m_fixture->slot());
        VERIFY_OK(recipe);
        const auto state =
            training::CheckpointStore(m_fixture->slot(), recipe->hash, recipe->parameters).load();
        QVERIFY(state.has_value());
        RunnerBench second;
        QCOMPARE(second.run(*m_fixture), Outcome::Finished);
        QCOMPARE(second.models.microBatches, 0);
        const auto delivered = m_fixture->delivered();
        std::vector<float> delta(m_fixture->parameters.size());
        VERIFY_OK(exchange::decodeOuterGradient(delivered.begin()->second,
                                                m_fixture->fragments.front(), delta));
        double norm = 0;
        for (std::size_t i = 0; i < delta.size(); ++i) {
            QCOMPARE(delta[i], m_fixture->parameters[i] - state->parameters[i]);
            norm += std::abs(static_cast<double>(delta[i]));
        }
        QVERIFY(norm > 0);
    }

    void aFinishedSlotAnswersAtOnce()
    {
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Finished);
        const auto result = m_fixture->result();
        RunnerBench second;
        QCOMPARE(second.run(*m_fixture), Outcome::Finished);
        QCOMPARE(second.events.size(), 1u);
        QCOMPARE(second.models.opened, 0);
        VERIFY_OK(result);
        QVERIFY(*result == *m_fixture->result());
    }

    void aResultWhoseBlobIsDamagedIsMadeAnewUnderTheSameId()
    {
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Finished);
        const auto before = m_fixture->result();
        auto bytes = m_expected.begin()->second;
        bytes.back() ^= 1;
        VERIFY_OK(
            writeFileAtomically(m_fixture->slot() / "out" / m_expected.begin()->first, bytes));
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Finished);
        QCOMPARE(m_bench->only<work::StartedEvent>().steps, 8u);
        QVERIFY(m_expected == m_fixture->delivered());
        VERIFY_OK(before);
        QCOMPARE(m_fixture->result()->id, before->id);
    }

    void theResultOfAnotherUnitIsRemoved()
    {
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Finished);
        const auto before = m_fixture->result();
        m_fixture->unit.id = "unit-2";
        m_fixture->writeUnit();
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Finished);
        const auto after = m_fixture->result();
        VERIFY_OK(after);
        QCOMPARE(after->unit, std::string("unit-2"));
        QVERIFY(after->id != before->id);
        QCOMPARE(m_fixture->delivered().size(), 1u);
    }

    void aPauseTakesEffectWithinOneMicroBatch()
    {
        auto& bench = *m_bench;
        bench.models.afterMicroBatch = [&](int count) {
            if (count == 5)
                bench.control.pause(false);
        };
        int heldAt = 0;
        bench.onEvent = [&](const work::TrainerEvent& event) {
            const auto* paused = std::get_if<work::PausedEvent>(&event);
            if (paused == nullptr)
                return;
            heldAt = bench.models.microBatches;
            QCOMPARE(paused->step, 2u);
            QVERIFY(!paused->released);
            QCOMPARE(bench.models.alive, 1);
            bench.control.resume();
        };
        QCOMPARE(bench.run(*m_fixture), Outcome::Finished);
        QCOMPARE(heldAt, 5);
        QCOMPARE(bench.all<work::ResumedEvent>().size(), 1u);
        QCOMPARE(bench.models.microBatches, 16); // the half step was kept
        QVERIFY(m_expected == m_fixture->delivered());
    }

    void releaseFreesTheModelAndComesBack()
    {
        auto& bench = *m_bench;
        bench.models.afterMicroBatch = [&](int count) {
            if (count == 5)
                bench.control.pause(true);
        };
        bench.onEvent = [&](const work::TrainerEvent& event) {
            const auto* paused = std::get_if<work::PausedEvent>(&event);
            if (paused == nullptr)
                return;
            QVERIFY(paused->released);
            QCOMPARE(bench.models.alive, 0);
            QVERIFY(hasCheckpoint(*m_fixture));
            bench.control.resume();
        };
        QCOMPARE(bench.run(*m_fixture), Outcome::Finished);
        QCOMPARE(bench.models.opened, 2);
        QCOMPARE(bench.only<work::CheckpointEvent>().step, 2u);
        QCOMPARE(bench.models.microBatches, 17); // half a step was repeated
        QVERIFY(m_expected == m_fixture->delivered());
    }

    void aHeldTrainerCanBeReleasedLater()
    {
        auto& bench = *m_bench;
        bench.models.afterMicroBatch = [&](int count) {
            if (count == 4)
                bench.control.pause(false);
        };
        bench.onEvent = [&](const work::TrainerEvent& event) {
            const auto* paused = std::get_if<work::PausedEvent>(&event);
            if (paused != nullptr && paused->released)
                bench.control.resume();
            else if (paused != nullptr)
                bench.control.pause(true);
        };
        QCOMPARE(bench.run(*m_fixture), Outcome::Finished);
        QCOMPARE(bench.all<work::PausedEvent>().size(), 2u);
        QVERIFY(m_expected == m_fixture->delivered());
    }

    void releaseWithoutSpaceKeepsTheStateInMemory()
    {
        auto& bench = *m_bench;
        blockCheckpoints(*m_fixture);
        bench.models.afterMicroBatch = [&](int count) {
            if (count == 6)
                bench.control.pause(true);
        };
        bench.onEvent = [&](const work::TrainerEvent& event) {
            if (!std::holds_alternative<work::PausedEvent>(event))
                return;
            QCOMPARE(bench.models.alive, 0);
            bench.control.resume();
        };
        QCOMPARE(bench.run(*m_fixture), Outcome::Finished);
        QCOMPARE(bench.models.microBatches, 16);
        QVERIFY(m_expected == m_fixture->delivered());
    }

    void aReleasedTrainerDeliversWhatItHas()
    {
        auto& bench = *m_bench;
        bench.models.afterMicroBatch = [&](int count) {
            if (count == 9)
                bench.control.pause(true);
        };
        bench.onEvent = [&](const work::TrainerEvent& event) {
            if (std::holds_alternative<work::PausedEvent>(event))
                bench.control.end(Ending::Deliver);
        };
        QCOMPARE(bench.run(*m_fixture), Outcome::Finished);
        const auto result = m_fixture->result();
        VERIFY_OK(result);
        QCOMPARE(result->stepsDone, 4u);
        QCOMPARE(bench.models.opened, 1);
    }

    void stoppingKeepsAllWholeSteps_data()
    {
        QTest::addColumn<int>("microBatch");
        for (const int microBatch : {1, 2, 7, 8, 15})
            QTest::addRow("%d", microBatch) << microBatch;
    }
    void stoppingKeepsAllWholeSteps()
    {
        QFETCH(const int, microBatch);
        m_bench->models.afterMicroBatch = [&](int count) {
            if (count == microBatch)
                m_bench->control.end(Ending::Checkpoint);
        };
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Stopped);
        const auto steps = static_cast<std::uint64_t>(microBatch / 2);
        QCOMPARE(m_bench->only<work::StoppedEvent>().step, steps);
        QCOMPARE(m_bench->models.microBatches, microBatch);

        RunnerBench next;
        QCOMPARE(next.run(*m_fixture), Outcome::Finished);
        const auto started = next.only<work::StartedEvent>();
        QCOMPARE(started.step, steps);
        QCOMPARE(started.resumed, steps > 0);
        QVERIFY(m_expected == m_fixture->delivered());
    }

    void stoppingWithoutSpaceNamesTheStepThatIsSafe()
    {
        m_bench->models.afterMicroBatch = [&](int count) {
            if (count == 4)
                m_bench->control.pause(true);
            if (count == 8) {
                blockCheckpoints(*m_fixture);
                m_bench->control.end(Ending::Checkpoint);
            }
        };
        m_bench->onEvent = [&](const work::TrainerEvent& event) {
            if (std::holds_alternative<work::PausedEvent>(event))
                m_bench->control.resume();
        };
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Stopped);
        QCOMPARE(m_bench->only<work::StoppedEvent>().step, 2u);
        unblockCheckpoints(*m_fixture);
        RunnerBench next;
        QCOMPARE(next.run(*m_fixture), Outcome::Finished);
        QCOMPARE(next.only<work::StartedEvent>().step, 2u);
        QVERIFY(m_expected == m_fixture->delivered());
    }

    void deliveringEarlyGivesTheStepsThatAreDone()
    {
        m_bench->models.afterMicroBatch = [&](int count) {
            if (count == 7)
                m_bench->control.end(Ending::Deliver);
        };
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Finished);
        const auto result = m_fixture->result();
        VERIFY_OK(result);
        QCOMPARE(result->stepsDone, 3u);
        QCOMPARE(result->tokens, 3u * 4 * 16);
        QCOMPARE(result->lossTrace.size(), 3u);
        QCOMPARE(m_bench->models.microBatches, 7);
    }

    void deliveringTooEarlyStopsWithACheckpoint()
    {
        m_bench->models.afterMicroBatch = [&](int count) {
            if (count == 2)
                m_bench->control.end(Ending::Deliver);
        };
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Stopped);
        QCOMPARE(m_bench->only<work::StoppedEvent>().step, 1u);
        QVERIFY(hasCheckpoint(*m_fixture));
        QVERIFY(!fs::exists(m_fixture->slot() / "result.json"));
    }

    void theCloseOfTheRoundEndsTheUnitBetweenSteps_data()
    {
        QTest::addColumn<double>("uploadSeconds");
        QTest::addColumn<int>("steps");
        // A micro-batch takes a second, the round closes after eleven.
        QTest::newRow("no upload") << 0.0 << 6;
        QTest::newRow("upload") << 4.0 << 4;
        QTest::newRow("just enough") << 7.0 << 2;
    }
    void theCloseOfTheRoundEndsTheUnitBetweenSteps()
    {
        QFETCH(const double, uploadSeconds);
        QFETCH(const int, steps);
        m_fixture->unit.closesAt = m_bench->clock.wall() + std::chrono::seconds{11};
        m_fixture->writeUnit();
        m_bench->models.afterMicroBatch = [&](int) { m_bench->clock.advance(milliseconds{1000}); };
        auto command = m_fixture->command();
        command.uploadSeconds = uploadSeconds;
        QCOMPARE(m_bench->run(command), Outcome::Finished);
        const auto result = m_fixture->result();
        VERIFY_OK(result);
        QCOMPARE(result->stepsDone, static_cast<std::uint64_t>(steps));
        QCOMPARE(result->seconds, 2.0 * steps);
    }

    void aRoundThatClosesTooEarlyIsAConflict_data()
    {
        QTest::addColumn<int>("seconds");
        QTest::newRow("closed long ago") << -1000;
        QTest::newRow("after one step") << 2;
    }
    void aRoundThatClosesTooEarlyIsAConflict()
    {
        QFETCH(const int, seconds);
        m_fixture->unit.closesAt = m_bench->clock.wall() + std::chrono::seconds{seconds};
        m_fixture->writeUnit();
        m_bench->models.afterMicroBatch = [&](int) { m_bench->clock.advance(milliseconds{1000}); };
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Failed);
        const auto failed = m_bench->only<work::FailedEvent>();
        QCOMPARE(failed.kind, std::string("conflict"));
        QVERIFY(failed.message.starts_with("the round closed before enough steps were done"));
        QVERIFY(!fs::exists(m_fixture->slot() / "result.json"));
    }

    void aResumedUnitOfAClosedRoundDeliversWhatItHas()
    {
        m_fixture->unit.closesAt = m_bench->clock.wall() + std::chrono::seconds{100};
        m_fixture->writeUnit();
        m_bench->models.afterMicroBatch = [&](int count) {
            if (count == 7)
                m_bench->control.end(Ending::Checkpoint);
        };
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Stopped);
        RunnerBench next;
        next.clock.advance(std::chrono::hours{5});
        QCOMPARE(next.run(*m_fixture), Outcome::Finished);
        QCOMPARE(m_fixture->result()->stepsDone, 3u);
        QCOMPARE(next.models.microBatches, 0);
    }

    void theDutyCycleRestsBetweenMicroBatches()
    {
        m_bench->models.afterMicroBatch = [&](int) { m_bench->clock.advance(milliseconds{100}); };
        m_bench->control.reset(0.25);
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Finished);
        QCOMPARE(m_bench->control.rested.count(), 16 * 0.3);
        QCOMPARE(m_fixture->result()->seconds, 1.6); // rests are not computing time
    }

    void atFullSpeedThereIsNoRest()
    {
        m_bench->models.afterMicroBatch = [&](int) { m_bench->clock.advance(milliseconds{100}); };
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Finished);
        QCOMPARE(m_bench->control.rested.count(), 0.0);
    }

    void progressComesAtMostFourTimesASecond()
    {
        m_bench->models.afterMicroBatch = [&](int) { m_bench->clock.advance(milliseconds{50}); };
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Finished);
        const auto progress = m_bench->all<work::ProgressEvent>();
        QCOMPARE(progress.size(), 3u); // after steps 1, 4 and 7 of 100 ms
        QCOMPARE(progress[1].step, 4u);
        QCOMPARE(progress[1].steps, 8u);
        QCOMPARE(progress[1].tokens, 4u * 64);
        QVERIFY(std::abs(progress[1].tokensPerSecond - 640) < 1e-6);
        QVERIFY(std::abs(progress[1].secondsLeft - 0.4) < 1e-9);
        QVERIFY(progress[1].loss > 0);
    }

    void theFirstStepAfterAStartDoesNotCountAsSpeed()
    {
        // It warms up libraries: ten times as long as the others.
        m_bench->models.afterMicroBatch = [&](int count) {
            m_bench->clock.advance(milliseconds{count <= 2 ? 1000 : 100});
        };
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Finished);
        const auto progress = m_bench->all<work::ProgressEvent>();
        QVERIFY(progress.size() > 2);
        QVERIFY(std::abs(progress[0].tokensPerSecond - 32) < 1e-6); // nothing better is known
        QVERIFY(std::abs(progress.back().tokensPerSecond - 320) < 1e-6);
    }

    void checkpointsAreKeptOnATimer()
    {
        m_bench->models.afterMicroBatch = [&](int) { m_bench->clock.advance(milliseconds{500}); };
        auto command = m_fixture->command();
        command.checkpointSeconds = 3;
        QCOMPARE(m_bench->run(command), Outcome::Finished);
        const auto kept = m_bench->all<work::CheckpointEvent>();
        QCOMPARE(kept.size(), 2u);
        QCOMPARE(kept[0].step, 3u);
        QCOMPARE(kept[1].step, 6u);
        QVERIFY(m_expected == m_fixture->delivered());
    }

    void aCheckpointThatFailsOnceDoesNotEndTheUnit()
    {
        blockCheckpoints(*m_fixture);
        m_bench->models.afterMicroBatch = [&](int count) {
            m_bench->clock.advance(milliseconds{500});
            if (count == 9)
                unblockCheckpoints(*m_fixture);
        };
        auto command = m_fixture->command();
        command.checkpointSeconds = 2;
        QCOMPARE(m_bench->run(command), Outcome::Finished);
        QCOMPARE(m_bench->all<work::CheckpointEvent>().size(), 1u);
        QVERIFY(m_expected == m_fixture->delivered());
    }

    void checkpointsThatKeepFailingEndTheUnit()
    {
        blockCheckpoints(*m_fixture);
        m_bench->models.afterMicroBatch = [&](int) { m_bench->clock.advance(milliseconds{500}); };
        auto command = m_fixture->command();
        command.checkpointSeconds = 1;
        QCOMPARE(m_bench->run(command), Outcome::Failed);
        QVERIFY(m_bench->only<work::FailedEvent>().message.find("3 times in a row") !=
                std::string::npos);
        QCOMPARE(m_bench->models.microBatches, 6);
    }

    void aLossThatIsNoNumberIsADeviceFault()
    {
        m_bench->models.lossIsNanAt = 4;
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Failed);
        const auto failed = m_bench->only<work::FailedEvent>();
        QCOMPARE(failed.kind, std::string("device"));
        QVERIFY(failed.message.find("step 2") != std::string::npos);
        QVERIFY(!fs::exists(m_fixture->slot() / "result.json"));
    }

    void severalFragmentsAndTheTableAreDelivered()
    {
        UnitShape shape;
        shape.fragmentBytes = 4096;
        shape.secondMoments = true;
        UnitFixture fixture(shape);
        QVERIFY(fixture.fragments.size() > 2);
        fixture.unit.reportSecondMoments = true;
        fixture.writeUnit();
        QCOMPARE(m_bench->run(fixture), Outcome::Finished);
        const auto result = fixture.result();
        VERIFY_OK(result);
        QCOMPARE(result->outerGradients.size(), fixture.fragments.size());
        QVERIFY(result->secondMoments.has_value());
        QCOMPARE(fixture.delivered().size(), fixture.fragments.size() + 1);
    }

    void anAnchorThatLeavesTheCacheMeanwhileIsStillThere()
    {
        m_bench->models.afterMicroBatch = [&](int count) {
            if (count == 1)
                fs::remove_all(m_fixture->blobs());
        };
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Finished);
        QVERIFY(m_expected == m_fixture->delivered());
    }

    void aSlotThatCannotBeWrittenIsSaidAtOnce()
    {
        fs::create_directory(m_fixture->slot() / "nonce.tmp");
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Failed);
        QCOMPARE(m_bench->models.microBatches, 0);
    }
};

QTEST_GUILESS_MAIN(TestUnitRunner)
#include "tst_unit_runner.moc"
