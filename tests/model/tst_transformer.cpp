// What a transformer promises besides right numbers: memory, determinism, errors, and gradients
// that are slopes.
#include "engine/base/random.h"
#include "engine/model/transformer.h"
#include "tests/model/cpu_device.h"

#include <QTest>

#include <cmath>
#include <cstring>

using namespace commonweight;
using model::BatchShape;
using model::ModelConfig;
using model::Purpose;
using model::Transformer;

Q_DECLARE_METATYPE(ModelConfig)

class TransformerTest : public QObject {
    Q_OBJECT

private:
    using Tokens = std::vector<std::int32_t>;

    static ModelConfig tiny() { return *model::presetByName("tiny", 40); }

    static Tokens tokens(const ModelConfig& config, BatchShape shape, std::uint64_t key)
    {
        Tokens result(static_cast<std::size_t>(shape.sequences * shape.length));
        for (std::size_t i = 0; i < result.size(); ++i)
            result[i] = static_cast<std::int32_t>(
                uniformBelow(static_cast<std::uint64_t>(config.vocabularySize), key, i));
        return result;
    }

    static std::unique_ptr<Transformer> make(gpu::Device& device, const ModelConfig& config,
                                             BatchShape shape, Purpose purpose = Purpose::Train)
    {
        auto created = Transformer::create(device, config, shape, purpose);
        if (!created)
            qFatal("%s", created.error().message.c_str());
        if (!(*created)->setParameters(model::initialParameters(config, 5)))
            qFatal("parameters refused");
        return std::move(*created);
    }

    struct Trained {
        std::vector<double> losses;
        std::vector<float> parameters, first, second;
        bool operator==(const Trained&) const = default;
    };

    static Trained train(int threads, BatchShape shape, int steps)
    {
        const auto device = test::openCpu(threads);
        const auto config = *model::presetByName("demo", 256);
        const auto model = make(*device, config, shape);
        Trained result;
        for (int step = 1; step <= steps; ++step) {
            const auto key = static_cast<std::uint64_t>(step);
            (void)model->zeroGradient();
            result.losses.push_back(*model->forwardBackward(tokens(config, shape, key),
                                                            tokens(config, shape, key + 99)));
            const double norm = *model->gradientNorm();
            (void)model->adamW({.learningRate = 1e-3, .gradientScale = std::min(1.0, 1 / norm)});
        }
        const auto count = static_cast<std::size_t>(config.parameters());
        result.parameters.resize(count);
        result.first.resize(count);
        result.second.resize(count);
        (void)model->getParameters(result.parameters);
        (void)model->getMoments(result.first, result.second);
        return result;
    }

private Q_SLOTS:
    void sameInputsGiveTheSameBytesWithAnyNumberOfThreads()
    {
        const BatchShape shape{3, 70};
        const auto once = train(2, shape, 3);
        QVERIFY(once.losses.front() != once.losses.back());
        QVERIFY(once == train(2, shape, 3));
        QVERIFY(once == train(1, shape, 3));
        QVERIFY(once == train(5, shape, 3));
    }

    void theGradientIsTheSlopeOfTheLoss_data()
    {
        QTest::addColumn<ModelConfig>("config");
        QTest::newRow("grouped, tied") << tiny();
        auto untied = tiny();
        untied.tieEmbeddings = false;
        untied.headSize = 6;
        QTest::newRow("untied, odd head") << untied;
    }
    void theGradientIsTheSlopeOfTheLoss()
    {
        QFETCH(ModelConfig, config);
        const auto device = test::openCpu(2);
        const BatchShape shape{2, 9};
        const auto model = make(*device, config, shape);
        auto start = model::initialParameters(config, 5);
        for (auto& value : start)
            value = value == 1.0F ? value : value * 8; // away from the flat start
        const auto in = tokens(config, shape, 1);
        const auto out = tokens(config, shape, 2);
        QVERIFY(model->setParameters(start).ok());
        QVERIFY(model->zeroGradient().ok() && model->forwardBackward(in, out).ok());
        std::vector<float> gradient(start.size());
        QVERIFY(model->getGradient(gradient).ok());

        const auto lossAt = [&](const std::vector<float>& direction, double distance) {
            auto moved = start;
            for (std::size_t i = 0; i < moved.size(); ++i)
                moved[i] += static_cast<float>(distance) * direction[i];
            return model->setParameters(moved).ok() ? *model->loss(in, out) : NAN;
        };
        // One direction for each tensor, so that none hides behind the others.
        std::size_t first = 0;
        for (const auto& tensor : model::parameterLayout(config)) {
            std::vector<float> direction(start.size());
            double expected = 0;
            const auto count = static_cast<std::size_t>(tensor.elements());
            for (std::size_t i = first; i < first + count; ++i) {
                direction[i] = gradient[i] < 0 ? -1.0F : 1.0F;
                expected += static_cast<double>(direction[i]) * static_cast<double>(gradient[i]);
            }
            const double distance = 4e-3 / std::sqrt(static_cast<double>(count));
            const double slope =
                (lossAt(direction, distance) - lossAt(direction, -distance)) / (2 * distance);
            QVERIFY2(std::abs(slope - expected) < 0.02 * expected + 1e-4,
                     qPrintable(QStringLiteral("%1: slope %2, gradient %3")
                                    .arg(QString::fromStdString(tensor.name))
                                    .arg(slope)
                                    .arg(expected)));
            first += count;
        }
    }

    void gradientsOfMicroBatchesAddUp()
    {
        const auto device = test::openCpu(2);
        const auto config = tiny();
        const auto both = make(*device, config, {4, 12});
        const auto half = make(*device, config, {2, 12});
        const auto in = tokens(config, {4, 12}, 1);
        const auto out = tokens(config, {4, 12}, 2);
        std::vector<float> whole(static_cast<std::size_t>(config.parameters()));
        std::vector<float> parts(whole.size());
        const double loss = *both->forwardBackward(in, out);
        QVERIFY(both->getGradient(whole).ok());
        double sum = 0;
        for (std::size_t part = 0; part < 2; ++part)
            sum += *half->forwardBackward(std::span(in).subspan(part * 24, 24),
                                          std::span(out).subspan(part * 24, 24));
        QVERIFY(half->getGradient(parts).ok());
        QVERIFY(std::abs(sum / 2 - loss) < 1e-6);
        for (std::size_t i = 0; i < whole.size(); ++i)
            QVERIFY(std::abs(parts[i] / 2 - whole[i]) < 1e-6F);
    }

    void evaluationNeedsLessAndSaysTheSame()
    {
        const auto device = test::openCpu(2);
        const auto config = tiny();
        const BatchShape shape{2, 20};
        QVERIFY(Transformer::bytesNeeded(config, shape, Purpose::Evaluate) * 3 <
                Transformer::bytesNeeded(config, shape, Purpose::Train));
        const auto in = tokens(config, shape, 1);
        const auto out = tokens(config, shape, 2);
        const auto trains = make(*device, config, shape);
        const auto evaluates = make(*device, config, shape, Purpose::Evaluate);
        QCOMPARE(*evaluates->loss(in, out), *trains->forwardBackward(in, out));
    }

    void evaluatingBetweenMicroBatchesChangesNothing()
    {
        const auto device = test::openCpu(2);
        const auto config = tiny();
        const BatchShape shape{2, 20};
        const auto model = make(*device, config, shape);
        const auto in = tokens(config, shape, 1);
        const auto out = tokens(config, shape, 2);
        std::vector<float> plain(static_cast<std::size_t>(config.parameters()));
        std::vector<float> disturbed(plain.size());
        std::vector<float> logits(static_cast<std::size_t>(config.vocabularySize));
        QVERIFY(model->forwardBackward(in, out).ok() && model->getGradient(plain).ok());
        QVERIFY(model->loss(out, in).ok());
        QVERIFY(model->nextTokenLogits(std::span(in).first(7), logits).ok());
        QVERIFY(model->zeroGradient().ok() && model->forwardBackward(in, out).ok());
        QVERIFY(model->getGradient(disturbed).ok());
        QCOMPARE(disturbed, plain);
    }

    void bytesNeededIsWhatIsTaken_data()
    {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<qint64>("vocabulary");
        QTest::addColumn<bool>("train");
        QTest::newRow("tiny") << QStringLiteral("tiny") << qint64(40) << true;
        QTest::newRow("demo") << QStringLiteral("demo") << qint64(256) << true;
        QTest::newRow("words") << QStringLiteral("tiny") << qint64(5003) << true;
        QTest::newRow("evaluate") << QStringLiteral("demo") << qint64(256) << false;
    }
    void bytesNeededIsWhatIsTaken()
    {
        QFETCH(QString, preset);
        QFETCH(qint64, vocabulary);
        QFETCH(bool, train);
        const auto device = test::openCpu(1);
        const auto config = *model::presetByName(preset.toStdString(), vocabulary);
        const BatchShape shape{3, 37};
        const auto purpose = train ? Purpose::Train : Purpose::Evaluate;
        {
            const auto model = make(*device, config, shape, purpose);
            QCOMPARE(device->allocatedBytes(), Transformer::bytesNeeded(config, shape, purpose));
        }
        QCOMPARE(device->allocatedBytes(), std::uint64_t(0));
    }

    void aModelThatIsTooLargeIsOneSentence_data()
    {
        QTest::addColumn<qint64>("sequences");
        QTest::newRow("more than the computer has") << (qint64(1) << 22);
        QTest::newRow("more than any computer has") << (qint64(1) << 40);
    }
    void aModelThatIsTooLargeIsOneSentence()
    {
        QFETCH(qint64, sequences);
        const auto device = test::openCpu(1);
        const auto config = *model::presetByName("base", 32000);
        const auto created =
            Transformer::create(*device, config, {sequences, 1024}, Purpose::Train);
        QVERIFY(!created.ok());
        QCOMPARE(created.error().kind, ErrorKind::OutOfMemory);
        QVERIFY2(created.error().message.starts_with("this model needs "),
                 created.error().message.c_str());
        QVERIFY(created.error().message.find("GiB") != std::string::npos);
        QCOMPARE(device->allocatedBytes(), std::uint64_t(0));
    }

    void parametersAndMomentsComeBackAsTheyWent()
    {
        const auto device = test::openCpu(1);
        const auto config = tiny();
        const auto model = make(*device, config, {1, 4});
        const auto parameters = model::initialParameters(config, 11);
        const auto first = model::initialParameters(config, 12);
        const auto second = model::initialParameters(config, 13);
        QVERIFY(model->setParameters(parameters).ok() && model->setMoments(first, second).ok());
        std::vector<float> a(parameters.size());
        std::vector<float> b(parameters.size());
        QVERIFY(model->getParameters(a).ok());
        QCOMPARE(a, parameters);
        QVERIFY(model->getMoments(a, b).ok());
        QCOMPARE(a, first);
        QCOMPARE(b, second);
    }

    void weightDecayLeavesNormsAlone()
    {
        const auto device = test::openCpu(1);
        const auto config = tiny();
        const auto model = make(*device, config, {1, 4});
        const auto before = model::initialParameters(config, 5);
        QVERIFY(model->zeroGradient().ok());
        QVERIFY(model->adamW({.learningRate = 0.1, .weightDecay = 0.5}).ok());
        std::vector<float> after(before.size());
        QVERIFY(model->getParameters(after).ok());
        std::size_t i = 0;
        for (const auto& tensor : model::parameterLayout(config)) {
            const float factor = tensor.shape.size() == 2 ? 1.0F - 0.1F * 0.5F : 1.0F;
            for (std::int64_t j = 0; j < tensor.elements(); ++j, ++i)
                QVERIFY(std::abs(after[i] - before[i] * factor) <= 1e-7F);
        }
    }

    void aTokenOutsideTheVocabularyIsAnError()
    {
        const auto device = test::openCpu(1);
        const auto config = tiny();
        const auto model = make(*device, config, {1, 4});
        const Tokens good{1, 2, 3, 4};
        for (const std::int32_t bad : {-1, 40, 1 << 30}) {
            const auto loss = model->forwardBackward(Tokens{1, bad, 3, 4}, good);
            QVERIFY(!loss.ok());
            QCOMPARE(loss.error().kind, ErrorKind::Corrupt);
            QVERIFY(!model->loss(good, Tokens{1, 2, 3, bad}).ok());
        }
        QVERIFY(model->loss(good, good).ok());
    }

    void brokenParametersGiveALossThatIsNotANumber()
    {
        const auto device = test::openCpu(1);
        const auto config = tiny();
        const auto model = make(*device, config, {1, 4});
        auto parameters = model::initialParameters(config, 5);
        parameters.back() = NAN;
        QVERIFY(model->setParameters(parameters).ok());
        const auto loss = model->loss(Tokens{1, 2, 3, 4}, Tokens{2, 3, 4, 5});
        QVERIFY(loss.ok() && std::isnan(*loss));
    }

    void aSentenceIsLearned()
    {
        const auto device = test::openCpu(2);
        const auto config = tiny();
        const BatchShape shape{1, 24};
        const auto model = make(*device, config, shape);
        const auto in = tokens(config, shape, 1);
        const auto out = tokens(config, shape, 2);
        const double before = *model->loss(in, out);
        for (int step = 1; step <= 150; ++step) {
            QVERIFY(model->zeroGradient().ok() && model->forwardBackward(in, out).ok());
            QVERIFY(model->adamW({.learningRate = 0.01}).ok());
        }
        QVERIFY(before > 3.0);
        QVERIFY2(*model->loss(in, out) < 0.1, qPrintable(QString::number(*model->loss(in, out))));
    }
};

QTEST_GUILESS_MAIN(TransformerTest)
#include "tst_transformer.moc"
