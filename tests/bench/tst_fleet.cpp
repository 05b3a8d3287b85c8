// The fleet simulator: its laws, its bookkeeping, and what must hold whatever happens to the hosts.
#include "bench/fleet/fleet.h"
#include "bench/fleet/lockstep.h"
#include "bench/fleet/scenarios.h"

#include <QtTest/QTest>

#include <cmath>

using namespace commonweight::bench;

namespace {

double meanOf(const Law& law, int draws)
{
    Random random(7);
    double sum = 0;
    for (int i = 0; i < draws; ++i)
        sum += law.draw(random);
    return sum / draws;
}

/// Hosts that are always up, with links that take no time.
Scenario calmFleet()
{
    Scenario fleet = homeFleet(50);
    fleet.host.up = Law::constant(1e9);
    fleet.host.down = Law::constant(1);
    fleet.host.leavesForGood = 0;
    fleet.uploadBytes = fleet.stepBytes = fleet.snapshotBytes = 0;
    fleet.server.meanSecondsToCrash = 0;
    fleet.run.stepsAtMost = 5000; // no host is through before the round closes
    fleet.seconds = 12 * 3600;
    return fleet;
}

bool closeTo(double value, double wanted, double share)
{
    return std::abs(value - wanted) <= share * wanted;
}

} // namespace

class TestFleet : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void lawsHaveTheMeanThatWasAskedFor();
    void logNormalHasTheMedianThatWasAskedFor();
    void aCalmFleetTrainsNearlyAllTheTime();
    void theSameSeedGivesTheSameFigures();
    void anotherSeedGivesOtherFigures();
    void noTextIsUsedTwiceHoweverHostsComeAndGo();
    void crashesOfTheServerCostLittle();
    void hostsThatTrainOnDoMoreThanHostsThatWait();
    void theSynchronousBaselineIsAvailability();
    void theElasticBaselinePaysForEveryChange();
};

void TestFleet::lawsHaveTheMeanThatWasAskedFor()
{
    QVERIFY(closeTo(meanOf(Law::exponential(20), 200'000), 20, 0.02));
    QVERIFY(closeTo(meanOf(Law::exponentiatedWeibull(71, 0.8, 2), 200'000), 71, 0.02));
    QCOMPARE(meanOf(Law::constant(3), 10), 3.0);
}

void TestFleet::logNormalHasTheMedianThatWasAskedFor()
{
    const auto law = Law::logNormal(3 * 3600, 1);
    QVERIFY(closeTo(law.quantile(0.5), 3 * 3600, 1e-6));
    QVERIFY(closeTo(law.quantile(0.8413447), 3 * 3600 * std::exp(1.0), 1e-4));
}

void TestFleet::aCalmFleetTrainsNearlyAllTheTime()
{
    const auto figures = Fleet(calmFleet()).run();
    QVERIFY(figures.availability() > 0.999);
    QVERIFY2(figures.goodput() > 0.97, qPrintable(QString::number(figures.goodput())));
    QVERIFY(figures.goodput() <= 1);
    QVERIFY(figures.lanesAddUp);
}

void TestFleet::theSameSeedGivesTheSameFigures()
{
    auto scenario = homeFleet(200);
    scenario.seconds = 6 * 3600;
    const auto first = Fleet(scenario).run();
    const auto second = Fleet(scenario).run();
    QCOMPARE(first.events, second.events);
    QCOMPARE(first.totals.tokensMerged, second.totals.tokensMerged);
}

void TestFleet::anotherSeedGivesOtherFigures()
{
    auto scenario = homeFleet(200);
    scenario.seconds = 6 * 3600;
    const auto first = Fleet(scenario).run();
    scenario.seed = 2;
    QVERIFY(Fleet(scenario).run().totals.tokensMerged != first.totals.tokensMerged);
}

void TestFleet::noTextIsUsedTwiceHoweverHostsComeAndGo()
{
    auto scenario = homeFleet(300);
    scenario.host.up = Law::logNormal(900, 1);
    scenario.host.down = Law::logNormal(600, 1);
    scenario.host.saysGoodbye = 0.3;
    scenario.seconds = 12 * 3600;
    const auto figures = Fleet(scenario).run();
    QVERIFY(figures.interruptions > 1000);
    QVERIFY(figures.totals.expired > 0);
    QVERIFY(figures.totals.stale > 0);
    QVERIFY(figures.totals.credited > 0);
    QVERIFY(figures.lanesAddUp);
    QVERIFY(figures.goodputWhileUp() < 1);
}

void TestFleet::crashesOfTheServerCostLittle()
{
    auto scenario = calmFleet();
    const double calm = Fleet(scenario).run().goodput();
    scenario.server.meanSecondsToCrash = 1800;
    scenario.server.repair = Law::constant(30);
    const auto figures = Fleet(scenario).run();
    QVERIFY(figures.serverCrashes > 10);
    QVERIFY(figures.lanesAddUp);
    QVERIFY2(figures.goodput() > calm - 0.02, qPrintable(QString::number(figures.goodput())));
}

void TestFleet::hostsThatTrainOnDoMoreThanHostsThatWait()
{
    auto scenario = homeFleet(200);
    scenario.seconds = 12 * 3600;
    const double trainsOn = Fleet(scenario).run().goodputWhileUp();
    scenario.run.round.shiftOnArrival = false;
    QVERIFY(trainsOn > Fleet(scenario).run().goodputWhileUp() + 0.02);
}

void TestFleet::theSynchronousBaselineIsAvailability()
{
    auto scenario = chipFleet(1'200'000, 1, false);
    const double stop = 365.0 * 86'400 / 1'200'000;
    QVERIFY(closeTo(lockstep(scenario, false, 0).goodput, stop / (stop + 71), 0.03));
}

void TestFleet::theElasticBaselinePaysForEveryChange()
{
    auto scenario = homeFleet(50);
    scenario.seconds = 48 * 3600;
    const double free = lockstep(scenario, true, 0).goodputWhileUp;
    QVERIFY(lockstep(scenario, true, 300).goodputWhileUp < 0.8 * free);
    QVERIFY(lockstep(scenario, false, 0).goodputWhileUp < free);
}

QTEST_GUILESS_MAIN(TestFleet)
#include "tst_fleet.moc"
