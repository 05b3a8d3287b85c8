// A model as a folder in Hugging Face's layout, and back.
#include "engine/base/atomic_file.h"
#include "engine/base/safetensors.h"
#include "engine/model/export.h"
#include "engine/model/tokenizer.h"

#include <QTemporaryDir>
#include <QTest>

#include <bit>
#include <cmath>
#include <cstring>
#include <set>

using namespace commonweight;
namespace fs = std::filesystem;
using model::ModelConfig;

class ExportTest : public QObject {
    Q_OBJECT

    static fs::path pathOf(const QTemporaryDir& folder) { return folder.path().toStdString(); }
    static ModelConfig tiny(bool tied)
    {
        auto config = *model::presetByName("tiny", 256);
        config.tieEmbeddings = tied;
        return config;
    }
    static Json readJson(const fs::path& path)
    {
        const auto text = readTextFile(path, 1 << 20);
        return text ? Json::parse(*text) : Json();
    }
    static void writeFile(const fs::path& path, ByteView bytes)
    {
        QVERIFY(writeFileAtomically(path, bytes).ok());
    }

    /// A container in which each tensor of the layout is stored as 16-bit numbers.
    static Bytes narrowed(const ModelConfig& config, const std::vector<float>& values, DType type)
    {
        std::vector<std::uint16_t> narrow;
        for (const float value : values) {
            const auto bits = std::bit_cast<std::uint32_t>(value);
            narrow.push_back(static_cast<std::uint16_t>(
                bits >> 16)); // bf16; the fp16 case stores the same patterns
        }
        std::vector<TensorView> tensors;
        std::size_t at = 0;
        for (const auto& spec : model::parameterLayout(config)) {
            const auto bytes = static_cast<std::size_t>(spec.elements()) * 2;
            tensors.push_back(
                {spec, type, {reinterpret_cast<const Byte*>(narrow.data()) + at, bytes}});
            at += bytes;
        }
        return writeSafetensors(tensors, {});
    }

private Q_SLOTS:
    void whatIsWrittenIsReadBack_data()
    {
        QTest::addColumn<bool>("tied");
        QTest::newRow("tied") << true;
        QTest::newRow("untied") << false;
    }
    void whatIsWrittenIsReadBack()
    {
        QFETCH(bool, tied);
        const QTemporaryDir folder;
        const auto config = tiny(tied);
        const auto parameters = model::initialParameters(config, 1);
        const auto target = pathOf(folder) / "a" / "model";
        QVERIFY(model::exportModel(target, config, parameters, {}).ok());
        const auto imported = model::importModel(target);
        QVERIFY2(imported.ok(), imported.ok() ? "" : imported.error().message.c_str());
        QVERIFY(imported->config == config);
        QCOMPARE(imported->parameters, parameters);

        const auto bytes = readFile(target / "model.safetensors", 1 << 30);
        QVERIFY(bytes.ok());
        const auto container = Safetensors::parse(*bytes);
        QVERIFY(container.ok());
        QCOMPARE(container->find("lm_head.weight") != nullptr, !tied);
        QVERIFY(container->find("model.layers.1.self_attn.k_proj.weight") != nullptr);
        QCOMPARE(container->metadata().at("format"), std::string("pt"));
        QCOMPARE(readJson(target / "config.json")["tie_word_embeddings"].get<bool>(), tied);
        QCOMPARE(readJson(target / "config.json")["architectures"][0].get<std::string>(),
                 std::string("LlamaForCausalLM"));
    }

    void theByteTokenizerHasOneEntryForEachByte()
    {
        const QTemporaryDir folder;
        QVERIFY(model::exportModel(pathOf(folder), tiny(true),
                                   model::initialParameters(tiny(true), 1), {})
                    .ok());
        const auto json = readJson(pathOf(folder) / "tokenizer.json");
        const auto& vocabulary = json["model"]["vocab"];
        QCOMPARE(vocabulary.size(), std::size_t(256));
        std::set<int> ids;
        for (const auto& [piece, id] : vocabulary.items())
            ids.insert(id.get<int>());
        QCOMPARE(ids.size(), std::size_t(256));
        // Known stand-ins of byte-level tokenizers.
        QCOMPARE(vocabulary["A"].get<int>(), 65);
        QCOMPARE(vocabulary["\u0120"].get<int>(), 32);
        QCOMPARE(vocabulary["\u010A"].get<int>(), 10);
        QCOMPARE(vocabulary["\u00FF"].get<int>(), 255);
        QCOMPARE(vocabulary["\u0143"].get<int>(), 173);
        QVERIFY(!fs::exists(pathOf(folder) / "tokenizer.model"));
    }

    void aSentencePieceModelIsCopied()
    {
        const QTemporaryDir folder;
        const Bytes piece{1, 2, 3};
        QVERIFY(model::exportModel(pathOf(folder), tiny(true),
                                   model::initialParameters(tiny(true), 1), piece)
                    .ok());
        QCOMPARE(*readFile(pathOf(folder) / "tokenizer.model", 100), piece);
        QVERIFY(!fs::exists(pathOf(folder) / "tokenizer.json"));
        QCOMPARE(readJson(pathOf(folder) / "tokenizer_config.json")["tokenizer_class"]
                     .get<std::string>(),
                 std::string("LlamaTokenizer"));
    }

    void narrowTypesAreWidened()
    {
        const QTemporaryDir folder;
        const auto config = tiny(true);
        const auto parameters = model::initialParameters(config, 1);
        QVERIFY(model::exportModel(pathOf(folder), config, parameters, {}).ok());
        writeFile(pathOf(folder) / "model.safetensors", narrowed(config, parameters, DType::BF16));
        auto imported = model::importModel(pathOf(folder));
        QVERIFY(imported.ok());
        for (std::size_t i = 0; i < parameters.size(); ++i)
            QVERIFY(std::abs(imported->parameters[i] - parameters[i]) <=
                    std::abs(parameters[i]) / 128);

        writeFile(
            pathOf(folder) / "model.safetensors",
            narrowed(config,
                     std::vector<float>(parameters.size(), std::bit_cast<float>(0xB555'0000U)),
                     DType::F16));
        imported = model::importModel(pathOf(folder));
        QVERIFY(imported.ok());
        QCOMPARE(imported->parameters[5], -0.333251953125F); // 0xB555 as IEEE half
        writeFile(
            pathOf(folder) / "model.safetensors",
            narrowed(config,
                     std::vector<float>(parameters.size(), std::bit_cast<float>(0x8003'0000U)),
                     DType::F16));
        imported = model::importModel(pathOf(folder));
        QVERIFY(imported.ok());
        QCOMPARE(imported->parameters[5], -3 * 0x1p-24F); // subnormal
    }

    void weightsInSeveralFilesAreJoined()
    {
        const QTemporaryDir folder;
        const auto config = tiny(false);
        const auto parameters = model::initialParameters(config, 1);
        QVERIFY(model::exportModel(pathOf(folder), config, parameters, {}).ok());
        const auto whole = *readFile(pathOf(folder) / "model.safetensors", 1 << 30);
        const auto container = *Safetensors::parse(whole);
        Json map = Json::object();
        std::vector<TensorView> parts[2];
        for (std::size_t i = 0; i < container.tensors().size(); ++i) {
            const auto& tensor = container.tensors()[i];
            parts[i % 2].push_back(tensor);
            map[tensor.spec.name] = "part" + std::to_string(i % 2) + ".safetensors";
        }
        writeFile(pathOf(folder) / "part0.safetensors", writeSafetensors(parts[0], {}));
        writeFile(pathOf(folder) / "part1.safetensors", writeSafetensors(parts[1], {}));
        writeFile(pathOf(folder) / "model.safetensors.index.json",
                  asBytes(Json{{"weight_map", map}}.dump()));
        fs::remove(pathOf(folder) / "model.safetensors");
        const auto imported = model::importModel(pathOf(folder));
        QVERIFY2(imported.ok(), imported.ok() ? "" : imported.error().message.c_str());
        QCOMPARE(imported->parameters, parameters);

        map["lm_head.weight"] = "../outside.safetensors";
        writeFile(pathOf(folder) / "model.safetensors.index.json",
                  asBytes(Json{{"weight_map", map}}.dump()));
        const auto outside = model::importModel(pathOf(folder));
        QVERIFY(!outside.ok());
        QCOMPARE(outside.error().kind, ErrorKind::Protocol);
    }

    void damageIsNamed_data()
    {
        QTest::addColumn<QString>("damage");
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("part");
        const auto row = [](const char* damage, ErrorKind kind, const char* part) {
            QTest::newRow(damage) << QString::fromLatin1(damage) << static_cast<int>(kind)
                                  << QString::fromLatin1(part);
        };
        row("no config", ErrorKind::NotFound, "config.json");
        row("no weights", ErrorKind::NotFound, "model.safetensors");
        row("config is no JSON", ErrorKind::Protocol, "");
        row("truncated weights", ErrorKind::Corrupt, "model.safetensors");
        row("config says more layers", ErrorKind::Corrupt, "");
        row("config says far more", ErrorKind::Corrupt, "smaller than config.json says");
        row("config says another width", ErrorKind::Corrupt, "another shape");
        row("not finite", ErrorKind::Corrupt, "not finite");
    }
    void damageIsNamed()
    {
        QFETCH(QString, damage);
        QFETCH(int, kind);
        QFETCH(QString, part);
        const QTemporaryDir folder;
        const auto config = tiny(true);
        auto parameters = model::initialParameters(config, 1);
        const std::string what = damage.toStdString();
        if (what == "not finite")
            parameters[100] = INFINITY;
        QVERIFY(model::exportModel(pathOf(folder), config, parameters, {}).ok());
        auto json = readJson(pathOf(folder) / "config.json");
        if (what == "no config")
            fs::remove(pathOf(folder) / "config.json");
        if (what == "no weights")
            fs::remove(pathOf(folder) / "model.safetensors");
        if (what == "truncated weights")
            fs::resize_file(pathOf(folder) / "model.safetensors",
                            fs::file_size(pathOf(folder) / "model.safetensors") - 1);
        if (what == "config says more layers")
            json["num_hidden_layers"] = 3;
        if (what == "config says far more")
            json["num_hidden_layers"] = 1024;
        if (what == "config says another width")
            json["intermediate_size"] = 80;
        if (what.starts_with("config says"))
            writeFile(pathOf(folder) / "config.json", asBytes(json.dump()));
        if (what == "config is no JSON")
            writeFile(pathOf(folder) / "config.json", asBytes("{"));
        const auto imported = model::importModel(pathOf(folder));
        QVERIFY(!imported.ok());
        QVERIFY2(static_cast<int>(imported.error().kind) == kind, imported.error().message.c_str());
        QVERIFY2(imported.error().message.find(part.toStdString()) != std::string::npos,
                 imported.error().message.c_str());
    }

    void aFolderThatCannotBeMadeIsAnError()
    {
        const QTemporaryDir folder;
        writeFile(pathOf(folder) / "file", asBytes("x"));
        QVERIFY(!model::exportModel(pathOf(folder) / "file" / "model", tiny(true),
                                    model::initialParameters(tiny(true), 1), {})
                     .ok());
    }
};

QTEST_GUILESS_MAIN(ExportTest)
#include "tst_export.moc"
