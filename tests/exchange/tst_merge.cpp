#include "engine/exchange/merge.h"
#include "tests/exchange/sample_fragments.h"

#include "engine/base/sha256.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>

using namespace commonweight;
using namespace commonweight::exchange;

namespace {

using Gradients = std::vector<std::vector<float>>;

const Fragment kMatrix{0, {{"w", {1, 2}}}};
const Fragment kVector{0, {{"norm", {2}}}};

FragmentState zeroState(const Fragment& fragment)
{
    const auto elements = static_cast<std::size_t>(fragment.elements());
    return {std::vector<float>(elements), std::vector<float>(elements)};
}

ContributionSource sourceOf(const Gradients& gradients, std::vector<std::size_t>* asked = nullptr)
{
    return [&gradients, asked](std::size_t i, std::span<float> out) -> Result<void> {
        if (asked)
            asked->push_back(i);
        std::copy(gradients[i].begin(), gradients[i].end(), out.begin());
        return {};
    };
}

/// Θ ← −v: learning rate 1, no momentum, Θ = 0. Returns v.
std::vector<float> merged(const Fragment& fragment, const Gradients& gradients,
                          const std::vector<double>& weights, OuterSettings settings = {},
                          MergeReport* report = nullptr)
{
    settings.learningRate = 1;
    settings.momentum = 0;
    FragmentState state = zeroState(fragment);
    const auto result = mergeFragment(fragment, state, weights, sourceOf(gradients), settings);
    if (!result.ok())
        return {};
    if (report)
        *report = *result;
    for (float& value : state.parameters)
        value = 0 - value;
    return state.parameters;
}

bool near(const std::vector<float>& a, const std::vector<float>& b, double tolerance = 1e-6)
{
    if (a.size() != b.size())
        return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!(std::abs(double(a[i]) - b[i]) <= tolerance))
            return false;
    return true;
}

Gradients generated(const Fragment& fragment, std::size_t count)
{
    Gradients gradients;
    for (std::size_t i = 0; i < count; ++i)
        gradients.push_back(test::normalFor(fragment, 100 + i, 0.01f * float(i + 1)));
    return gradients;
}

std::vector<double> equalWeights(std::size_t count)
{
    return std::vector<double>(count, 1.0 / double(count));
}

/// The rule once more, plainly, in double and tensor by tensor, with every contribution at hand.
std::vector<float> reference(const Fragment& fragment, const Gradients& gradients,
                             const std::vector<double>& weights, const OuterSettings& settings)
{
    std::vector<float> result;
    std::size_t first = 0;
    for (const TensorSpec& spec : fragment.tensors) {
        const auto count = static_cast<std::size_t>(spec.elements());
        std::vector<double> norms, mean(count), direction(count);
        for (const auto& gradient : gradients)
            norms.push_back(
                std::sqrt(std::inner_product(gradient.begin() + std::ptrdiff_t(first),
                                             gradient.begin() + std::ptrdiff_t(first + count),
                                             gradient.begin() + std::ptrdiff_t(first), 0.0)));
        auto sorted = norms;
        std::sort(sorted.begin(), sorted.end());
        const std::size_t n = norms.size();
        const double median = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
        double length = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const bool clip = settings.clipToMedian && n >= 5 && norms[i] > median;
            const double factor = clip ? median / norms[i] : 1;
            length += weights[i] * norms[i] * factor;
            for (std::size_t e = 0; e < count; ++e) {
                mean[e] += weights[i] * factor * gradients[i][first + e];
                direction[e] += weights[i] * gradients[i][first + e] / norms[i];
            }
        }
        const double agreement = std::sqrt(
            std::inner_product(direction.begin(), direction.end(), direction.begin(), 0.0));
        const bool radial =
            settings.rule == "decoupled" && kindOf(spec) == TensorKind::Matrix && agreement >= 0.25;
        for (std::size_t e = 0; e < count; ++e)
            result.push_back(float(radial ? direction[e] * length / agreement : mean[e]));
        first += count;
    }
    return result;
}

} // namespace

class TestMerge : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void vectorsAreAveraged()
    {
        // ¼ (4, 0) + ¾ (0, 4)
        QVERIFY(near(merged(kVector, {{4, 0}, {0, 4}}, {0.25, 0.75}), {1, 3}));
    }

    void matricesKeepTheirMeanLength()
    {
        // Lengths 4 and 2, equal weights: r = 3; directions (1, 0) and (0, 1): u = (1, 1)/√2, ‖½ Σ
        // φ‖ = 1/√2
        MergeReport report;
        const float expected = 3 / std::sqrt(2.0f);
        QVERIFY(
            near(merged(kMatrix, {{4, 0}, {0, 2}}, {0.5, 0.5}, {}, &report), {expected, expected}));
        QVERIFY(std::abs(report.agreement - std::sqrt(0.5)) < 1e-6);
        QVERIFY(std::abs(report.mergedNorm - 3) < 1e-6);
    }

    void weightsTurnTheDirection()
    {
        // r = ¼·4 + ¾·2 = 2.5; Σ w φ = (¼, ¾), of length √10/4
        QVERIFY(near(merged(kMatrix, {{4, 0}, {0, 2}}, {0.25, 0.75}),
                     {float(2.5 / std::sqrt(10)), float(7.5 / std::sqrt(10))}));
    }

    void cancelledDirectionsFallBackToTheMean()
    {
        // Directions (1, 0) and (−1, 0): Σ w φ = 0, so the mean ½ (4 − 2) stays
        MergeReport report;
        QVERIFY(near(merged(kMatrix, {{4, 0}, {-2, 0}}, {0.5, 0.5}, {}, &report), {1, 0}));
        QVERIFY(report.agreement < 1e-6);
        // ‖Σ w φ‖ = 0.24 is just below the bound, 0.26 just above
        QVERIFY(near(merged(kMatrix, {{2, 0}, {-2, 0}}, {0.62, 0.38}), {0.48f, 0}));
        QVERIFY(near(merged(kMatrix, {{2, 0}, {-2, 0}}, {0.63, 0.37}), {2, 0}));
    }

    void theRuleMeanAveragesMatricesToo()
    {
        OuterSettings settings;
        settings.rule = "mean";
        MergeReport report;
        QVERIFY(near(merged(kMatrix, {{4, 0}, {0, 2}}, {0.5, 0.5}, settings, &report), {2, 1}));
        QVERIFY(std::abs(report.agreement - std::sqrt(5.0) / 3) < 1e-6);
    }

    void oneContributionIsTakenAsItIs()
    {
        const Fragment fragment = test::mixedFragment();
        const Gradients gradients = generated(fragment, 1);
        MergeReport report;
        QVERIFY(near(merged(fragment, gradients, {1}, {}, &report), gradients[0], 1e-7));
        QVERIFY(std::abs(report.agreement - 1) < 1e-6);
    }

    void aContributionOfZerosHasNoDirection()
    {
        // r = ½·4, the direction is the other's; in the vector it halves the mean
        QVERIFY(near(merged(kMatrix, {{4, 0}, {0, 0}}, {0.5, 0.5}), {2, 0}));
        QVERIFY(near(merged(kVector, {{4, 0}, {0, 0}}, {0.5, 0.5}), {2, 0}));
        QVERIFY(near(merged(kMatrix, {{0, 0}, {0, 0}}, {0.5, 0.5}), {0, 0}));
    }

    void fiveOrMoreAreClippedToTheMedianNorm()
    {
        const Gradients gradients{{1, 0}, {2, 0}, {3, 0}, {4, 0}, {1000, 0}};
        // median 3: lengths 1 2 3 3 3
        QVERIFY(near(merged(kMatrix, gradients, equalWeights(5)), {2.4f, 0}));
        QVERIFY(near(merged(kVector, gradients, equalWeights(5)), {2.4f, 0}));
        OuterSettings settings;
        settings.clipToMedian = false;
        QVERIFY(near(merged(kVector, gradients, equalWeights(5), settings), {202, 0}, 1e-4));
        const Gradients four(gradients.begin() + 1, gradients.end());
        QVERIFY(near(merged(kVector, four, equalWeights(4)), {252.25f, 0}, 1e-4));
    }

    void itEqualsThePlainFormula_data()
    {
        QTest::addColumn<QString>("rule");
        QTest::addColumn<int>("count");
        for (const char* rule : {"decoupled", "mean"})
            for (const int count : {1, 2, 4, 5, 6, 17})
                QTest::addRow("%s %d", rule, count) << QString::fromUtf8(rule) << count;
    }
    void itEqualsThePlainFormula()
    {
        QFETCH(QString, rule);
        QFETCH(int, count);
        const Fragment fragment = test::mixedFragment();
        const Gradients gradients = generated(fragment, std::size_t(count));
        std::vector<double> weights;
        for (int i = 0; i < count; ++i)
            weights.push_back(2.0 * (i + 1) / (count * (count + 1.0)));
        OuterSettings settings;
        settings.rule = rule.toStdString();
        const auto expected = reference(fragment, gradients, weights, settings);
        QVERIFY(near(merged(fragment, gradients, weights, settings), expected, 1e-7));
    }

    void theOrderOfContributionsDoesNotMatterBeyondRounding()
    {
        const Fragment fragment = test::mixedFragment();
        Gradients gradients = generated(fragment, 9);
        std::vector<double> weights{.2, .05, .1, .05, .1, .2, .1, .1, .1};
        const auto forward = merged(fragment, gradients, weights);
        std::reverse(gradients.begin(), gradients.end());
        std::reverse(weights.begin(), weights.end());
        QVERIFY(near(merged(fragment, gradients, weights), forward, 1e-7));
    }

    void theSameContributionsGiveTheSameBits()
    {
        const Fragment fragment = test::mixedFragment();
        const Gradients gradients = generated(fragment, 7);
        const auto once = merged(fragment, gradients, equalWeights(7));
        for (int i = 0; i < 3; ++i)
            QVERIFY(merged(fragment, gradients, equalWeights(7)) == once);
    }

    void theBitsAreTheGoldenOnes()
    {
        // A merge log is replayed on another machine and must give the published version's hash.
        const Fragment fragment = test::mixedFragment();
        const auto elements = static_cast<std::size_t>(fragment.elements());
        Gradients gradients;
        for (std::uint64_t i = 0; i < 6; ++i) {
            gradients.emplace_back(elements);
            for (std::size_t e = 0; e < elements; ++e)
                gradients[i][e] = (float(philox(i, e)[0] >> 8) - 8'000'000.0f) * 0x1p-30f;
        }
        FragmentState state = zeroState(fragment);
        for (int round = 0; round < 3; ++round)
            QVERIFY(
                mergeFragment(fragment, state, {.1, .1, .2, .2, .25, .15}, sourceOf(gradients), {})
                    .ok());
        const ByteView bytes(reinterpret_cast<const Byte*>(state.parameters.data()), 4 * elements);
        QCOMPARE(QByteArray::fromStdString(sha256(bytes).hex()),
                 QByteArray("84f5a7fbdef22763257f09ebcb54210c5ef51df62acc525d598dbc9ec9922e3f"));
    }

    void contributionsAreLoadedOnceOrTwiceInOrder()
    {
        const Fragment fragment = test::mixedFragment();
        for (const std::size_t count : {1u, 4u, 5u, 40u}) {
            const Gradients gradients = generated(fragment, count);
            std::vector<std::size_t> asked;
            FragmentState state = zeroState(fragment);
            QVERIFY(
                mergeFragment(fragment, state, equalWeights(count), sourceOf(gradients, &asked), {})
                    .ok());
            QVERIFY(asked.size() == count || asked.size() == 2 * count);
            for (std::size_t i = 0; i < asked.size(); ++i)
                QCOMPARE(asked[i], i % count);
        }
    }

    void matricesAndSmallNormsNeedOneLoadOnly()
    {
        const Fragment fragment{0, {{"w", {64, 64}}, {"norm", {64}}}};
        Gradients gradients = generated(fragment, 8);
        for (auto& gradient : gradients)
            for (float& value : gradient)
                value += 0.1f; // directions that agree
        std::vector<std::size_t> asked;
        FragmentState state = zeroState(fragment);
        QVERIFY(
            mergeFragment(fragment, state, equalWeights(8), sourceOf(gradients, &asked), {}).ok());
        QCOMPARE(asked.size(), std::size_t{8});
        OuterSettings settings;
        QVERIFY(near(merged(fragment, gradients, equalWeights(8)),
                     reference(fragment, gradients, equalWeights(8), settings), 1e-7));
    }

    void oneBufferServesAllContributions()
    {
        const Fragment fragment = test::mixedFragment();
        const Gradients gradients = generated(fragment, 50);
        std::set<const float*> buffers;
        const ContributionSource source = [&](std::size_t i, std::span<float> out) -> Result<void> {
            buffers.insert(out.data());
            std::copy(gradients[i].begin(), gradients[i].end(), out.begin());
            return {};
        };
        FragmentState state = zeroState(fragment);
        QVERIFY(mergeFragment(fragment, state, equalWeights(50), source, {}).ok());
        QCOMPARE(buffers.size(), std::size_t{1});
    }

    void contributionsWithoutWeightAreNotLoadedAndDoNotCount()
    {
        const Gradients gradients{{4, 0}, {1e6f, 1e6f}, {0, 4}};
        std::vector<std::size_t> asked;
        FragmentState state = zeroState(kVector);
        QVERIFY(mergeFragment(kVector, state, {0.5, 0, 0.5}, sourceOf(gradients, &asked), {}).ok());
        QVERIFY((asked == std::vector<std::size_t>{0, 2}));
        QVERIFY(near(merged(kVector, gradients, {0.5, 0, 0.5}), {2, 2}));
    }

    void weightsAreNormalised()
    {
        QVERIFY(near(merged(kVector, {{4, 0}, {0, 4}}, {10, 30}), {1, 3}));
    }

    void nesterovFollowsTheFormula()
    {
        // η = ½, μ = 0.8. Step 1: v = 1, b = 1, Θ = 1 − ½ (1 + 0.8) = 0.1
        // Step 2: v = 2, b = 0.8 + 2 = 2.8, Θ = 0.1 − ½ (2 + 2.24) = −2.02
        OuterSettings settings;
        settings.learningRate = 0.5;
        settings.momentum = 0.8;
        FragmentState state = zeroState(kVector);
        state.parameters = {1, 0};
        const Gradients one{{1, 0}}, two{{2, 0}};
        QVERIFY(mergeFragment(kVector, state, {1}, sourceOf(one), settings).ok());
        QVERIFY(near(state.parameters, {0.1f, 0}));
        QVERIFY(near(state.momentum, {1, 0}));
        QVERIFY(mergeFragment(kVector, state, {1}, sourceOf(two), settings).ok());
        QVERIFY(near(state.parameters, {-2.02f, 0}));
        QVERIFY(near(state.momentum, {2.8f, 0}));
    }

    void momentumRestartsAfterThreeMergesAgainstIt()
    {
        OuterSettings settings;
        FragmentState state = zeroState(kVector);
        const Gradients with{{100, 0}}, against{{-1, 0}}, across{{0, 1}};
        const auto merge = [&](const Gradients& gradients) {
            return mergeFragment(kVector, state, {1}, sourceOf(gradients), settings)
                ->momentumRestarted;
        };
        QVERIFY(!merge(with));
        QVERIFY(!merge(against));
        QVERIFY(!merge(against));
        QCOMPARE(state.opposed, 2u);
        QVERIFY(!merge(with)); // interrupted: it starts from nought
        QCOMPARE(state.opposed, 0u);
        QVERIFY(!merge(against));
        QVERIFY(!merge(against));
        QVERIFY(merge(against));
        QCOMPARE(state.opposed, 0u);
        QVERIFY(near(state.momentum, {-1, 0})); // only the last merge is left of it
        QVERIFY(!merge(across));                // a right angle is not against
        QCOMPARE(state.opposed, 0u);
    }

    void momentumSurvivesMergesThatNoiseTurnsALittleAgainstIt()
    {
        FragmentState state = zeroState(kVector);
        const Gradients with{{100, 0}};
        QVERIFY(mergeFragment(kVector, state, {1}, sourceOf(with), {}).ok());
        for (int i = 0; i < 8; ++i) {
            // An angle of about 107°, to either side.
            const Gradients noisy{{-0.3f, i % 2 == 0 ? 1.0f : -1.0f}};
            const auto report = mergeFragment(kVector, state, {1}, sourceOf(noisy), {});
            QVERIFY(!report->momentumRestarted);
            QCOMPARE(state.opposed, 0u);
        }
    }

    void failuresLeaveTheStateAlone_data()
    {
        QTest::addColumn<int>("failing"); // call of the source that fails; -1: bad values
        QTest::newRow("first load") << 0;
        QTest::newRow("last load") << 5;
        QTest::newRow("second load") << 8;
        QTest::newRow("not finite") << -1;
    }
    void failuresLeaveTheStateAlone()
    {
        QFETCH(int, failing);
        const Fragment fragment = test::mixedFragment();
        Gradients gradients = generated(fragment, 6);
        if (failing < 0)
            gradients[3][200] = std::numeric_limits<float>::infinity();
        int calls = 0;
        const ContributionSource source = [&](std::size_t i, std::span<float> out) -> Result<void> {
            if (calls++ == failing)
                return Error{ErrorKind::Io, "the disk is gone"};
            std::copy(gradients[i].begin(), gradients[i].end(), out.begin());
            return {};
        };
        FragmentState state = zeroState(fragment);
        state.momentum = test::normalFor(fragment, 1);
        state.opposed = 2;
        const FragmentState before = state;
        const auto result = mergeFragment(fragment, state, equalWeights(6), source, {});
        QCOMPARE(result.error().kind, failing < 0 ? ErrorKind::Corrupt : ErrorKind::Io);
        QVERIFY(state.parameters == before.parameters && state.momentum == before.momentum);
        QCOMPARE(state.opposed, 2u);
    }

    void senselessCallsAreRefused()
    {
        const Gradients gradients{{1, 2}};
        FragmentState state = zeroState(kVector);
        const double nan = std::numeric_limits<double>::quiet_NaN();
        for (const std::vector<double>& weights :
             {std::vector<double>{}, std::vector<double>{0}, std::vector<double>{-1},
              std::vector<double>{nan}})
            QCOMPARE(mergeFragment(kVector, state, weights, sourceOf(gradients), {}).error().kind,
                     ErrorKind::Protocol);
        OuterSettings settings;
        settings.rule = "diloco";
        QCOMPARE(mergeFragment(kVector, state, {1}, sourceOf(gradients), settings).error().kind,
                 ErrorKind::Protocol);
        state.momentum.pop_back();
        QCOMPARE(mergeFragment(kVector, state, {1}, sourceOf(gradients), {}).error().kind,
                 ErrorKind::Corrupt);
    }

    void implausiblyLargeValuesAreRefused()
    {
        for (const float bad : {1e19f, 3e38f, -1e30f, std::nanf("")}) {
            const Gradients gradients{{1, bad}};
            FragmentState state = zeroState(kMatrix);
            QCOMPARE(mergeFragment(kMatrix, state, {1}, sourceOf(gradients), {}).error().kind,
                     ErrorKind::Corrupt);
        }
        QVERIFY(near(merged(kMatrix, {{1e-35f, 0}}, {1}), {0, 0}));
    }

    void normsAreThoseOfTheTensors()
    {
        const Fragment fragment{0, {{"a", {1, 2}}, {"b", {3}}}};
        const auto norms = tensorNorms(fragment, std::vector<float>{3, 4, 12, 0, 0});
        QCOMPARE(norms.norms, (std::vector<double>{5, 12}));
        QCOMPARE(norms.total, 13.0);
        const float inf = std::numeric_limits<float>::infinity();
        QVERIFY(!std::isfinite(tensorNorms(fragment, std::vector<float>{3, 4, inf, 0, 0}).total));
        QVERIFY(std::isfinite(tensorNorms(fragment, std::vector<float>(5, 3e38f)).total));
    }
};

QTEST_GUILESS_MAIN(TestMerge)
#include "tst_merge.moc"
