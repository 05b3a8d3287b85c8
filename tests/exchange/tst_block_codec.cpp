#include "engine/exchange/block_codec.h"
#include "engine/exchange/philox_block.h"
#include "tests/exchange/sample_fragments.h"

#include <QTest>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

using namespace commonweight;
using namespace commonweight::exchange;

namespace {

const float kInfinity = std::numeric_limits<float>::infinity();

struct Codes {
    Bytes codes;
    Bytes scales;
    bool operator==(const Codes&) const = default;
};

/// The two block codecs behind one face.
struct BlockCodec {
    int limit = 127;

    std::size_t bytesOf(std::size_t count) const
    {
        return limit == 127 ? count : int4BytesOf(count);
    }
    bool encode(std::span<const float> values, Rounding rounding, Codes& out) const
    {
        out = {Bytes(bytesOf(values.size())), Bytes(2 * blocksOf(values.size()))};
        return (limit == 127 ? encodeInt8 : encodeInt4)(values.data(), values.size(), rounding,
                                                        out.codes.data(), out.scales.data());
    }
    bool decode(const Codes& in, std::span<float> out) const
    {
        return (limit == 127 ? decodeInt8 : decodeInt4)(in.codes.data(), in.scales.data(),
                                                        out.size(), out.data());
    }
};

float scaleOf(const Codes& codes, std::size_t element)
{
    std::uint16_t half;
    std::memcpy(&half, codes.scales.data() + 2 * (element / kBlock), 2);
    return std::bit_cast<float>(std::uint32_t{half} << 16);
}

void addCodecRows()
{
    QTest::addColumn<int>("limit");
    QTest::newRow("int8") << 127;
    QTest::newRow("int4") << 7;
}

} // namespace

class TestBlockCodec : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aBlockOfRandomNumbersIsThatOfTheBase()
    {
        std::uint32_t words[kPhiloxWords];
        for (const std::uint64_t counter :
             {std::uint64_t{0}, std::uint64_t{32}, std::uint64_t{0xFFFFFFE0},
              std::uint64_t{1} << 32, (std::uint64_t{7} << 40) + 64}) {
            philoxBlock(0x0123456789ABCDEF, counter, words);
            for (std::size_t j = 0; j < kPhiloxLanes; ++j) {
                const auto expected = philox(0x0123456789ABCDEF, counter + j);
                for (std::size_t k = 0; k < 4; ++k)
                    QCOMPARE(words[k * kPhiloxLanes + j], expected[k]);
            }
        }
    }

    void codesFollowTheFormula_data() { addCodecRows(); }
    void codesFollowTheFormula()
    {
        QFETCH(int, limit);
        const std::uint64_t seed = 99, firstBlock = 5;
        const auto values = test::normal(kBlock + 37, 3, 0.02f);
        Codes codes;
        QVERIFY(BlockCodec{limit}.encode(values, {seed, firstBlock}, codes));
        std::vector<float> decoded(values.size());
        QVERIFY(BlockCodec{limit}.decode(codes, decoded));
        int different = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::size_t e = i % kBlock;
            const auto words = philox(seed, 32 * (firstBlock + i / kBlock) + e % 32);
            const std::uint32_t word = words[e % 128 / 32];
            const double r = (e < 128 ? word & 0x7FFF : word >> 17) / 32768.0;
            const double scale = scaleOf(codes, i);
            const double expected =
                std::clamp(std::floor(values[i] / scale + r), -double(limit), double(limit));
            different += decoded[i] != float(expected * scale);
        }
        QVERIFY2(different <= 1,
                 "fixed point may differ from the formula at the edge of a step only");
    }

    void noValueMovesByMoreThanOneStep_data() { addCodecRows(); }
    void noValueMovesByMoreThanOneStep()
    {
        QFETCH(int, limit);
        for (const float deviation : {1e-30f, 1e-10f, 1e-3f, 1.0f, 1e10f, 1e30f}) {
            for (const std::size_t count : {1u, 2u, 3u, 255u, 256u, 257u, 1000u}) {
                const auto values = test::normal(count, count, deviation);
                Codes codes;
                QVERIFY(BlockCodec{limit}.encode(values, {count, 0}, codes));
                std::vector<float> decoded(count);
                QVERIFY(BlockCodec{limit}.decode(codes, decoded));
                for (std::size_t i = 0; i < count; ++i) {
                    const double step = scaleOf(codes, i);
                    QVERIFY(std::abs(double(decoded[i]) - values[i]) <= step * 1.0001);
                }
            }
        }
    }

    void theScaleIsTheGreatestMagnitudeRoundedUp_data() { addCodecRows(); }
    void theScaleIsTheGreatestMagnitudeRoundedUp()
    {
        QFETCH(int, limit);
        for (std::uint64_t seed = 0; seed < 200; ++seed) {
            const auto values = test::normal(kBlock, seed, 0.01f);
            float greatest = 0;
            for (const float value : values)
                greatest = std::max(greatest, std::abs(value));
            Codes codes;
            QVERIFY(BlockCodec{limit}.encode(values, {seed, 0}, codes));
            const double exact = double(greatest) / limit;
            QVERIFY(scaleOf(codes, 0) >= exact * (1 - 1e-7));
            QVERIFY(scaleOf(codes, 0) <= exact * (1 + 1.0 / 128));
        }
    }

    void roundingIsUnbiased_data() { addCodecRows(); }
    void roundingIsUnbiased()
    {
        QFETCH(int, limit);
        constexpr int kSeeds = 4000;
        const auto values = test::normal(kBlock, 1, 1);
        std::vector<double> sums(values.size());
        std::vector<float> decoded(values.size());
        Codes codes;
        for (int seed = 0; seed < kSeeds; ++seed) {
            QVERIFY(BlockCodec{limit}.encode(values, {std::uint64_t(seed), 0}, codes));
            QVERIFY(BlockCodec{limit}.decode(codes, decoded));
            for (std::size_t i = 0; i < values.size(); ++i)
                sums[i] += double(decoded[i]) - values[i];
        }
        // An error has variance f (1 − f) ≤ 1/4 steps², so the mean of n errors has deviation ≤
        // step / (2 √n).
        const double step = scaleOf(codes, 0);
        double all = 0;
        for (const double sum : sums) {
            QVERIFY(std::abs(sum / kSeeds) < 5 * step / (2 * std::sqrt(double(kSeeds))));
            all += sum;
        }
        const double n = double(kSeeds) * double(values.size());
        QVERIFY(std::abs(all / n) < 4 * step / (2 * std::sqrt(n)));
    }

    void equalInputGivesEqualBytesAndTheSeedMatters_data() { addCodecRows(); }
    void equalInputGivesEqualBytesAndTheSeedMatters()
    {
        QFETCH(int, limit);
        const auto values = test::normal(1000, 8);
        Codes a, b, c, d;
        QVERIFY(BlockCodec{limit}.encode(values, {1, 0}, a));
        QVERIFY(BlockCodec{limit}.encode(values, {1, 0}, b));
        QVERIFY(BlockCodec{limit}.encode(values, {2, 0}, c));
        QVERIFY(BlockCodec{limit}.encode(values, {1, 1}, d));
        QVERIFY(a == b);
        QVERIFY(a != c);
        QVERIFY(a != d);
    }

    void zeroStaysZero_data() { addCodecRows(); }
    void zeroStaysZero()
    {
        QFETCH(int, limit);
        const std::vector<float> values(300, 0.0f);
        Codes codes;
        QVERIFY(BlockCodec{limit}.encode(values, {1, 0}, codes));
        std::vector<float> decoded(300, 5.0f);
        QVERIFY(BlockCodec{limit}.decode(codes, decoded));
        QVERIFY(decoded == values);
    }

    void whatIsNotFiniteIsRefused_data() { addCodecRows(); }
    void whatIsNotFiniteIsRefused()
    {
        QFETCH(int, limit);
        for (const float bad : {kInfinity, -kInfinity, std::nanf(""), -std::nanf(""), 2e36f}) {
            for (const std::size_t place : {0u, 255u, 256u, 299u}) {
                std::vector<float> values(300, 1.0f);
                values[place] = bad;
                Codes codes;
                Bytes plain(1200);
                QVERIFY(!BlockCodec{limit}.encode(values, {1, 0}, codes));
                QVERIFY(!encodeFp32(values.data(), values.size(), plain.data()));
                QVERIFY(!encodeBf16(values.data(), values.size(), plain.data()));
            }
        }
    }

    void theLargestAcceptedValueSurvives_data() { addCodecRows(); }
    void theLargestAcceptedValueSurvives()
    {
        QFETCH(int, limit);
        const std::vector<float> values{0x1p120f, -0x1p120f, 1};
        Codes codes;
        QVERIFY(BlockCodec{limit}.encode(values, {1, 0}, codes));
        std::vector<float> decoded(3);
        QVERIFY(BlockCodec{limit}.decode(codes, decoded));
        QVERIFY(std::abs(decoded[0] / values[0] - 1) < 0.01f);
    }

    void badScalesAreRefused_data() { addCodecRows(); }
    void badScalesAreRefused()
    {
        QFETCH(int, limit);
        const auto values = test::normal(300, 8);
        Codes codes;
        QVERIFY(BlockCodec{limit}.encode(values, {1, 0}, codes));
        std::vector<float> decoded(300);
        for (const int bad : {0x7F80, 0x7FC0, 0x8000, 0xBF80, 0xFFFF, 0x7C00}) {
            Codes hostile = codes;
            hostile.scales[2] = Byte(bad & 0xFF);
            hostile.scales[3] = Byte(bad >> 8);
            QVERIFY(!BlockCodec{limit}.decode(hostile, decoded));
        }
    }

    void everyCodeUnderTheLargestScaleIsFinite()
    {
        Codes codes{Bytes(256), Bytes{0x80, 0x7B}};
        for (std::size_t i = 0; i < 256; ++i)
            codes.codes[i] = Byte(i);
        std::vector<float> decoded(256);
        for (const int limit : {127, 7}) {
            QVERIFY(BlockCodec{limit}.decode(codes, decoded));
            for (const float value : decoded)
                QVERIFY(std::isfinite(value));
        }
    }

    void halvesOfABlockShareItsBytes()
    {
        // Values that are whole steps (greatest 7, so the scale is 1) do not depend on the random
        // numbers.
        const std::vector<float> values{7, -7, 0, 1, -1};
        Bytes codes(int4BytesOf(5)), scales(2);
        QVERIFY(encodeInt4(values.data(), 5, {1, 0}, codes.data(), scales.data()));
        QCOMPARE(toHex(scales), std::string("803f"));
        // h = 3: (7, 1), (−7, −1), (0, nothing = 0), each plus 8.
        QCOMPARE(toHex(codes), std::string("9f"
                                           "71"
                                           "88"));
    }

    void bf16RoundsToNearestEven()
    {
        const std::vector<float> values{1.0f, -2.5f,
                                        std::bit_cast<float>(0x3F808000), // tie, down to even
                                        std::bit_cast<float>(0x3F818000), // tie, up to even
                                        std::bit_cast<float>(0x3F808001)};
        Bytes out(10);
        QVERIFY(encodeBf16(values.data(), 5, out.data()));
        QCOMPARE(toHex(out), std::string("803f"
                                         "20c0"
                                         "803f"
                                         "823f"
                                         "813f"));
        std::vector<float> decoded(5);
        QVERIFY(decodeBf16(out.data(), 5, decoded.data()));
        QCOMPARE(decoded[1], -2.5f);
        out[1] = 0x7F;
        out[0] = 0x80;
        QVERIFY(!decodeBf16(out.data(), 5, decoded.data()));
    }

    void fp32IsExactAndUnalignedInputIsFine()
    {
        const auto values = test::normal(5000, 8);
        Bytes file(1 + values.size() * 4);
        QVERIFY(encodeFp32(values.data(), values.size(), file.data() + 1));
        std::vector<float> decoded(values.size());
        QVERIFY(decodeFp32(file.data() + 1, values.size(), decoded.data()));
        QVERIFY(decoded == values);
        std::memcpy(file.data() + 1 + 4 * 4999, &kInfinity, 4);
        QVERIFY(!decodeFp32(file.data() + 1, values.size(), decoded.data()));
    }
};

QTEST_GUILESS_MAIN(TestBlockCodec)
#include "tst_block_codec.moc"
