// When to try again.

#include "engine/transfer/backoff.h"

#include <QTest>

#include <set>

using namespace commonweight;
using namespace commonweight::transfer;

namespace {

constexpr MonotonicTime kNow{std::chrono::hours{5}};

double waitAfter(int failures, std::uint64_t seed, Seconds retryAfter = Seconds{-1})
{
    Backoff backoff(Seconds{2}, Seconds{3600}, seed);
    for (int i = 0; i < failures; ++i)
        backoff.failed(kNow, retryAfter);
    return backoff.wait(kNow).count();
}

} // namespace

class TestBackoff : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theFirstTryIsFree();
    void aFailureMustBeWaitedOut();
    void waitsDoubleAndStayBelowTheirBound();
    void waitsNeverExceedTheCap();
    void hostsSpreadOverTheWholeWait();
    void retryAfterIsObeyed();
    void retryAfterIsSpreadToo();
    void retryAfterStaysBelowTheCap();
    void successForgetsTheFailures();
    void equalSeedsGiveEqualWaits();
};

void TestBackoff::theFirstTryIsFree()
{
    const Backoff backoff;
    QVERIFY(backoff.mayTry(kNow));
    QVERIFY(backoff.mayTry(MonotonicTime{}));
    QCOMPARE(backoff.wait(kNow).count(), 0.0);
}

void TestBackoff::aFailureMustBeWaitedOut()
{
    Backoff backoff(Seconds{2}, Seconds{3600}, 7);
    backoff.failed(kNow, Seconds{10});
    QCOMPARE(backoff.failures(), 1);
    QVERIFY(!backoff.mayTry(kNow));
    QVERIFY(!backoff.mayTry(kNow + std::chrono::seconds(9)));
    QVERIFY(backoff.mayTry(kNow + std::chrono::seconds(12)));
    QCOMPARE(backoff.wait(kNow + std::chrono::seconds(12)).count(), 0.0);
}

void TestBackoff::waitsDoubleAndStayBelowTheirBound()
{
    for (int failures = 1; failures <= 10; ++failures) {
        double sum = 0;
        const double bound = std::min(2.0 * (1 << (failures - 1)), 3600.0);
        for (std::uint64_t seed = 0; seed < 400; ++seed) {
            const double wait = waitAfter(failures, seed);
            QVERIFY(wait >= 0 && wait <= bound);
            sum += wait;
        }
        QVERIFY(std::abs(sum / 400 / bound - 0.5) < 0.06);
    }
}

void TestBackoff::waitsNeverExceedTheCap()
{
    for (const int failures : {12, 13, 100, 2000})
        for (std::uint64_t seed = 0; seed < 20; ++seed)
            QVERIFY(waitAfter(failures, seed) <= 3600.0);
}

void TestBackoff::hostsSpreadOverTheWholeWait()
{
    std::set<int> tenths;
    for (std::uint64_t seed = 0; seed < 400; ++seed)
        tenths.insert(static_cast<int>(waitAfter(5, seed) / 3.2));
    QCOMPARE(tenths.size(), std::size_t(10));
}

void TestBackoff::retryAfterIsObeyed()
{
    for (std::uint64_t seed = 0; seed < 50; ++seed)
        QVERIFY(waitAfter(1, seed, Seconds{120}) >= 120.0);
}

void TestBackoff::retryAfterIsSpreadToo()
{
    std::set<double> waits;
    for (std::uint64_t seed = 0; seed < 50; ++seed)
        waits.insert(waitAfter(1, seed, Seconds{120}));
    QVERIFY(waits.size() > 40);
    QVERIFY(*waits.rbegin() <= 132.0);
}

void TestBackoff::retryAfterStaysBelowTheCap()
{
    QVERIFY(waitAfter(1, 1, Seconds{86400}) <= 3600.0);
}

void TestBackoff::successForgetsTheFailures()
{
    Backoff backoff(Seconds{2}, Seconds{3600}, 3);
    for (int i = 0; i < 9; ++i)
        backoff.failed(kNow);
    backoff.succeeded();
    QCOMPARE(backoff.failures(), 0);
    QVERIFY(backoff.mayTry(kNow));
    backoff.failed(kNow);
    QVERIFY(backoff.wait(kNow).count() <= 2.0);
}

void TestBackoff::equalSeedsGiveEqualWaits()
{
    QCOMPARE(waitAfter(6, 42), waitAfter(6, 42));
    QVERIFY(waitAfter(6, 42) != waitAfter(6, 43));
}

QTEST_GUILESS_MAIN(TestBackoff)
#include "tst_backoff.moc"
