#include "tests/base/result_checks.h"
#include "tests/training/trainer_process.h"
#include "tests/training/unit_fixture.h"

#include <QElapsedTimer>
#include <QRandomGenerator>

using namespace commonweight;
using namespace commonweight::test;

namespace {

constexpr int kKills = 20;

UnitShape shape()
{
    UnitShape wanted;
    wanted.steps = 300;
    wanted.sequencesPerLane = 50;
    wanted.accumulation = 3;
    wanted.fragmentBytes = 8192;
    wanted.secondMoments = true;
    return wanted;
}

QStringList arguments(const UnitFixture& fixture)
{
    // A checkpoint after each step, so that many kills hit one in the middle of its writing.
    return {QStringLiteral("--unit"),
            QString::fromStdString(fixture.slot().string()),
            QStringLiteral("--blobs"),
            QString::fromStdString(fixture.blobs().string()),
            QStringLiteral("--checkpoint-seconds"),
            QStringLiteral("0")};
}

bool hasTemporaryFile(const UnitFixture& fixture)
{
    for (const auto& entry : std::filesystem::recursive_directory_iterator(fixture.slot()))
        if (entry.path().extension() == ".tmp")
            return true;
    return false;
}

/// The step that a trainer went on from.
std::uint64_t startOf(const TrainerProcess& trainer)
{
    for (const auto& event : trainer.events)
        if (const auto* started = std::get_if<work::StartedEvent>(&event))
            return started->step;
    return 0;
}

} // namespace

/// kill -9 at twenty random points: the trainer goes on each time and delivers the bytes of an
/// undisturbed run.
class TestTrainerKill : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void killedTwentyTimesItDeliversTheSameBytes()
    {
        bool given = false;
        auto seed = qEnvironmentVariableIntValue("COMMONWEIGHT_TEST_SEED", &given);
        if (!given)
            seed = static_cast<int>(QRandomGenerator::global()->bounded(1'000'000));
        qInfo("COMMONWEIGHT_TEST_SEED=%d repeats this test", seed);
        QRandomGenerator random(static_cast<quint32>(seed));

        UnitFixture fixture(shape());
        fixture.unit.reportSecondMoments = true;
        fixture.writeUnit();
        QElapsedTimer timer;
        timer.start();
        TrainerProcess undisturbed;
        QVERIFY(undisturbed.start(arguments(fixture)));
        QVERIFY(undisturbed.waitFor<work::StartedEvent>().has_value());
        const auto startMs = timer.restart();
        QCOMPARE(undisturbed.waitForEnd(), 0);
        const auto trainMs = timer.elapsed();
        const auto expected = fixture.delivered();
        const auto expectedResult = fixture.result();
        QCOMPARE(expected.size(), fixture.fragments.size() + 1);
        VERIFY_OK(expectedResult);

        fixture.newSlot();
        int finished = 0;
        int inTheMiddleOfAFile = 0;
        std::uint64_t furthest = 0;
        for (int kill = 0; kill < kKills; ++kill) {
            TrainerProcess trainer;
            QVERIFY(trainer.start(arguments(fixture)));
            // Every fourth kill may come before the first step, the others within an eighth of the
            // unit after it.
            if (kill % 4 != 0)
                QVERIFY(trainer.waitFor<work::StartedEvent>().has_value());
            const auto longest = kill % 4 != 0 ? trainMs / 8 : startMs;
            if (!trainer.watch(random.bounded(1, static_cast<int>(longest) + 2))) {
                trainer.killHard();
                inTheMiddleOfAFile += hasTemporaryFile(fixture) ? 1 : 0;
                furthest = std::max(furthest, startOf(trainer));
                continue;
            }
            // It was done before the kill: that counts for nothing, and another volunteer begins.
            QCOMPARE(trainer.waitForEnd(), 0);
            QVERIFY(expected == fixture.delivered());
            ++finished;
            --kill;
            fixture.newSlot();
        }
        TrainerProcess last;
        QVERIFY(last.start(arguments(fixture)));
        QVERIFY(last.waitFor<work::StartedEvent>().has_value());
        QCOMPARE(last.waitForEnd(), 0);
        QVERIFY(expected == fixture.delivered());
        QCOMPARE(fixture.result()->lossTrace, expectedResult->lossTrace);
        QCOMPARE(fixture.result()->tokens, expectedResult->tokens);
        QVERIFY2(furthest > 0, "no start went on from a checkpoint");
        qInfo("%d kills, %d of them while a file was being written; starts went on from up to step "
              "%llu; %d units were delivered on the way; start %lld ms, unit %lld ms",
              kKills, inTheMiddleOfAFile, static_cast<unsigned long long>(furthest), finished,
              static_cast<long long>(startMs), static_cast<long long>(trainMs));
    }
};

QTEST_GUILESS_MAIN(TestTrainerKill)
#include "tst_trainer_kill.moc"
