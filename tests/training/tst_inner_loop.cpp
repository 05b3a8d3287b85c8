#include "engine/training/inner_loop.h"
#include "tests/base/result_checks.h"

#include <cmath>

using namespace commonweight;
using training::adamWStepOf;

namespace {

work::WorkUnit unitWith(double clip, bool correction)
{
    work::WorkUnit unit;
    unit.accumulation = 4;
    unit.optimizer.clipNorm = clip;
    unit.optimizer.biasCorrection = correction;
    unit.learningRate.totalTokens = 1000;
    unit.learningRate.advance = 100;
    return unit;
}

} // namespace

class TestInnerLoop : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theGradientIsAveragedAndClippedToAGlobalNorm_data()
    {
        QTest::addColumn<double>("clip");
        QTest::addColumn<double>("norm");
        QTest::addColumn<double>("scale");
        QTest::newRow("below") << 1.0 << 3.9 << 0.25;
        QTest::newRow("at the bound") << 1.0 << 4.0 << 0.25;
        QTest::newRow("above") << 1.0 << 8.0 << 0.125;
        QTest::newRow("off") << 0.0 << 1e6 << 0.25;
        QTest::newRow("zero gradient") << 1.0 << 0.0 << 0.25;
    }
    void theGradientIsAveragedAndClippedToAGlobalNorm()
    {
        QFETCH(const double, clip);
        QFETCH(const double, norm);
        QFETCH(const double, scale);
        QCOMPARE(adamWStepOf(unitWith(clip, false), 0, norm).gradientScale, scale);
    }

    void correctionsCountStepsFromOneWhenAskedFor()
    {
        const auto off = adamWStepOf(unitWith(1, false), 2, 1);
        QCOMPARE(off.correction1, 1.0);
        QCOMPARE(off.correction2, 1.0);
        const auto on = adamWStepOf(unitWith(1, true), 2, 1);
        QCOMPARE(on.correction1, 1 - std::pow(0.9, 3));
        QCOMPARE(on.correction2, 1 - std::pow(0.99, 3));
    }

    void theLearningRateIsThatOfTheSlice()
    {
        const auto unit = unitWith(1, false);
        for (const std::uint64_t step : {0u, 3u, 20u})
            QCOMPARE(adamWStepOf(unit, step, 1).learningRate,
                     work::learningRateAt(unit.learningRate, step));
        QVERIFY(adamWStepOf(unit, 0, 1).learningRate > adamWStepOf(unit, 5, 1).learningRate);
    }

    void theUnitsConstantsArePassedOn()
    {
        auto unit = unitWith(1, false);
        unit.optimizer = {0.8, 0.95, 1e-6, 0.3, 1, false};
        const auto step = adamWStepOf(unit, 0, 1);
        QCOMPARE(step.beta1, 0.8);
        QCOMPARE(step.beta2, 0.95);
        QCOMPARE(step.epsilon, 1e-6);
        QCOMPARE(step.weightDecay, 0.3);
    }
};

QTEST_GUILESS_MAIN(TestInnerLoop)
#include "tst_inner_loop.moc"
