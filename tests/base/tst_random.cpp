#include "engine/base/random.h"

#include <QTest>

#include <vector>

using namespace commonweight;

using Block = std::array<std::uint32_t, 4>;

class TestRandom : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void philoxGivesThePublishedNumbers();
    void eachCounterBitMatters();
    void uniform01StaysBelowOne();
    void uniformBelowIsTheScaledBlock();
    void uniformBelowIsFlat();
    void permutedIsABijection_data();
    void permutedIsABijection();
    void permutedStaysInsideLargeRanges();
    void permutedShufflesDifferentlyForEachKey();
    void permutedIsTheSameOnEveryMachine();
};

void TestRandom::philoxGivesThePublishedNumbers()
{
    // Known answers of Random123 for philox4x32-10.
    const std::uint64_t ones = ~std::uint64_t{0};
    QVERIFY((philox(0, 0, 0) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    QVERIFY((philox(ones, ones, ones) == Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    QVERIFY((philox(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e) ==
             Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

void TestRandom::eachCounterBitMatters()
{
    const auto base = philox(1, 2, 3);
    for (int bit = 0; bit < 64; ++bit) {
        const auto flip = std::uint64_t{1} << bit;
        QVERIFY(philox(1 ^ flip, 2, 3) != base);
        QVERIFY(philox(1, 2 ^ flip, 3) != base);
        QVERIFY(philox(1, 2, 3 ^ flip) != base);
    }
}

void TestRandom::uniform01StaysBelowOne()
{
    QCOMPARE(uniform01(0), 0.0f);
    QVERIFY(uniform01(0xffffffff) < 1.0f);
    QCOMPARE(uniform01(0x80000000), 0.5f);
}

void TestRandom::uniformBelowIsTheScaledBlock()
{
    // The first two numbers of block (0, 0) are 0.8805… of 2^64.
    QCOMPARE(uniformBelow(1000, 0, 0), std::uint64_t{880});
    QCOMPARE(uniformBelow(1, 0, 0), std::uint64_t{0});
    QCOMPARE(uniformBelow(~std::uint64_t{0}, 0, 0), std::uint64_t{0xe169c58d6627e8d4});
}

void TestRandom::uniformBelowIsFlat()
{
    constexpr int kDraws = 60'000;
    std::array<int, 6> counts{};
    for (std::uint64_t i = 0; i < kDraws; ++i)
        ++counts[uniformBelow(6, 42, i)];
    for (const int count : counts)
        QVERIFY2(std::abs(count - kDraws / 6) < 500, "more than five standard deviations off");
}

void TestRandom::permutedIsABijection_data()
{
    QTest::addColumn<int>("n");
    for (const int n : {1, 2, 3, 4, 5, 7, 16, 17, 63, 64, 65, 255, 256, 1000, 4096, 65'537})
        QTest::addRow("%d", n) << n;
}

void TestRandom::permutedIsABijection()
{
    QFETCH(int, n);
    for (const std::uint64_t key : {0ull, 1ull, 0xfedcba9876543210ull}) {
        std::vector<bool> seen(static_cast<std::size_t>(n));
        for (int i = 0; i < n; ++i) {
            const auto image = permuted(std::uint64_t(i), std::uint64_t(n), key);
            QVERIFY(image < std::uint64_t(n));
            QVERIFY(!seen[image]);
            seen[image] = true;
        }
    }
}

void TestRandom::permutedStaysInsideLargeRanges()
{
    for (const std::uint64_t n : {0x100000000ull, 0x100000001ull, 0x8000000000000001ull, ~0ull})
        for (std::uint64_t i = 0; i < 200; ++i)
            QVERIFY(permuted(n - 1 - i, n, 9) < n);
}

void TestRandom::permutedShufflesDifferentlyForEachKey()
{
    constexpr std::uint64_t kN = 1000;
    int fixedPoints = 0;
    int equal = 0;
    int neighbours = 0;
    for (std::uint64_t i = 0; i + 1 < kN; ++i) {
        fixedPoints += permuted(i, kN, 1) == i;
        equal += permuted(i, kN, 1) == permuted(i, kN, 2);
        neighbours += permuted(i, kN, 1) + 1 == permuted(i + 1, kN, 1);
    }
    // Each is about 1 for a random permutation.
    QVERIFY(fixedPoints < 10);
    QVERIFY(equal < 10);
    QVERIFY(neighbours < 10);
}

void TestRandom::permutedIsTheSameOnEveryMachine()
{
    // Written down once: a change would reorder the data of every run that is under way.
    std::vector<std::uint64_t> order;
    for (std::uint64_t i = 0; i < 10; ++i)
        order.push_back(permuted(i, 10, 7));
    QVERIFY((order == std::vector<std::uint64_t>{9, 3, 2, 7, 5, 4, 6, 8, 1, 0}));
}

QTEST_GUILESS_MAIN(TestRandom)
#include "tst_random.moc"
