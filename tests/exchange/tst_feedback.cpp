#include "engine/exchange/feedback.h"
#include "tests/exchange/sample_fragments.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace commonweight;
using namespace commonweight::exchange;

namespace {

const Fragment kFragment{0, {{"w", {40, 128}}, {"norm", {16}}}};
constexpr std::size_t kSize = 40 * 128 + 16;

OuterGradientInfo info(Codec codec = Codec::TopK)
{
    return {codec, "r", "u", 0, 1, 2, 3};
}

std::vector<float> decodedOf(const Bytes& file)
{
    std::vector<float> out(kSize);
    if (!decodeOuterGradient(file, kFragment, out).ok())
        out.clear();
    return out;
}

} // namespace

class TestFeedback : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void onlyTopkWantsAResidual()
    {
        QVERIFY(wantsResidual(Codec::TopK));
        for (const Codec codec : {Codec::Fp32, Codec::Bf16, Codec::Int8, Codec::Int4})
            QVERIFY(!wantsResidual(codec));
    }

    void whatIsSentAndWhatIsKeptAreTheWhole()
    {
        const auto values = test::normal(kSize, 1, 0.01f);
        auto residual = test::normal(kSize, 2, 0.01f);
        const auto before = residual;
        const auto file = encodeWithResidual(kFragment, values, residual, 2, info(), 5);
        const auto sent = decodedOf(*file);
        for (std::size_t i = 0; i < kSize; ++i)
            QVERIFY(std::abs(sent[i] + residual[i] - (values[i] + 0.9025f * before[i])) < 1e-7f);
    }

    void inTheEndAlmostEverythingIsSent()
    {
        // The same outer gradient again and again: without feedback 1 of 64 elements would ever
        // arrive. With it each one's share of the whole comes close to the others'.
        const auto values = test::normal(kSize, 1, 0.01f);
        std::vector<float> residual(kSize), sum(kSize);
        constexpr int kRounds = 400;
        for (int round = 0; round < kRounds; ++round) {
            const auto file =
                encodeWithResidual(kFragment, values, residual, 1, info(), std::uint64_t(round));
            const auto sent = decodedOf(*file);
            for (std::size_t i = 0; i < kSize; ++i)
                sum[i] += sent[i];
        }
        double dot = 0, a = 0, b = 0;
        for (std::size_t i = 0; i < kSize; ++i) {
            dot += double(sum[i]) * values[i];
            a += double(sum[i]) * sum[i];
            b += double(values[i]) * values[i];
        }
        const double cosine = dot / std::sqrt(a * b);
        QVERIFY2(cosine > 0.75, qPrintable(QString::number(cosine)));
    }

    void withoutAResidualItIsPlainEncoding()
    {
        const auto values = test::normal(kSize, 1, 0.01f);
        std::vector<float> residual(kSize);
        const auto file = encodeWithResidual(kFragment, values, residual, 1, info(), 5);
        QVERIFY(*file == *encodeOuterGradient(kFragment, values, info(), 5));
    }

    void aFailureLeavesTheResidualAlone()
    {
        auto values = test::normal(kSize, 1);
        values[7] = std::numeric_limits<float>::quiet_NaN();
        auto residual = test::normal(kSize, 2);
        const auto before = residual;
        QCOMPARE(encodeWithResidual(kFragment, values, residual, 1, info(), 5).error().kind,
                 ErrorKind::Protocol);
        QVERIFY(residual == before);
    }
};

QTEST_GUILESS_MAIN(TestFeedback)
#include "tst_feedback.moc"
