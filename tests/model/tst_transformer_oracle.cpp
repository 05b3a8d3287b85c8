// engine/model's transformer on the CPU device against LibTorch's autograd in double precision.
#include "engine/base/random.h"
#include "engine/model/transformer.h"
#include "gpu/registry.h"
#include "tests/model/torch_model.h"

#include <QTest>

#include <cmath>

using namespace commonweight;
using model::BatchShape;
using model::ModelConfig;

namespace {

struct Case {
    ModelConfig config;
    BatchShape shape;
};

constexpr double kBound = 1e-4; // relative, fp32 against fp64

// ‖a − b‖ / ‖b‖
double relativeError(std::span<const float> ours, const std::vector<double>& theirs)
{
    double difference = 0;
    double size = 0;
    for (std::size_t i = 0; i < theirs.size(); ++i) {
        const double d = static_cast<double>(ours[i]) - theirs[i];
        difference += d * d;
        size += theirs[i] * theirs[i];
    }
    return std::sqrt(difference / std::max(size, 1e-300));
}

test::TorchModelShape torchShape(const ModelConfig& config)
{
    return {config.vocabularySize, config.hiddenSize,   config.intermediateSize, config.layers,
            config.heads,          config.kvHeads,      config.headSize,         config.ropeTheta,
            config.rmsNormEpsilon, config.tieEmbeddings};
}

// Initial parameters with norms that are not all 1, so that a forgotten norm weight shows.
std::vector<float> testParameters(const ModelConfig& config)
{
    auto parameters = model::initialParameters(config, 7);
    std::size_t at = 0;
    for (const auto& tensor : model::parameterLayout(config)) {
        for (std::int64_t i = 0; i < tensor.elements(); ++i, ++at) {
            if (tensor.shape.size() == 1)
                parameters[at] = 0.75F + uniform01(philox(3, at)[0]) / 2;
            else
                parameters[at] *= 4; // far enough from zero for attention to matter
        }
    }
    return parameters;
}

std::vector<std::int32_t> testTokens(const Case& c, std::uint64_t key)
{
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(c.shape.sequences * c.shape.length));
    for (std::size_t i = 0; i < tokens.size(); ++i)
        tokens[i] = static_cast<std::int32_t>(
            uniformBelow(static_cast<std::uint64_t>(c.config.vocabularySize), key, i));
    return tokens;
}

void giveParameters(test::TorchModel& oracle, const ModelConfig& config,
                    const std::vector<float>& flat)
{
    const float* at = flat.data();
    for (const auto& tensor : model::parameterLayout(config)) {
        oracle.setParameter(tensor.name, at, tensor.elements());
        at += tensor.elements();
    }
}

} // namespace

Q_DECLARE_METATYPE(Case)

class TransformerOracleTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<gpu::Device> m_device;

    template <class Theirs>
    void compareTensors(const ModelConfig& config, const std::vector<float>& ours, Theirs theirs)
    {
        std::size_t at = 0;
        for (const auto& tensor : model::parameterLayout(config)) {
            const auto count = static_cast<std::size_t>(tensor.elements());
            const double error =
                relativeError(std::span(ours).subspan(at, count), theirs(tensor.name));
            QVERIFY2(error < kBound, qPrintable(QString::fromStdString(tensor.name) +
                                                QStringLiteral(": ") + QString::number(error)));
            at += count;
        }
    }

    static void cases()
    {
        QTest::addColumn<Case>("c");
        const ModelConfig small{.vocabularySize = 61,
                                .hiddenSize = 48,
                                .intermediateSize = 72,
                                .layers = 2,
                                .heads = 4,
                                .kvHeads = 4,
                                .headSize = 12};
        QTest::newRow("every head its own, tied") << Case{small, {2, 32}};
        auto grouped = small;
        grouped.kvHeads = 2;
        grouped.tieEmbeddings = false;
        QTest::newRow("grouped queries, untied") << Case{grouped, {2, 33}};
        auto one = small;
        one.kvHeads = 1;
        QTest::newRow("one key and value head") << Case{one, {1, 65}};
        auto odd = small;
        odd.hiddenSize = 21;
        odd.headSize = 6;
        odd.heads = 3;
        odd.kvHeads = 1;
        odd.intermediateSize = 35;
        odd.layers = 3;
        odd.tieEmbeddings = false;
        odd.ropeTheta = 500;
        odd.rmsNormEpsilon = 1e-3;
        QTest::newRow("odd extents") << Case{odd, {3, 17}};
        QTest::newRow("one token") << Case{odd, {1, 1}};
        auto words = small;
        words.vocabularySize = 2003;
        QTest::newRow("logits in several chunks") << Case{words, {3, 211}};
        QTest::newRow("long context") << Case{grouped, {1, 1100}};
    }

private Q_SLOTS:
    void initTestCase()
    {
        test::TorchModel::setThreads(1);
        auto device = gpu::Registry(COMMONWEIGHT_LIB_DIR).open("cpu", {.threads = 2});
        QVERIFY2(device.ok(), device.ok() ? "" : device.error().message.c_str());
        m_device = std::move(*device);
    }

    void lossAndEveryGradientAgree_data() { cases(); }
    void lossAndEveryGradientAgree()
    {
        QFETCH(Case, c);
        const auto parameters = testParameters(c.config);
        const auto tokens = testTokens(c, 1);
        const auto targets = testTokens(c, 2);
        test::TorchModel oracle(torchShape(c.config), true);
        giveParameters(oracle, c.config, parameters);
        auto created =
            model::Transformer::create(*m_device, c.config, c.shape, model::Purpose::Train);
        QVERIFY(created.ok());
        auto& ours = **created;
        QVERIFY(ours.setParameters(parameters).ok());

        const double expected = oracle.forwardBackward(tokens.data(), targets.data(),
                                                       c.shape.sequences, c.shape.length);
        const auto evaluated = ours.loss(tokens, targets);
        QVERIFY(evaluated.ok());
        QVERIFY(std::abs(*evaluated - expected) < kBound * expected);
        QVERIFY(ours.zeroGradient().ok());
        const auto loss = ours.forwardBackward(tokens, targets);
        QVERIFY(loss.ok());
        QCOMPARE(*loss, *evaluated);
        std::vector<float> gradient(parameters.size());
        QVERIFY(ours.getGradient(gradient).ok());
        compareTensors(c.config, gradient,
                       [&](const std::string& name) { return oracle.gradient(name); });
    }

    void tenOptimizerStepsAgree_data() { cases(); }
    void tenOptimizerStepsAgree()
    {
        QFETCH(Case, c);
        auto parameters = testParameters(c.config);
        test::TorchModel oracle(torchShape(c.config), true);
        giveParameters(oracle, c.config, parameters);
        auto created =
            model::Transformer::create(*m_device, c.config, c.shape, model::Purpose::Train);
        QVERIFY(created.ok());
        auto& ours = **created;
        QVERIFY(ours.setParameters(parameters).ok());
        // A large epsilon keeps the division by tiny second moments from magnifying rounding.
        const test::TorchAdamW settings{3e-3, 0.9, 0.95, 1e-4, 0.1};
        for (int step = 1; step <= 10; ++step) {
            const auto tokens = testTokens(c, 100 + 2 * static_cast<std::uint64_t>(step));
            const auto targets = testTokens(c, 101 + 2 * static_cast<std::uint64_t>(step));
            oracle.zeroGradient();
            const double expected = oracle.forwardBackward(tokens.data(), targets.data(),
                                                           c.shape.sequences, c.shape.length);
            const double expectedNorm = oracle.clipGradient(0.5);
            oracle.adamW(settings);

            QVERIFY(ours.zeroGradient().ok());
            const auto loss = ours.forwardBackward(tokens, targets);
            QVERIFY(loss.ok());
            QVERIFY2(std::abs(*loss - expected) < kBound * expected,
                     qPrintable(QString::number(step)));
            const auto norm = ours.gradientNorm();
            QVERIFY(norm.ok());
            QVERIFY(std::abs(*norm - expectedNorm) < kBound * expectedNorm);
            QVERIFY(ours.adamW({.learningRate = settings.learningRate,
                                .beta1 = settings.beta1,
                                .beta2 = settings.beta2,
                                .epsilon = settings.epsilon,
                                .weightDecay = settings.weightDecay,
                                .correction1 = 1 - std::pow(settings.beta1, step),
                                .correction2 = 1 - std::pow(settings.beta2, step),
                                .gradientScale = std::min(1.0, 0.5 / (*norm + 1e-6))})
                        .ok());
        }
        QVERIFY(ours.getParameters(parameters).ok());
        compareTensors(c.config, parameters,
                       [&](const std::string& name) { return oracle.parameter(name); });
    }

    void nextTokenLogitsAgreeForShortPrefixes_data() { cases(); }
    void nextTokenLogitsAgreeForShortPrefixes()
    {
        QFETCH(Case, c);
        const auto parameters = testParameters(c.config);
        const auto tokens = testTokens(c, 1);
        test::TorchModel oracle(torchShape(c.config), true);
        giveParameters(oracle, c.config, parameters);
        auto created = model::Transformer::create(*m_device, c.config, {1, c.shape.length},
                                                  model::Purpose::Evaluate);
        QVERIFY(created.ok());
        QVERIFY((*created)->setParameters(parameters).ok());
        std::vector<float> logits(static_cast<std::size_t>(c.config.vocabularySize));
        for (const std::int64_t length :
             {c.shape.length, std::int64_t{1}, (c.shape.length + 1) / 2}) {
            const auto prefix = std::span(tokens).first(static_cast<std::size_t>(length));
            QVERIFY((*created)->nextTokenLogits(prefix, logits).ok());
            QVERIFY(relativeError(logits, oracle.logits(tokens.data(), length)) < kBound);
        }
    }
};

QTEST_GUILESS_MAIN(TransformerOracleTest)
#include "tst_transformer_oracle.moc"
