// A whole model: the same loss curve on every device.
#include "engine/model/transformer.h"
#include "gpu/check/reference_device.h"
#include "tests/gpu/conformance_suite.h"

#include <QTest>

#include <cmath>
#include <string_view>

namespace commonweight::test {

namespace {

constexpr int kSteps = 50;
constexpr model::BatchShape kBatch{2, 24};
constexpr std::string_view kText =
    "Many hands make light work, and many small computers make one model, if each of them does "
    "the same sums and nobody has to wait for anybody else. ";

model::ModelConfig smallModel()
{
    model::ModelConfig config;
    config.vocabularySize = 128;
    config.hiddenSize = 32;
    config.intermediateSize = 72;
    config.layers = 2;
    config.heads = 4;
    config.kvHeads = 2;
    config.headSize = 8;
    config.maxPositions = kBatch.length;
    return config;
}

/// Windows of the text, one byte further for the targets.
std::vector<std::int32_t> window(int step, int shift)
{
    std::vector<std::int32_t> tokens;
    for (std::int64_t i = 0; i < kBatch.sequences * kBatch.length; ++i) {
        const auto at = static_cast<std::size_t>(i + 31 * step + shift);
        tokens.push_back(kText[at % kText.size()]);
    }
    return tokens;
}

Result<std::vector<double>> lossCurve(gpu::Device& device)
{
    const auto config = smallModel();
    CW_TRY(const auto transformer,
           model::Transformer::create(device, config, kBatch, model::Purpose::Train));
    const auto parameters = model::initialParameters(config, 7);
    CW_CHECK(transformer->setParameters(parameters));
    std::vector<double> losses;
    for (int step = 0; step < kSteps; ++step) {
        CW_CHECK(transformer->zeroGradient());
        CW_TRY(const double loss, transformer->forwardBackward(window(step, 0), window(step, 1)));
        losses.push_back(loss);
        CW_TRY(const double norm, transformer->gradientNorm());
        model::AdamWStep update;
        update.learningRate = 0.01;
        update.correction1 = 1 - std::pow(0.9, step + 1);
        update.correction2 = 1 - std::pow(0.99, step + 1);
        update.gradientScale = 1 / std::max(norm, 1.0);
        CW_CHECK(transformer->adamW(update));
    }
    return losses;
}

const std::vector<double>& rightCurve()
{
    static const auto kCurve = [] {
        gpu::ReferenceDevice reference;
        const auto curve = lossCurve(reference);
        return curve ? *curve : std::vector<double>{};
    }();
    return kCurve;
}

} // namespace

class TrainingSuite final : public ConformanceSuite {
    Q_OBJECT

private Q_SLOTS:
    void theLossCurveIsThatOfPlainLoops()
    {
        const auto curve = lossCurve(device());
        QVERIFY2(curve.ok(), curve.ok() ? "" : curve.error().message.c_str());
        const auto& right = rightCurve();
        QCOMPARE(curve->size(), right.size());
        QVERIFY(right.back() < 0.75 * right.front());
        // Rounding differs and training amplifies it, step by step.
        const double bound = numericClass() == "fp32" ? 1e-3 : 1e-1;
        double worst = 0;
        for (std::size_t step = 0; step < right.size(); ++step)
            worst = std::max(worst, std::abs((*curve)[step] - right[step]) / right[step]);
        qInfo("loss %.4f to %.4f, at most %.2g beside plain loops", right.front(), right.back(),
              worst);
        QVERIFY2(worst <= bound, qPrintable(QString::number(worst)));
    }

    void theLossCurveIsTheSameEachTime()
    {
        const auto other = openAnother(1);
        const auto once = lossCurve(device());
        const auto again = lossCurve(*other);
        QVERIFY(once.ok() && again.ok());
        QCOMPARE(*once, *again);
    }
};

std::unique_ptr<ConformanceSuite> makeTrainingSuite()
{
    return std::make_unique<TrainingSuite>();
}

} // namespace commonweight::test

#include "conformance_training.moc"
