#include "engine/exchange/topk_codec.h"
#include "tests/exchange/sample_fragments.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

using namespace commonweight;
using namespace commonweight::exchange;

namespace {

struct Encoded {
    Bytes picks, scales, levels;

    explicit Encoded(std::size_t count)
        : picks(chunksOf(count) * kChunkBytes), scales(2 * chunksOf(count)),
          levels(kLevels * sizeof(float))
    {}
    TopkParts parts() { return {picks.data(), scales.data(), levels.data()}; }
    TopkView view() const { return {picks.data(), scales.data(), levels.data()}; }
};

Encoded encoded(const std::vector<float>& values)
{
    Encoded file(values.size());
    if (!encodeTopk(values.data(), values.size(), file.parts()))
        file.picks.clear();
    return file;
}

std::vector<float> decoded(const Encoded& file, std::size_t count)
{
    std::vector<float> out(count, 7);
    return decodeTopk(file.view(), count, out.data()) ? out : std::vector<float>();
}

std::vector<std::size_t> placesOf(const std::vector<float>& values)
{
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != 0)
            places.push_back(i);
    return places;
}

/// The same choice, by sorting everything.
std::vector<std::size_t> largestByHand(const std::vector<float>& values)
{
    std::vector<std::size_t> chosen;
    for (std::size_t first = 0; first < values.size(); first += kChunk) {
        const std::size_t size = std::min(kChunk, values.size() - first);
        std::vector<std::size_t> order(size);
        std::iota(order.begin(), order.end(), first);
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return std::abs(values[a]) > std::abs(values[b]);
        });
        chosen.insert(chosen.end(), order.begin(),
                      order.begin() + static_cast<std::ptrdiff_t>((size + 63) / 64));
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

} // namespace

class TestTopkCodec : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theLargestOfEachChunkAreKept_data()
    {
        QTest::addColumn<int>("count");
        for (const int count : {1, 63, 64, 65, 1000, 4095, 4096, 4097, 8192, 20000})
            QTest::newRow(qPrintable(QString::number(count))) << count;
    }
    void theLargestOfEachChunkAreKept()
    {
        QFETCH(int, count);
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            const auto values = test::normal(std::size_t(count), seed, 0.01f);
            const auto out = decoded(encoded(values), values.size());
            QCOMPARE(out.size(), values.size());
            QCOMPARE(placesOf(out), largestByHand(values));
            for (const std::size_t place : placesOf(out)) {
                QCOMPARE(std::signbit(out[place]), std::signbit(values[place]));
                QVERIFY(std::abs(out[place] / values[place] - 1) < 0.6f);
            }
        }
    }

    void ofEqualOnesTheFirstAreKept()
    {
        const auto out = decoded(encoded(std::vector<float>(4096, -0.5f)), 4096);
        std::vector<std::size_t> first(64);
        std::iota(first.begin(), first.end(), std::size_t{0});
        QCOMPARE(placesOf(out), first);
        QCOMPARE(out[0], -0.5f);
    }

    void valuesBecomeTheMeansOfTheirKind()
    {
        // Scale: mean of 1, 1, 3, 3 = 2; small ones are ½ of it, large ones 1½.
        std::vector<float> values(256);
        values[3] = 1;
        values[70] = -1;
        values[71] = 3;
        values[255] = -3;
        const auto out = decoded(encoded(values), values.size());
        QVERIFY(out == values);
    }

    void noughtStaysNought()
    {
        for (const std::size_t count : {std::size_t{1}, std::size_t{100}, std::size_t{5000}}) {
            const std::vector<float> zeros(count);
            QVERIFY(decoded(encoded(zeros), count) == zeros);
        }
        // One chunk of zeros beside one that is not.
        std::vector<float> values(5000);
        values[4500] = 2;
        QVERIFY(decoded(encoded(values), 5000) == values);
        // Values at the end of a short chunk, the rest zeros.
        std::vector<float> last(130);
        last[129] = 4;
        QVERIFY(decoded(encoded(last), 130) == last);
    }

    void whatIsKeptCostsAnEighthOfTheEnergyAtMost()
    {
        const auto values = test::normal(1 << 18, 3);
        const auto out = decoded(encoded(values), values.size());
        double kept = 0, error = 0;
        for (std::size_t i = 0; i < values.size(); ++i)
            if (out[i] != 0) {
                kept += double(values[i]) * values[i];
                error += std::pow(double(values[i]) - out[i], 2);
            }
        QVERIFY2(error < kept / 8, qPrintable(QString::number(error / kept)));
    }

    void whatNoOuterGradientIsIsRefused()
    {
        for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity(), 1e37f})
            for (const std::size_t place : {std::size_t{0}, std::size_t{4999}}) {
                std::vector<float> values(5000, 1);
                values[place] = bad;
                QVERIFY(encoded(values).picks.empty());
            }
        const std::vector<float> large(100, 0x1p120f);
        QVERIFY(decoded(encoded(large), 100)[0] == 0x1p120f);
    }

    void extremesStayInRange()
    {
        // One giant among dwarfs: the level of the large ones is at its greatest.
        std::vector<float> values(4096, 1e-38f);
        values[17] = 0x1p119f;
        const auto out = decoded(encoded(values), values.size());
        QVERIFY(std::abs(out[17] / values[17] - 1) < 0.01f);
        const auto tiny = decoded(encoded(std::vector<float>(64, 1e-45f)), 64);
        QCOMPARE(tiny.size(), std::size_t{64});
    }

    void randomBytesAreRefusedOrStayInBounds()
    {
        int accepted = 0;
        for (std::uint64_t round = 0; round < 3000; ++round) {
            const std::size_t count = 1 + std::size_t(uniformBelow(9000, round, 1));
            Encoded file = encoded(test::normal(count, round));
            Bytes& part = round % 3 == 0 ? file.scales : round % 3 == 1 ? file.levels : file.picks;
            for (int i = 0; i < 3; ++i)
                part[std::size_t(uniformBelow(part.size(), round, 10 + std::uint64_t(i)))] =
                    Byte(philox(round, 20 + std::uint64_t(i))[0]);
            std::vector<float> out(count + 64, 7);
            if (!decodeTopk(file.view(), count, out.data()))
                continue;
            ++accepted;
            for (std::size_t i = 0; i < count; ++i)
                QVERIFY(std::isfinite(out[i]));
            QVERIFY(std::all_of(out.begin() + std::ptrdiff_t(count), out.end(),
                                [](float value) { return value == 7; }));
        }
        QVERIFY(accepted > 100 && accepted < 2900);
    }

    void placesThatCannotBeAreRefused_data()
    {
        QTest::addColumn<int>("byte");
        QTest::addColumn<int>("value");
        QTest::newRow("too many places") << 8 << 0xFF;
        QTest::newRow("too few places") << 0 << 0;
        QTest::newRow("a place behind the end") << 16 << 0x3F;
        QTest::newRow("an unused place") << 17 << 0x01;
        QTest::newRow("an unused code") << 64 << 0x04;
    }
    void placesThatCannotBeAreRefused()
    {
        QFETCH(int, byte);
        QFETCH(int, value);
        Encoded file = encoded({1, 2, 3}); // one place: the last
        QVERIFY(!decoded(file, 3).empty());
        file.picks[std::size_t(byte)] = Byte(value);
        QVERIFY(decoded(file, 3).empty());
    }
};

QTEST_GUILESS_MAIN(TestTopkCodec)
#include "tst_topk_codec.moc"
