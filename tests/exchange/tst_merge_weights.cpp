#include "engine/exchange/merge.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <map>
#include <numeric>

using namespace commonweight;
using namespace commonweight::exchange;

namespace {

Contribution contribution(const char* account, std::uint64_t tokens, std::uint64_t steps = 10,
                          std::uint64_t staleness = 0, double trust = 1)
{
    return {"result", account, tokens, steps, staleness, trust};
}

double sumOf(const std::vector<double>& weights)
{
    return std::accumulate(weights.begin(), weights.end(), 0.0);
}

bool near(double a, double b)
{
    return std::abs(a - b) < 1e-12;
}

} // namespace

class TestMergeWeights : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stalenessFadesFromOneToZero()
    {
        QCOMPARE(stalenessWeight(0, 8), 1.0);
        // ½ (1 + cos(π s / 9)) e^(−0.1 s), worked out by hand
        QVERIFY(std::abs(stalenessWeight(1, 8) - 0.877553) < 1e-6);
        QVERIFY(std::abs(stalenessWeight(3, 8) - 0.555614) < 1e-6);
        QVERIFY(std::abs(stalenessWeight(8, 8) - 0.013549) < 1e-6);
        for (std::uint64_t s = 0; s < 8; ++s)
            QVERIFY(stalenessWeight(s + 1, 8) < stalenessWeight(s, 8));
        QCOMPARE(stalenessWeight(9, 8), 0.0);
        QCOMPARE(stalenessWeight(~std::uint64_t{0}, 8), 0.0);
        QCOMPARE(stalenessWeight(0, 0), 1.0);
        QCOMPARE(stalenessWeight(1, 0), 0.0);
    }

    void weightIsQuantityTimesRateTimesTrust()
    {
        // 100²/10 = 1000, 200²/10 = 4000, 100²/5 · ½ = 1000: sum 6000
        const auto weights = mergeWeights(
            {contribution("a", 100), contribution("b", 200), contribution("c", 100, 5, 0, 0.5)},
            {});
        QCOMPARE(weights.size(), std::size_t{3});
        QVERIFY(near(weights[0], 1.0 / 6) && near(weights[1], 4.0 / 6) &&
                near(weights[2], 1.0 / 6));
    }

    void staleResultsWeighLessAndVeryStaleOnesNothing()
    {
        const auto weights = mergeWeights(
            {contribution("a", 100), contribution("b", 100, 10, 2), contribution("c", 100, 10, 9)},
            {});
        QVERIFY(near(weights[1] / weights[0], stalenessWeight(2, 8)));
        QCOMPARE(weights[2], 0.0);
        QVERIFY(near(sumOf(weights), 1));
    }

    void nothingWithWeightGivesNoWeights()
    {
        QVERIFY(mergeWeights({}, {}).empty());
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const double inf = std::numeric_limits<double>::infinity();
        QVERIFY(mergeWeights({contribution("a", 0), contribution("b", 5, 0),
                              contribution("c", 5, 1, 0, -1), contribution("d", 5, 1, 0, nan),
                              contribution("e", 5, 1, 0, inf), contribution("f", 5, 1, 99)},
                             {})
                    .empty());
    }

    void noAccountIsAboveTheCap_data()
    {
        QTest::addColumn<QList<int>>("tokens"); // of accounts a, b, c …
        QTest::addColumn<QList<double>>("expected");
        QTest::newRow("none above")
            << QList<int>{10, 10, 10, 10} << QList<double>{.25, .25, .25, .25};
        QTest::newRow("one above")
            << QList<int>{20, 10, 10, 10, 10, 10} << QList<double>{.25, .15, .15, .15, .15, .15};
        // 100, 16, 4, 4, 4, 4 of 132: the first is capped, then the second has .75 · 16/32 = .375
        // and is, too
        QTest::newRow("one after another")
            << QList<int>{10, 4, 2, 2, 2, 2} << QList<double>{.25, .25, .125, .125, .125, .125};
        QTest::newRow("four take all")
            << QList<int>{100, 4, 2, 1} << QList<double>{.25, .25, .25, .25};
    }
    void noAccountIsAboveTheCap()
    {
        QFETCH(QList<int>, tokens);
        QFETCH(QList<double>, expected);
        std::vector<Contribution> contributions;
        for (const int count : tokens) {
            const std::string account(1, char('a' + contributions.size()));
            contributions.push_back(contribution(account.c_str(), std::uint64_t(count)));
        }
        const auto weights = mergeWeights(contributions, {});
        QVERIFY(near(sumOf(weights), 1));
        for (std::size_t i = 0; i < weights.size(); ++i)
            QVERIFY2(near(weights[i], expected[qsizetype(i)]),
                     qPrintable(QString::number(weights[i])));
    }

    void theCapIsForAnAccountNotForAResult()
    {
        std::vector<Contribution> contributions;
        for (int i = 0; i < 6; ++i)
            contributions.push_back(contribution("greedy", 10));
        for (const char* account : {"b", "c", "d"})
            contributions.push_back(contribution(account, 10));
        const auto weights = mergeWeights(contributions, {});
        for (int i = 0; i < 6; ++i)
            QVERIFY(near(weights[std::size_t(i)], 0.25 / 6));
        for (int i = 6; i < 9; ++i)
            QVERIFY(near(weights[std::size_t(i)], 0.25));
    }

    void fewerThanFourAccountsAreNotCapped()
    {
        const auto weights = mergeWeights({contribution("a", 10), contribution("b", 10),
                                           contribution("c", 10), contribution("a", 10)},
                                          {});
        for (const double weight : weights)
            QVERIFY(near(weight, 0.25));
        const auto alone = mergeWeights({contribution("a", 10)}, {});
        QCOMPARE(alone, std::vector<double>{1.0});
        // The fourth has no weight, so it does not count.
        const auto three = mergeWeights({contribution("a", 30), contribution("b", 10),
                                         contribution("c", 10), contribution("d", 10, 10, 9)},
                                        {});
        QVERIFY(near(three[0], 9.0 / 11));
    }

    void aCapThatCannotBeMetIsIgnored()
    {
        OuterSettings settings;
        settings.accountCap = 0.1;
        const auto weights = mergeWeights({contribution("a", 20), contribution("b", 10),
                                           contribution("c", 10), contribution("d", 10)},
                                          settings);
        QVERIFY(near(weights[0], 4.0 / 7));
    }
};

QTEST_GUILESS_MAIN(TestMergeWeights)
#include "tst_merge_weights.moc"
