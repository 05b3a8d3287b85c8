#include "engine/exchange/codec.h"
#include "tests/exchange/sample_fragments.h"

#include "engine/base/sha256.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace commonweight;
using namespace commonweight::exchange;

namespace {

const Fragment kFragment = test::mixedFragment();
/// For tests that try each byte of a file: one tensor of each way of coding, one of two blocks.
const Fragment kSmall{2, {{"model.embed_tokens.weight", {1, 3}}, {"w", {3, 87}}, {"norm", {2}}}};

OuterGradientInfo infoFor(Codec codec)
{
    return {codec, "verse", "unit-7", kFragment.index, 12, 3072, 4};
}

Bytes encoded(Codec codec, std::uint64_t seed = 5, const Fragment& fragment = kFragment)
{
    return encodeOuterGradient(fragment, test::normalFor(fragment, 1, 0.01f), infoFor(codec), seed)
        .value();
}

/// The file with other tensors or metadata, well formed.
using Edit = std::function<void(std::vector<TensorView>&, std::map<std::string, std::string>&)>;
Bytes edited(const Bytes& file, const Edit& edit)
{
    const auto parsed = Safetensors::parse(file).value();
    auto tensors = parsed.tensors();
    auto metadata = parsed.metadata();
    edit(tensors, metadata);
    return writeSafetensors(tensors, metadata);
}

bool decodesToFiniteOrFails(ByteView file)
{
    std::vector<float> out(static_cast<std::size_t>(kSmall.elements()));
    return !decodeOuterGradient(file, kSmall, out).ok() ||
           std::all_of(out.begin(), out.end(), [](float value) { return std::isfinite(value); });
}

/// Sets, repeats, drops or swaps bytes at a place that (round, counter) decides.
void damage(Bytes& file, std::uint64_t round, std::uint64_t counter)
{
    const auto below = [&](std::size_t n, std::uint64_t which) {
        return static_cast<std::size_t>(uniformBelow(n, round, counter + which));
    };
    const std::size_t place = below(file.size(), 0);
    const std::size_t length = 1 + below(std::min<std::size_t>(file.size() - place, 16), 1);
    const auto at = file.begin() + static_cast<std::ptrdiff_t>(place);
    const auto end = at + static_cast<std::ptrdiff_t>(length);
    switch (below(5, 2)) {
    case 0:
        *at = static_cast<Byte>(below(256, 3));
        break;
    case 1:
        std::fill(at, end, below(2, 3) ? Byte{0xFF} : Byte{0});
        break;
    case 2: {
        const Bytes piece(at, end);
        file.insert(at, piece.begin(), piece.end());
        break;
    }
    case 3:
        file.erase(at, end);
        break;
    default:
        std::iter_swap(at, file.begin() + static_cast<std::ptrdiff_t>(below(file.size(), 3)));
    }
}

void addCodecRows()
{
    QTest::addColumn<int>("codec");
    for (const Codec codec : {Codec::Fp32, Codec::Bf16, Codec::Int8, Codec::Int4, Codec::TopK})
        QTest::newRow(toString(codec)) << static_cast<int>(codec);
}

} // namespace

Q_DECLARE_METATYPE(Edit)

class TestCodec : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void codecsAreKnownByName()
    {
        for (const Codec codec : {Codec::Fp32, Codec::Bf16, Codec::Int8, Codec::Int4, Codec::TopK})
            QCOMPARE(codecByName(toString(codec)).value(), codec);
        const auto unknown = codecByName("zip");
        QCOMPARE(unknown.error().kind, ErrorKind::Protocol);
        QCOMPARE(
            unknown.error().message,
            std::string("unknown codec 'zip'; this version knows fp32, bf16, int8, int4, topk"));
        QVERIFY(!codecByName("").ok());
        QVERIFY(!codecByName("INT4").ok());
    }

    void anOuterGradientSurvivesTheRoundTrip_data() { addCodecRows(); }
    void anOuterGradientSurvivesTheRoundTrip()
    {
        QFETCH(int, codec);
        const auto values = test::normalFor(kFragment, 1, 0.01f);
        const Bytes file = encoded(static_cast<Codec>(codec));
        std::vector<float> decoded(values.size());
        QVERIFY(decodeOuterGradient(file, kFragment, decoded).ok());
        double error = 0, length = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            error += std::pow(double(decoded[i]) - values[i], 2);
            length += std::pow(double(values[i]), 2);
        }
        const double relative[] = {0, 0.004, 0.02, 0.3, 0.99};
        QVERIFY(std::sqrt(error / length) <= relative[codec]);
        QVERIFY(codec == 0 || error > 0);
    }

    void theHeaderTellsWhatItIs_data() { addCodecRows(); }
    void theHeaderTellsWhatItIs()
    {
        QFETCH(int, codec);
        const auto info = outerGradientInfo(encoded(static_cast<Codec>(codec)));
        QVERIFY(info.ok());
        QCOMPARE(info->codec, static_cast<Codec>(codec));
        QCOMPARE(info->run, std::string("verse"));
        QCOMPARE(info->unit, std::string("unit-7"));
        QCOMPARE(info->fragment, 2u);
        QCOMPARE(info->baseVersion, std::uint64_t{12});
        QCOMPARE(info->tokens, std::uint64_t{3072});
        QCOMPARE(info->steps, std::uint64_t{4});
    }

    void equalInputGivesEqualBytes_data() { addCodecRows(); }
    void equalInputGivesEqualBytes()
    {
        QFETCH(int, codec);
        QVERIFY(encoded(static_cast<Codec>(codec)) == encoded(static_cast<Codec>(codec)));
        const bool random = codec != int(Codec::Fp32) && codec != int(Codec::Bf16);
        QCOMPARE(encoded(static_cast<Codec>(codec), 6) != encoded(static_cast<Codec>(codec)),
                 random);
    }

    void theBytesAreTheGoldenOnes_data()
    {
        QTest::addColumn<int>("codec");
        QTest::addColumn<QByteArray>("hash");
        // Volunteers of different builds are compared byte by byte: these may change with a new
        // format only.
        QTest::newRow("fp32")
            << int(Codec::Fp32)
            << QByteArray("8bc904ca9e584fdd00959b93bec31fb469cf3ebc77adeb15e8e4b271253d4579");
        QTest::newRow("bf16")
            << int(Codec::Bf16)
            << QByteArray("3f97d9fdea3c3087e2c523e84d4437980c4b4df00cd0a7ac9ca135a477d6bc5f");
        QTest::newRow("int8")
            << int(Codec::Int8)
            << QByteArray("69598b766041f1fbd8ffeebc2ae4689bd10f46969fe2a45bd45c395f7462ce3f");
        QTest::newRow("int4")
            << int(Codec::Int4)
            << QByteArray("836428622ce334bb98b79b354cbcf1ee4849a54c1051c4f284cdcf5c7b4dc62f");
        QTest::newRow("topk")
            << int(Codec::TopK)
            << QByteArray("c5d4f309fcc3f20281e9540f059f0309e0bf11c20715e57dc970285ede90c657");
    }
    void theBytesAreTheGoldenOnes()
    {
        QFETCH(int, codec);
        QFETCH(QByteArray, hash);
        // Whole numbers over a power of two: no library function has a say in them.
        std::vector<float> values(static_cast<std::size_t>(kFragment.elements()));
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = (static_cast<float>(philox(3, i)[0] >> 8) - 8'388'608.0f) * 0x1p-30f;
        const auto file =
            encodeOuterGradient(kFragment, values, infoFor(static_cast<Codec>(codec)), 5);
        QCOMPARE(QByteArray::fromStdString(sha256(*file).hex()), hash);
    }

    void sensitiveTensorsKeepEightBits()
    {
        const auto file = encoded(Codec::Int4);
        const auto parsed = Safetensors::parse(file).value();
        const auto typeOf = [&](const char* name) { return parsed.find(name)->type; };
        QCOMPARE(typeOf("model.embed_tokens.weight.codes"), DType::I8);
        QCOMPARE(typeOf("model.norm.weight.codes"), DType::I8);
        QCOMPARE(typeOf("model.layers.0.self_attn.q_proj.weight.codes"), DType::U8);
        QCOMPARE(typeOf("lm_head.weight.codes"), DType::U8);
        QCOMPARE(typeOf("lm_head.weight.scales"), DType::BF16);
        QCOMPARE(parsed.find("model.layers.0.self_attn.q_proj.weight.scales")->spec.elements(), 3);
    }

    void fourBitsCostFourBits()
    {
        const Fragment large{0, {{"w", {1024, 1024}}}};
        const std::vector<float> values(1024 * 1024, 0.5f);
        const auto bits = [&](Codec codec) {
            const auto file = encodeOuterGradient(large, values, {codec, "r", "u", 0, 0, 0, 0}, 1);
            return 8.0 * double(file->size()) / double(values.size());
        };
        QVERIFY(std::abs(bits(Codec::Int4) - 4.0625) < 0.01);
        QVERIFY(std::abs(bits(Codec::Int8) - 8.0625) < 0.01);
        QVERIFY(bits(Codec::TopK) < 0.17);
    }

    void theBoundOfAnUploadHoldsAndIsTight_data() { addCodecRows(); }
    void theBoundOfAnUploadHoldsAndIsTight()
    {
        QFETCH(int, codec);
        auto info = infoFor(static_cast<Codec>(codec));
        info.run = info.unit = std::string(64, 'x');
        info.baseVersion = info.tokens = info.steps = std::uint64_t{1} << 53;
        const auto file = encodeOuterGradient(kFragment, test::normalFor(kFragment, 1), info, 1);
        const auto most = encodedBytesAtMost(kFragment, info.codec);
        QVERIFY(file->size() <= most);
        QVERIFY(most - file->size() < 8192);
        QCOMPARE(outerGradientInfo(*file)->tokens, std::uint64_t{1} << 53);
    }

    void whatIsNotFiniteIsNotEncoded_data() { addCodecRows(); }
    void whatIsNotFiniteIsNotEncoded()
    {
        QFETCH(int, codec);
        for (const std::size_t place : {std::size_t{0}, std::size_t(kFragment.elements()) - 1}) {
            auto values = test::normalFor(kFragment, 1);
            values[place] = std::numeric_limits<float>::quiet_NaN();
            const auto file =
                encodeOuterGradient(kFragment, values, infoFor(static_cast<Codec>(codec)), 1);
            QCOMPARE(file.error().kind, ErrorKind::Protocol);
        }
    }

    void everyTruncationIsRefused_data() { addCodecRows(); }
    void everyTruncationIsRefused()
    {
        QFETCH(int, codec);
        const Bytes file = encoded(static_cast<Codec>(codec), 5, kSmall);
        std::vector<float> out(static_cast<std::size_t>(kSmall.elements()));
        for (std::size_t size = 0; size < file.size(); ++size) {
            // A copy of just this size, so that a sanitizer sees any read behind it.
            const Bytes part(file.begin(), file.begin() + std::ptrdiff_t(size));
            QCOMPARE(decodeOuterGradient(part, kSmall, out).error().kind, ErrorKind::Corrupt);
        }
        Bytes longer = file;
        longer.push_back(0);
        QVERIFY(!decodeOuterGradient(longer, kSmall, out).ok());
    }

    void everyFlippedBitIsRefusedOrGivesFiniteValues_data() { addCodecRows(); }
    void everyFlippedBitIsRefusedOrGivesFiniteValues()
    {
        QFETCH(int, codec);
        Bytes file = encoded(static_cast<Codec>(codec), 5, kSmall);
        for (std::size_t place = 0; place < file.size(); ++place) {
            for (const int bits : {0x01, 0x10, 0x80, 0xFF}) {
                file[place] ^= static_cast<Byte>(bits);
                QVERIFY2(decodesToFiniteOrFails(file), qPrintable(QString::number(place)));
                (void)outerGradientInfo(file);
                file[place] ^= static_cast<Byte>(bits);
            }
        }
    }

    void randomlyDamagedFilesAreRefusedOrGiveFiniteValues_data() { addCodecRows(); }
    void randomlyDamagedFilesAreRefusedOrGiveFiniteValues()
    {
        QFETCH(int, codec);
        const Bytes whole = encoded(static_cast<Codec>(codec), 5, kSmall);
        int refused = 0;
        for (std::uint64_t round = 0; round < 4000; ++round) {
            Bytes file = whole;
            const std::uint64_t faults = 1 + uniformBelow(4, round, 0);
            for (std::uint64_t f = 0; f < faults && !file.empty(); ++f)
                damage(file, round, 8 * (f + 1));
            QVERIFY2(decodesToFiniteOrFails(file), qPrintable(QString::number(round)));
            std::vector<float> out(static_cast<std::size_t>(kSmall.elements()));
            refused += decodeOuterGradient(file, kSmall, out).ok() ? 0 : 1;
        }
        QVERIFY(refused > 1000);
    }

    void aFileThatDoesNotFitIsRefused_data()
    {
        QTest::addColumn<Edit>("edit");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* name, Edit edit, const char* named) {
            QTest::newRow(name) << edit << QString::fromUtf8(named);
        };
        row(
            "tensor missing", [](auto& tensors, auto&) { tensors.pop_back(); }, "missing");
        row(
            "tensor renamed", [](auto& tensors, auto&) { tensors[0].spec.name = "other"; },
            "missing");
        row(
            "tensor too many",
            [](auto& tensors, auto&) {
                tensors.push_back({{"more", {0}}, DType::F32, {}});
            },
            "does not have");
        row(
            "other shape",
            [](auto& tensors, auto&) {
                std::swap(tensors[0].spec.shape[0], tensors[0].spec.shape[1]);
            },
            "shape");
        row(
            "other type", [](auto& tensors, auto&) { tensors[0].type = DType::U8; }, "type");
        row(
            "other fragment", [](auto&, auto& meta) { meta["fragment"] = "3"; }, "fragment 3");
        row(
            "no codec", [](auto&, auto& meta) { meta.erase("codec"); }, "codec");
        row(
            "unknown codec", [](auto&, auto& meta) { meta["codec"] = "zip"; }, "zip");
        row(
            "wrong codec", [](auto&, auto& meta) { meta["codec"] = "fp32"; }, "missing");
        row(
            "other codec of the family", [](auto&, auto& meta) { meta["codec"] = "int8"; },
            "shape");
        row(
            "other format", [](auto&, auto& meta) { meta["format"] = "pt"; }, "format");
        row(
            "negative tokens", [](auto&, auto& meta) { meta["tokens"] = "-1"; }, "tokens");
        row(
            "tokens with a tail", [](auto&, auto& meta) { meta["tokens"] = "12x"; }, "tokens");
        row(
            "huge steps", [](auto&, auto& meta) { meta["steps"] = "99999999999999999999"; },
            "steps");
        row(
            "no version", [](auto&, auto& meta) { meta["base_version"] = ""; }, "base_version");
        row(
            "long run", [](auto&, auto& meta) { meta["run"] = std::string(65, 'r'); }, "run");
    }
    void aFileThatDoesNotFitIsRefused()
    {
        QFETCH(Edit, edit);
        QFETCH(QString, named);
        const Bytes file = edited(encoded(Codec::Int4), edit);
        std::vector<float> out(static_cast<std::size_t>(kFragment.elements()));
        const auto result = decodeOuterGradient(file, kFragment, out);
        QVERIFY(!result.ok());
        QVERIFY2(result.error().message.find(named.toStdString()) != std::string::npos,
                 result.error().message.c_str());
    }

    void aScaleThatIsNotANumberIsRefused()
    {
        Bytes nan(6, Byte{0xFF});
        const Bytes file = edited(encoded(Codec::Int4), [&](auto& tensors, auto&) {
            for (auto& tensor : tensors)
                if (tensor.spec.name == "model.layers.0.self_attn.q_proj.weight.scales")
                    tensor.data = nan;
        });
        std::vector<float> out(static_cast<std::size_t>(kFragment.elements()));
        const auto result = decodeOuterGradient(file, kFragment, out);
        QCOMPARE(result.error().kind, ErrorKind::Corrupt);
    }

    void aHeaderThatIsTooLongForTheFragmentIsRefused()
    {
        const Bytes file = edited(encoded(Codec::Int4), [](auto&, auto& metadata) {
            metadata["padding"] = std::string(100'000, 'p');
        });
        std::vector<float> out(static_cast<std::size_t>(kFragment.elements()));
        QCOMPARE(decodeOuterGradient(file, kFragment, out).error().kind, ErrorKind::Corrupt);
    }

    void aFragmentWithEmptyTensorsWorks()
    {
        const Fragment fragment{0, {{"empty", {0, 4}}, {"w", {2, 2}}}};
        const std::vector<float> values{1, 2, 3, 4};
        for (const Codec codec :
             {Codec::Fp32, Codec::Bf16, Codec::Int8, Codec::Int4, Codec::TopK}) {
            const auto file =
                encodeOuterGradient(fragment, values, {codec, "r", "u", 0, 0, 0, 0}, 1);
            QVERIFY(file.ok());
            std::vector<float> out(4);
            QVERIFY(decodeOuterGradient(*file, fragment, out).ok());
            QVERIFY(std::abs(out[3] - 4) < 0.1f);
        }
    }
};

QTEST_GUILESS_MAIN(TestCodec)
#include "tst_codec.moc"
