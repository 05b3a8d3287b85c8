// config.json, presets, layout and fresh parameters.
#include "engine/model/config.h"

#include <QTest>

#include <cmath>
#include <set>

using namespace commonweight;
using model::ModelConfig;

class ConfigTest : public QObject {
    Q_OBJECT

    static Json good() { return model::toJson(ModelConfig{}); }

private Q_SLOTS:
    void jsonRoundTrips_data()
    {
        QTest::addColumn<QString>("preset");
        for (const char* name :
             {"tiny", "demo", "nanogpt-cpu", "shakespeare", "small", "base", "large"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void jsonRoundTrips()
    {
        QFETCH(QString, preset);
        const auto config = model::presetByName(preset.toStdString(), 1000);
        QVERIFY(config.ok());
        const auto read = model::modelConfigFromJson(model::toJson(*config));
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().message.c_str());
        QVERIFY(*read == *config);
    }

    void presetsHaveTheSizesOfTheirNames_data()
    {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<qint64>("vocabulary");
        QTest::addColumn<double>("millions");
        QTest::newRow("demo") << QStringLiteral("demo") << qint64(256) << 1.0;
        QTest::newRow("nanogpt-cpu") << QStringLiteral("nanogpt-cpu") << qint64(65) << 0.8;
        QTest::newRow("shakespeare") << QStringLiteral("shakespeare") << qint64(65) << 10.7;
        QTest::newRow("small") << QStringLiteral("small") << qint64(256) << 25.0;
        QTest::newRow("base") << QStringLiteral("base") << qint64(32000) << 125.0;
        QTest::newRow("large") << QStringLiteral("large") << qint64(32000) << 350.0;
    }
    void presetsHaveTheSizesOfTheirNames()
    {
        QFETCH(QString, preset);
        QFETCH(qint64, vocabulary);
        QFETCH(double, millions);
        const auto parameters = model::presetByName(preset.toStdString(), vocabulary)->parameters();
        QVERIFY(std::abs(static_cast<double>(parameters) / 1e6 - millions) < 0.06 * millions);
    }

    void anUnknownPresetListsTheKnownOnes()
    {
        const auto config = model::presetByName("huge", 256);
        QVERIFY(!config.ok());
        QCOMPARE(config.error().kind, ErrorKind::NotFound);
        QVERIFY(config.error().message.find("demo, nanogpt-cpu, shakespeare") != std::string::npos);
    }

    void membersThatMayBeMissingHaveHuggingFacesDefaults()
    {
        auto json = good();
        for (const char* name :
             {"num_key_value_heads", "head_dim", "max_position_embeddings", "rope_theta",
              "rms_norm_eps", "initializer_range", "tie_word_embeddings", "hidden_act"})
            json.erase(name);
        const auto config = model::modelConfigFromJson(json);
        QVERIFY(config.ok());
        QCOMPARE(config->kvHeads, config->heads);
        QCOMPARE(config->headSize, config->hiddenSize / config->heads);
        QCOMPARE(config->maxPositions, std::int64_t(2048));
        QCOMPARE(config->ropeTheta, 10000.0);
        QCOMPARE(config->rmsNormEpsilon, 1e-6);
        QVERIFY(!config->tieEmbeddings);
    }

    void whatIsNotSupportedIsNamed_data()
    {
        QTest::addColumn<QString>("member");
        QTest::addColumn<QString>("value");
        const auto row = [](const char* member, const char* value) {
            QTest::addRow("%s = %s", member, value)
                << QString::fromLatin1(member) << QString::fromLatin1(value);
        };
        row("model_type", "\"gpt2\"");
        row("model_type", "7");
        row("hidden_act", "\"gelu\"");
        row("attention_bias", "true");
        row("mlp_bias", "true");
        row("rope_scaling", "{\"type\": \"linear\"}");
        row("quantization_config", "{}");
        row("vocab_size", "0");
        row("vocab_size", "\"many\"");
        row("hidden_size", "-128");
        row("hidden_size", "1.5");
        row("num_hidden_layers", "1025");
        row("num_key_value_heads", "3");
        row("num_key_value_heads", "8");
        row("head_dim", "31");
        row("rope_theta", "0");
        row("rms_norm_eps", "-1");
        row("tie_word_embeddings", "1");
    }
    void whatIsNotSupportedIsNamed()
    {
        QFETCH(QString, member);
        QFETCH(QString, value);
        auto json = good();
        json[member.toStdString()] = Json::parse(value.toStdString());
        const auto config = model::modelConfigFromJson(json);
        QVERIFY(!config.ok());
        QCOMPARE(config.error().kind, ErrorKind::Protocol);
        QVERIFY2(config.error().message.find(member.toStdString()) != std::string::npos,
                 config.error().message.c_str());
    }

    void aMissingMemberIsNamed_data()
    {
        QTest::addColumn<QString>("member");
        for (const char* name : {"model_type", "vocab_size", "hidden_size", "intermediate_size",
                                 "num_hidden_layers", "num_attention_heads"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void aMissingMemberIsNamed()
    {
        QFETCH(QString, member);
        auto json = good();
        json.erase(member.toStdString());
        const auto config = model::modelConfigFromJson(json);
        QVERIFY(!config.ok());
        QVERIFY(config.error().message.find(member.toStdString()) != std::string::npos);
    }

    void aTensorThatIsTooLargeIsRefused()
    {
        auto json = good();
        json["vocab_size"] = 1 << 24;
        json["hidden_size"] = 1 << 20;
        const auto config = model::modelConfigFromJson(json);
        QVERIFY(!config.ok());
        QVERIFY(config.error().message.find("model.embed_tokens.weight") != std::string::npos);
    }

    void theLayoutNamesEveryTensorOnce()
    {
        auto config = *model::presetByName("tiny", 50);
        QCOMPARE(model::parameterLayout(config).size(), std::size_t(1 + 2 * 9 + 1));
        config.tieEmbeddings = false;
        const auto layout = model::parameterLayout(config);
        QCOMPARE(layout.size(), std::size_t(1 + 2 * 9 + 2));
        QCOMPARE(layout.back().name, std::string("lm_head.weight"));
        std::set<std::string> names;
        for (const auto& tensor : layout)
            names.insert(tensor.name);
        QCOMPARE(names.size(), layout.size());
    }

    void freshParametersAreRepeatableAndOfTheRightSize()
    {
        const auto config = *model::presetByName("demo", 256);
        const auto parameters = model::initialParameters(config, 3);
        QVERIFY(parameters == model::initialParameters(config, 3));
        QVERIFY(parameters != model::initialParameters(config, 4));
        QCOMPARE(static_cast<std::int64_t>(parameters.size()), config.parameters());
        std::size_t i = 0;
        for (const auto& tensor : model::parameterLayout(config)) {
            double sum = 0;
            double squares = 0;
            const auto count = static_cast<double>(tensor.elements());
            for (std::int64_t j = 0; j < tensor.elements(); ++j, ++i) {
                sum += static_cast<double>(parameters[i]);
                squares += static_cast<double>(parameters[i]) * static_cast<double>(parameters[i]);
            }
            if (tensor.shape.size() == 1) {
                QCOMPARE(sum, count);
                continue;
            }
            const bool residual =
                tensor.name.ends_with("o_proj.weight") || tensor.name.ends_with("down_proj.weight");
            const double expected = residual ? 0.02 / std::sqrt(10.0) : 0.02;
            QVERIFY(std::abs(std::sqrt(squares / count) / expected - 1) < 0.02);
            QVERIFY(std::abs(sum / count) < 5 * expected / std::sqrt(count));
        }
    }
};

QTEST_GUILESS_MAIN(ConfigTest)
#include "tst_config.moc"
