// Writing text and measuring the held-out loss.
#include "engine/base/random.h"
#include "engine/model/sampler.h"
#include "tests/model/cpu_device.h"

#include <QTest>

#include <cmath>

using namespace commonweight;

namespace {

// Predicts that the next token is the last one plus one, with a fixed certainty; remembers what it
// was shown.
class CountingModel final : public model::Transformer {
public:
    Result<void> setParameters(std::span<const float>) override { return {}; }
    Result<void> getParameters(std::span<float>) override { return {}; }
    Result<void> setMoments(std::span<const float>, std::span<const float>) override { return {}; }
    Result<void> getMoments(std::span<float>, std::span<float>) override { return {}; }
    Result<void> getGradient(std::span<float>) override { return {}; }
    Result<void> zeroGradient() override { return {}; }
    Result<double> forwardBackward(std::span<const std::int32_t>,
                                   std::span<const std::int32_t>) override
    {
        return 0.0;
    }
    Result<double> gradientNorm() override { return 0.0; }
    Result<void> adamW(const model::AdamWStep&) override { return {}; }

    /// The mean of the first token of each row.
    Result<double> loss(std::span<const std::int32_t> tokens,
                        std::span<const std::int32_t> targets) override
    {
        if (failing)
            return Error{ErrorKind::Device, "lost"};
        double sum = 0;
        for (std::size_t row = 0; row < tokens.size(); row += length) {
            sum += tokens[row];
            rowsInOrder = rowsInOrder && targets[row] == tokens[row + 1];
        }
        return sum / (static_cast<double>(tokens.size()) / static_cast<double>(length));
    }
    Result<void> nextTokenLogits(std::span<const std::int32_t> tokens,
                                 std::span<float> logits) override
    {
        longest = std::max(longest, tokens.size());
        for (std::size_t i = 0; i < logits.size(); ++i)
            logits[i] = static_cast<float>(i % 7) / 10;
        logits[static_cast<std::size_t>(tokens.back() + 1) % logits.size()] = certainty;
        return {};
    }

    std::size_t length = 1;
    std::size_t longest = 0;
    float certainty = 1;
    bool failing = false;
    bool rowsInOrder = true;
};

} // namespace

class SamplerTest : public QObject {
    Q_OBJECT

    const model::ModelConfig m_config{};
    const std::unique_ptr<model::Tokenizer> m_bytes = model::makeByteTokenizer();

    std::string write(CountingModel& counting, const model::SamplingOptions& options)
    {
        auto text = model::sample(counting, m_config, 8, *m_bytes, "a", options);
        return text ? *text : "error: " + text.error().message;
    }

private Q_SLOTS:
    void withoutTemperatureTheLikeliestTokenIsTaken()
    {
        CountingModel counting;
        QCOMPARE(write(counting, {.temperature = 0, .tokens = 5}), std::string("bcdef"));
        QCOMPARE(write(counting, {.temperature = 1, .topK = 1, .tokens = 5}), std::string("bcdef"));
    }

    void theContextSlides()
    {
        CountingModel counting;
        QCOMPARE(write(counting, {.temperature = 0, .tokens = 20}),
                 std::string("bcdefghijklmnopqrstu"));
        QCOMPARE(counting.longest, std::size_t(8));
    }

    void theSeedDecidesAndNothingElse()
    {
        CountingModel counting;
        const auto text = write(counting, {.temperature = 1, .topK = 0, .tokens = 50, .seed = 3});
        QCOMPARE(write(counting, {.temperature = 1, .topK = 0, .tokens = 50, .seed = 3}), text);
        QVERIFY(write(counting, {.temperature = 1, .topK = 0, .tokens = 50, .seed = 4}) != text);
    }

    void frequenciesFollowTheProbabilities()
    {
        CountingModel counting;
        counting.certainty =
            std::log(254.0F); // against 255 others of about e^0.3: 254 / (254 + 255 · 1.35)
        int hits = 0;
        for (std::uint64_t seed = 0; seed < 2000; ++seed)
            hits += write(counting, {.temperature = 1, .topK = 0, .tokens = 1, .seed = seed}) == "b"
                        ? 1
                        : 0;
        double others = 0;
        for (int i = 0; i < 256; ++i)
            others += i == 'b' ? 0 : std::exp(i % 7 / 10.0);
        QVERIFY(std::abs(hits / 2000.0 - 254 / (254 + others)) < 0.04);
    }

    void brokenLogitsAreAnError()
    {
        CountingModel counting;
        counting.certainty = NAN;
        const auto text = model::sample(counting, m_config, 8, *m_bytes, "a", {});
        QVERIFY(!text.ok());
        QCOMPARE(text.error().kind, ErrorKind::Corrupt);
    }

    void anEmptyPromptBeginsALine()
    {
        CountingModel counting;
        const auto text =
            model::sample(counting, m_config, 8, *m_bytes, "", {.temperature = 0, .tokens = 3});
        QVERIFY(text.ok());
        QCOMPARE(*text, std::string("\x0b\x0c\x0d"));
    }

    void aRealModelWritesTheSameTwice()
    {
        const auto device = test::openCpu(2);
        const auto config = *model::presetByName("tiny", 256);
        auto created =
            model::Transformer::create(*device, config, {1, 32}, model::Purpose::Evaluate);
        QVERIFY(created.ok() &&
                (*created)->setParameters(model::initialParameters(config, 1)).ok());
        const model::SamplingOptions options{.tokens = 60, .seed = 9};
        const auto text = model::sample(**created, config, 32, *m_bytes, "To be", options);
        QVERIFY(text.ok() && !text->empty());
        QCOMPARE(*model::sample(**created, config, 32, *m_bytes, "To be", options), *text);
    }

    void heldOutLossIsTheMeanOfWindowsHoweverTheyFillBatches_data()
    {
        QTest::addColumn<qint64>("sequences");
        QTest::addColumn<qint64>("tokens");
        QTest::addColumn<quint64>("most");
        for (const qint64 sequences : {1, 2, 3, 8, 64})
            QTest::addRow("%lld a batch", sequences) << sequences << qint64(101) << quint64(1000);
        QTest::newRow("bounded") << qint64(3) << qint64(101) << quint64(49);
        QTest::newRow("one window") << qint64(3) << qint64(11) << quint64(1);
        QTest::newRow("uneven end") << qint64(2) << qint64(57) << quint64(1000);
    }
    void heldOutLossIsTheMeanOfWindowsHoweverTheyFillBatches()
    {
        QFETCH(qint64, sequences);
        QFETCH(qint64, tokens);
        QFETCH(quint64, most);
        CountingModel counting;
        counting.length = 10;
        std::vector<std::int32_t> text(static_cast<std::size_t>(tokens));
        for (std::size_t i = 0; i < text.size(); ++i)
            text[i] = static_cast<std::int32_t>(i);
        const auto loss = model::heldOutLoss(counting, {sequences, 10}, text, most);
        QVERIFY(loss.ok());
        QVERIFY(counting.rowsInOrder);
        // Windows are spread evenly, so the mean of their first tokens is the middle of the
        // possible ones.
        const double middle = most == 1 ? 0 : static_cast<double>(tokens - 11) / 2;
        QVERIFY2(std::abs(*loss - middle) <= 0.5, qPrintable(QString::number(*loss)));
    }

    void heldOutTextThatIsTooShortIsAnError()
    {
        CountingModel counting;
        const std::vector<std::int32_t> text(10);
        const auto loss = model::heldOutLoss(counting, {1, 10}, text, 100);
        QVERIFY(!loss.ok());
        QVERIFY(loss.error().message.find("at least 11 are needed") != std::string::npos);
    }

    void anErrorOfTheDeviceComesThrough()
    {
        CountingModel counting;
        counting.length = 10;
        counting.failing = true;
        QVERIFY(!model::heldOutLoss(counting, {1, 10}, std::vector<std::int32_t>(50), 100).ok());
    }
};

QTEST_GUILESS_MAIN(SamplerTest)
#include "tst_sampler.moc"
