// The layers of a transformer, forward and backward.
#include "tests/gpu/conformance_suite.h"

#include <QTest>

#include <cmath>

namespace commonweight::test {

namespace {

HeadShape torchShape(const gpu::AttentionShape& s)
{
    return {s.sequences, s.length, s.heads, s.kvHeads, s.headSize};
}

Doubles angles(const gpu::AttentionShape& shape, double theta)
{
    Doubles table;
    for (std::int64_t position = 0; position < shape.length; ++position) {
        for (std::int64_t i = 0; i < shape.headSize; i += 2) {
            const double power = -static_cast<double>(i) / static_cast<double>(shape.headSize);
            const double angle = static_cast<double>(position) * std::pow(theta, power);
            table.push_back(std::cos(angle));
            table.push_back(std::sin(angle));
        }
    }
    return table;
}

} // namespace

class LayersSuite final : public ConformanceSuite {
    Q_OBJECT

private Q_SLOTS:
    void embeddingAgrees_data() { rowShapes(); }
    void embeddingAgrees()
    {
        QFETCH(qint64, rows);
        QFETCH(qint64, width);
        const std::int64_t vocabulary = 11; // so that tokens repeat
        const auto table = randomValues(vocabulary * width, 1);
        const auto tokens = randomTokens(rows, vocabulary, 2);
        const auto gradOut = randomValues(rows * width, 3);
        const auto before = randomValues(vocabulary * width, 4);
        const auto expected = test::embedding(table, width, tokens, gradOut);
        const auto tableMemory = put(table);
        const auto tokenMemory = put(tokens);
        const auto out = empty(rows * width);
        device().embedding(out.slice(), tableMemory.slice(), tokenMemory.slice(), width);
        compare(out.values(), expected.out, Operation::Embedding);
        const auto gradTable = put(before);
        const auto grad = put(gradOut);
        device().embeddingBackward(gradTable.slice(), grad.slice(), tokenMemory.slice(), width);
        compare(gradTable.values(), sum(expected.gradTable, before), Operation::EmbeddingBackward,
                rows);
    }

    void rmsNormAgrees_data() { rowShapes(); }
    void rmsNormAgrees()
    {
        QFETCH(qint64, rows);
        QFETCH(qint64, width);
        const auto x = randomValues(rows * width, 1);
        const auto weight = randomValues(width, 2);
        const auto gradY = randomValues(rows * width, 3);
        const auto beforeX = randomValues(rows * width, 4);
        const auto beforeWeight = randomValues(width, 5);
        const auto expected = test::rmsNorm(x, weight, gradY, 1e-3);
        const auto xMemory = put(x);
        const auto weightMemory = put(weight);
        const auto y = empty(rows * width);
        const auto reciprocal = empty(rows);
        device().rmsNorm({xMemory.slice(), weightMemory.slice(), y.slice(), reciprocal.slice(),
                          rows, width, 1e-3F});
        compare(y.values(), expected.y, Operation::RmsNorm, width);
        compare(reciprocal.values(), expected.reciprocal, Operation::RmsNorm, width);
        const auto gradYMemory = put(gradY);
        const auto gradX = put(beforeX);
        const auto gradWeight = put(beforeWeight);
        device().rmsNormBackward({xMemory.slice(), weightMemory.slice(), reciprocal.slice(),
                                  gradYMemory.slice(), gradX.slice(), gradWeight.slice(), rows,
                                  width});
        compare(gradX.values(), sum(expected.gradX, beforeX), Operation::RmsNormBackward, width);
        compare(gradWeight.values(), sum(expected.gradWeight, beforeWeight),
                Operation::RmsNormBackward, rows);
    }

    void ropeAgreesAndTurnsBack_data() { attentionShapes(); }
    void ropeAgreesAndTurnsBack()
    {
        const auto shape = fetchShape();
        const double theta = 500;
        const auto values = randomValues(shape.rows() * shape.rowWidth(), 1);
        const auto qkv = put(values);
        const auto table = put(angles(shape, theta));
        device().rope({shape, qkv.slice(), table.slice(), gpu::Direction::Forward});
        compare(qkv.values(), test::rope(values, torchShape(shape), theta), Operation::Rope);
        device().rope({shape, qkv.slice(), table.slice(), gpu::Direction::Backward});
        compare(qkv.values(), values, Operation::Rope);
    }

    void attentionAgrees_data() { attentionShapes(); }
    void attentionAgrees()
    {
        const auto shape = fetchShape();
        const auto values = rounded(randomValues(shape.rows() * shape.rowWidth(), 1, 2));
        const auto gradOutValues =
            rounded(randomValues(shape.rows() * shape.heads * shape.headSize, 2));
        const auto expected = test::attention(values, torchShape(shape), gradOutValues);
        const auto qkv = put(values);
        const auto out = empty(shape.rows() * shape.heads * shape.headSize);
        const auto logSum = empty(shape.rows() * shape.heads);
        device().attention({shape, qkv.slice(), out.slice(), logSum.slice()});
        compare(out.values(), expected.out, Operation::Attention, shape.length);
        compare(logSum.values(), expected.logSum, Operation::Attention, shape.length);
        const auto gradOut = put(gradOutValues);
        const auto gradQkv = empty(shape.rows() * shape.rowWidth());
        device().attentionBackward(
            {shape, qkv.slice(), out.slice(), logSum.slice(), gradOut.slice(), gradQkv.slice()});
        compare(gradQkv.values(), expected.gradQkv, Operation::AttentionBackward, shape.length);
    }

    void sharpAttentionStaysFinite()
    {
        // Scores of some thousands: all weight on one key, whose exponential alone is beyond fp32.
        const gpu::AttentionShape shape{1, 70, 2, 1, 16};
        const auto values = randomValues(shape.rows() * shape.rowWidth(), 9, 60);
        const auto qkv = put(values);
        const auto out = empty(shape.rows() * shape.heads * shape.headSize);
        const auto logSum = empty(shape.rows() * shape.heads);
        device().attention({shape, qkv.slice(), out.slice(), logSum.slice()});
        for (const float value : out.values())
            QVERIFY(std::isfinite(value));
        for (const float value : logSum.values())
            QVERIFY(std::isfinite(value));
    }

    void swiGluAgrees_data() { rowShapes(); }
    void swiGluAgrees()
    {
        QFETCH(qint64, rows);
        QFETCH(qint64, width);
        const auto values = randomValues(rows * 2 * width, 1, 4);
        const auto gradOutValues = randomValues(rows * width, 2);
        const auto expected = test::swiGlu(values, width, gradOutValues);
        const auto gateUp = put(values);
        const auto out = empty(rows * width);
        device().swiGlu({gateUp.slice(), out.slice(), rows, width});
        compare(out.values(), expected.out, Operation::SwiGlu);
        const auto gradOut = put(gradOutValues);
        const auto separate = empty(rows * 2 * width);
        device().swiGluBackward({gateUp.slice(), gradOut.slice(), separate.slice(), rows, width});
        compare(separate.values(), expected.gradGateUp, Operation::SwiGluBackward);
        device().swiGluBackward({gateUp.slice(), gradOut.slice(), gateUp.slice(), rows, width});
        QCOMPARE(gateUp.values(), separate.values());
    }

    void softmaxCrossEntropyAgrees_data() { rowShapes(); }
    void softmaxCrossEntropyAgrees()
    {
        QFETCH(qint64, rows);
        QFETCH(qint64, width);
        constexpr double kScale = 0.125;
        const auto values = randomValues(rows * width, 1, 6);
        const auto targetValues = randomTokens(rows, width, 2);
        const auto expected = test::softmaxCrossEntropy(values, targetValues, kScale);
        const auto logits = put(values);
        const auto targets = put(targetValues);
        const auto losses = empty(rows);
        device().softmaxCrossEntropy(
            {logits.slice(), targets.slice(), losses.slice(), rows, width, 0, false});
        compare(losses.values(), expected.losses, Operation::SoftmaxCrossEntropy, width);
        compare(logits.values(), values, Operation::Copy); // no gradient, no change
        device().softmaxCrossEntropy(
            {logits.slice(), targets.slice(), losses.slice(), rows, width, kScale, true});
        compare(losses.values(), expected.losses, Operation::SoftmaxCrossEntropy, width);
        compare(logits.values(), expected.gradLogits, Operation::SoftmaxCrossEntropy, width);
    }

    void extremeLogitsGiveFiniteLosses()
    {
        const auto logits = put(Doubles{1e4, -1e4, 0, -3e38, 3e38, 0});
        const auto targets = put(std::vector<std::int32_t>{0, 1});
        const auto losses = empty(2);
        device().softmaxCrossEntropy(
            {logits.slice(), targets.slice(), losses.slice(), 2, 3, 1, true});
        QCOMPARE(losses.values(), (std::vector<float>{0, 0}));
        QCOMPARE(logits.values(), std::vector<float>(6, 0));
    }

    void anImpossibleTokenGivesNotANumber()
    {
        const auto table = put(Doubles(6, 1.0));
        const auto tokens = put(std::vector<std::int32_t>{2, 3, -1});
        const auto out = empty(6);
        device().embedding(out.slice(), table.slice(), tokens.slice(), 2);
        QVERIFY(out.values()[0] == 1.0F && std::isnan(out.values()[2]) &&
                std::isnan(out.values()[4]));
        device().embeddingBackward(table.slice(), out.slice(), tokens.slice(), 2);
        QCOMPARE(table.values(), (std::vector<float>{1, 1, 1, 1, 2, 2}));
        const auto losses = empty(3);
        const auto logits = put(Doubles(6, 1.0));
        device().softmaxCrossEntropy(
            {logits.slice(), tokens.slice(), losses.slice(), 3, 2, 1, true});
        QVERIFY(std::isnan(losses.values()[0]) && std::isnan(losses.values()[1]) &&
                std::isnan(losses.values()[2]));
    }
};

std::unique_ptr<ConformanceSuite> makeLayersSuite()
{
    return std::make_unique<LayersSuite>();
}

} // namespace commonweight::test

#include "conformance_layers.moc"
