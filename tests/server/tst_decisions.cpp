// Small decisions of the server as pure functions, one table each: momentum of a merge, trust of a
// host, files that stay, losses that are too high.

#include "server/schedule/trust.h"
#include "server/sync/merge_settings.h"
#include "server/sync/retention.h"
#include "server/verify/loss_watch.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace commonweight;
using namespace commonweight::server;

namespace {

/// Losses of versions 0, 1, 2 …
std::vector<work::LossPoint> lossesOf(const std::vector<double>& losses)
{
    std::vector<work::LossPoint> points;
    for (const double loss : losses)
        points.push_back({points.size(), 0, loss, {}});
    return points;
}

} // namespace

class DecisionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void momentumFallsWithStaleness_data()
    {
        QTest::addColumn<QList<int>>("staleness"); // of contributions of equal weight
        QTest::addColumn<bool>("fineTune");
        QTest::addColumn<int>("target");
        QTest::addColumn<double>("momentum");
        QTest::newRow("all fresh") << QList<int>{0, 0, 0, 0} << false << 16 << 0.9;
        QTest::newRow("one of ten is a version old: hardly less")
            << QList<int>{0, 0, 0, 0, 0, 0, 0, 0, 0, 1} << false << 16 << 0.9;
        QTest::newRow("a version old on average: none") << QList<int>{1, 1} << false << 16 << 0.0;
        QTest::newRow("half of them two versions old: none")
            << QList<int>{0, 2} << false << 16 << 0.0;
        QTest::newRow("half a version old on average")
            << QList<int>{0, 1} << false << 16 << 0.9 * (1 - 0.4 / 0.9);
        QTest::newRow("very old: none") << QList<int>{8, 8} << false << 16 << 0.0;
        QTest::newRow("merged as it comes: none, fresh or not")
            << QList<int>{0} << false << 1 << 0.0;
        QTest::newRow("a fine-tune: none") << QList<int>{0, 0} << true << 16 << 0.0;
    }
    void momentumFallsWithStaleness()
    {
        QFETCH(QList<int>, staleness);
        QFETCH(bool, fineTune);
        QFETCH(int, target);
        QFETCH(double, momentum);
        work::RunConfig config;
        config.fineTune = fineTune;
        config.round.target = static_cast<std::uint32_t>(target);
        std::vector<exchange::Contribution> contributions;
        for (const int versions : staleness)
            contributions.push_back({.result = "r",
                                     .account = "a",
                                     .tokens = 1,
                                     .steps = 1,
                                     .staleness = static_cast<std::uint64_t>(versions)});
        const std::vector<double> weights(contributions.size(),
                                          1.0 / static_cast<double>(contributions.size()));
        const auto settings = mergeSettings(config, contributions, weights);
        QVERIFY2(std::abs(settings.momentum - momentum) < 1e-9,
                 std::to_string(settings.momentum).c_str());
        QCOMPARE(settings.maxStaleness, config.round.maxStaleness);
    }

    void trustGrowsWithValidatedUnits_data()
    {
        QTest::addColumn<int>("units");
        QTest::addColumn<double>("trust");
        QTest::newRow("new") << 0 << 0.25;
        QTest::newRow("one") << 1 << 0.325;
        QTest::newRow("five") << 5 << 0.625;
        QTest::newRow("nine") << 9 << 0.925;
        QTest::newRow("ten") << 10 << 1.0;
        QTest::newRow("a thousand") << 1000 << 1.0;
    }
    void trustGrowsWithValidatedUnits()
    {
        QFETCH(int, units);
        QFETCH(double, trust);
        QVERIFY(std::abs(trustOf(static_cast<std::uint64_t>(units)) - trust) < 1e-12);
    }

    void aboutTwoTrustedHostsOfARoundAreAskedForTheirMoments()
    {
        for (const std::uint64_t hosts : {1, 2, 8, 100}) {
            int asked = 0;
            constexpr int kRounds = 400;
            for (std::uint64_t unit = 0; unit < kRounds * hosts; ++unit)
                asked += asksForSecondMoments(10, hosts, 1, unit);
            const double perRound = asked / static_cast<double>(kRounds);
            const double expected = std::min<double>(2, static_cast<double>(hosts));
            QVERIFY2(std::abs(perRound - expected) < 0.25, std::to_string(perRound).c_str());
        }
        for (std::uint64_t unit = 0; unit < 100; ++unit)
            QVERIFY(!asksForSecondMoments(9, 1, 1, unit));
    }

    void whatARunKeeps_data()
    {
        QTest::addColumn<int>("newest");
        QTest::addColumn<int>("snapshots");
        QTest::addColumn<int>("anchorsFrom");
        QTest::addColumn<int>("replayFrom");
        QTest::addColumn<QList<int>>("starts");
        QTest::newRow("a new run") << 0 << 2 << 0 << 0 << QList<int>{0};
        QTest::newRow("before the first snapshot") << 31 << 2 << 22 << 0 << QList<int>{0};
        QTest::newRow("at the first snapshot") << 32 << 2 << 23 << 0 << QList<int>{32, 0};
        QTest::newRow("two newest snapshots") << 70 << 2 << 61 << 32 << QList<int>{64, 32};
        QTest::newRow("one") << 70 << 1 << 61 << 64 << QList<int>{64};
        QTest::newRow("three") << 100 << 3 << 91 << 32 << QList<int>{96, 64, 32};
        QTest::newRow("everything") << 100 << 0 << 0 << 0 << QList<int>{};
    }
    void whatARunKeeps()
    {
        QFETCH(int, newest);
        QFETCH(int, snapshots);
        QFETCH(int, anchorsFrom);
        QFETCH(int, replayFrom);
        QFETCH(QList<int>, starts);
        const auto definition = std::make_shared<RunDefinition>();
        RunRecord run{definition, {}};
        run.status.newestVersion = static_cast<std::uint64_t>(newest);
        const RetentionOptions options{static_cast<std::uint32_t>(snapshots)};
        const auto rule = retentionOf(run, options, {});
        QCOMPARE(static_cast<int>(rule.anchorsFrom), anchorsFrom);
        QCOMPARE(static_cast<int>(rule.replayFrom), replayFrom);
        QCOMPARE(QList<int>(rule.starts.begin(), rule.starts.end()), starts);
        // The last good version stays, however old it is.
        const auto withGood = retentionOf(run, options, 17);
        QCOMPARE(std::count(withGood.starts.begin(), withGood.starts.end(), 17U),
                 snapshots == 0 ? 0 : 1);
    }

    void lossesThatAreTooHigh_data()
    {
        QTest::addColumn<QList<double>>("earlier");
        QTest::addColumn<double>("loss");
        QTest::addColumn<bool>("bad");
        const QList<double> steady{2.0, 2.1, 2.0, 1.9, 2.0};
        QTest::newRow("nothing known") << QList<double>{} << 9.0 << false;
        QTest::newRow("too little known") << QList<double>{2.0, 2.0} << 9.0 << false;
        QTest::newRow("as before") << steady << 2.0 << false;
        QTest::newRow("three deviations are 0.19") << steady << 2.18 << false;
        QTest::newRow("a little more is too much") << steady << 2.20 << true;
        QTest::newRow("better") << steady << 0.5 << false;
        QTest::newRow("no tremor counts where all are alike")
            << QList<double>{2.0, 2.0, 2.0, 2.0} << 2.019 << false;
        QTest::newRow("more than a hundredth does")
            << QList<double>{2.0, 2.0, 2.0, 2.0} << 2.021 << true;
        QTest::newRow("a steep beginning allows much")
            << QList<double>{5.5, 4.0, 3.2, 2.9} << 5.0 << false;
        QTest::newRow("only the ten before count")
            << QList<double>{9, 9, 9, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2} << 2.1 << true;
        QTest::newRow("not a number")
            << steady << recordedLoss(std::numeric_limits<double>::quiet_NaN()) << true;
    }
    void lossesThatAreTooHigh()
    {
        QFETCH(QList<double>, earlier);
        QFETCH(double, loss);
        QFETCH(bool, bad);
        auto points = lossesOf({earlier.begin(), earlier.end()});
        const work::LossPoint point{points.size(), 0, loss, {}};
        points.push_back(point); // it and what follows must not count
        points.push_back({points.size(), 0, 100.0, {}});
        const auto verdict = judgeLoss(points, point);
        QCOMPARE(verdict.bad, bad);
        if (!earlier.isEmpty())
            QCOMPARE(verdict.lastGood, static_cast<std::uint64_t>(earlier.size() - 1));
    }
};

QTEST_GUILESS_MAIN(DecisionsTest)
#include "tst_decisions.moc"
