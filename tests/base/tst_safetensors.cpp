#include "engine/base/safetensors.h"
#include "tests/base/result_checks.h"

#include <QTest>

#include <algorithm>

using namespace commonweight;

namespace {

Bytes fileOf(const std::string& header, std::size_t dataBytes, std::uint64_t claimedLength)
{
    Bytes file;
    for (int i = 0; i < 8; ++i)
        file.push_back(static_cast<Byte>(claimedLength >> (8 * i)));
    file.insert(file.end(), header.begin(), header.end());
    for (std::size_t i = 0; i < dataBytes; ++i)
        file.push_back(static_cast<Byte>(i));
    return file;
}

Bytes fileOf(const std::string& header, std::size_t dataBytes)
{
    return fileOf(header, dataBytes, header.size());
}

std::string entry(const char* name, const char* dtype, const char* shape, const char* offsets)
{
    return "\"" + std::string(name) + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
           ",\"data_offsets\":" + offsets + "}";
}

} // namespace

class TestSafetensors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aFileOfTheReferenceIsRead();
    void whatIsWrittenIsRead();
    void theBytesAreThoseOfTheFormat();
    void equalContentGivesEqualBytes();
    void everyTypeHasItsSize_data();
    void everyTypeHasItsSize();
    void emptyFilesAndEmptyTensorsAreFine();
    void unusualNamesSurvive();
    void hostileFilesAreRefused_data();
    void hostileFilesAreRefused();
    void everyTruncationIsRefused();
    void everyFlippedHeaderBitIsRefusedOrHarmless();
    void theHeaderIsBoundedBeforeItIsRead();
    void theNumberOfTensorsIsBounded();
    void manyTensorsAreFoundByName();
};

void TestSafetensors::aFileOfTheReferenceIsRead()
{
    // As the reference library lays it out: data before names, padding with spaces, metadata first.
    const auto file =
        fileOf("{\"__metadata__\":{\"format\":\"pt\"}," + entry("b", "F32", "[2,1]", "[0,8]") +
                   "," + entry("a", "BF16", "[3]", "[8,14]") + "}   ",
               14);
    const auto parsed = Safetensors::parse(file);
    VERIFY_OK(parsed);
    QCOMPARE(parsed->tensors().size(), std::size_t(2));
    QCOMPARE(parsed->tensors()[0].spec.name, std::string("b"));
    QVERIFY((parsed->tensors()[0].spec.shape == std::vector<std::int64_t>{2, 1}));
    const auto* a = parsed->find("a");
    QVERIFY(a != nullptr);
    QVERIFY(a->type == DType::BF16);
    QCOMPARE(a->data.size(), std::size_t(6));
    QCOMPARE(int(a->data[0]), 8);
    QVERIFY(parsed->find("c") == nullptr);
    QVERIFY(parsed->find("__metadata__") == nullptr);
    QCOMPARE(parsed->metadata().at("format"), std::string("pt"));
}

void TestSafetensors::whatIsWrittenIsRead()
{
    const std::vector<float> floats{1.5f, -2.0f, 3.25f, 0.0f, 5.0f, 6.0f};
    const ByteView floatBytes(reinterpret_cast<const Byte*>(floats.data()),
                              floats.size() * sizeof(float));
    const Bytes bytes{1, 2, 3};
    const std::vector<TensorView> tensors{{{"z", {3}}, DType::U8, bytes},
                                          {{"model.w", {2, 3}}, DType::F32, floatBytes},
                                          {{"scalar", {}}, DType::F32, floatBytes.first(4)}};
    const auto file = writeSafetensors(tensors, {{"codec", "int8"}, {"run", "r\"1"}});
    const auto parsed = Safetensors::parse(file);
    VERIFY_OK(parsed);
    QCOMPARE(parsed->tensors().size(), tensors.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        QVERIFY(parsed->tensors()[i].spec == tensors[i].spec);
        QVERIFY(parsed->tensors()[i].type == tensors[i].type);
        QVERIFY(std::ranges::equal(parsed->tensors()[i].data, tensors[i].data));
    }
    QCOMPARE(parsed->metadata().size(), std::size_t(2));
    QCOMPARE(parsed->metadata().at("run"), std::string("r\"1"));
}

void TestSafetensors::theBytesAreThoseOfTheFormat()
{
    const Bytes data{7, 8, 9, 10};
    const auto file = writeSafetensors({{{"w", {2}}, DType::F16, data}}, {});
    const std::string header = R"({"w":{"data_offsets":[0,4],"dtype":"F16","shape":[2]}})";
    const auto padded = header + std::string((8 - header.size() % 8) % 8, ' ');
    auto expected = fileOf(padded, 0);
    expected.insert(expected.end(), data.begin(), data.end());
    QVERIFY(file == expected);
}

void TestSafetensors::equalContentGivesEqualBytes()
{
    const Bytes data(64, 5);
    const std::vector<TensorView> tensors{{{"b", {16}}, DType::F32, data},
                                          {{"a", {8, 8}}, DType::I8, data}};
    const auto file = writeSafetensors(tensors, {{"k", "v"}, {"a", "b"}});
    const auto parsed = Safetensors::parse(file);
    VERIFY_OK(parsed);
    QVERIFY(writeSafetensors(parsed->tensors(), parsed->metadata()) == file);
}

void TestSafetensors::everyTypeHasItsSize_data()
{
    QTest::addColumn<int>("type");
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<int>("bytes");
    const auto row = [](DType type, const char* name, int bytes) {
        QTest::newRow(name) << int(type) << QByteArray(name) << bytes;
    };
    row(DType::F32, "F32", 4);
    row(DType::F16, "F16", 2);
    row(DType::BF16, "BF16", 2);
    row(DType::I8, "I8", 1);
    row(DType::U8, "U8", 1);
    row(DType::I16, "I16", 2);
    row(DType::U16, "U16", 2);
    row(DType::I32, "I32", 4);
    row(DType::I64, "I64", 8);
}

void TestSafetensors::everyTypeHasItsSize()
{
    QFETCH(int, type);
    QFETCH(QByteArray, name);
    QFETCH(int, bytes);
    const auto dtype = static_cast<DType>(type);
    QCOMPARE(QByteArray(toString(dtype)), name);
    QCOMPARE(int(sizeOf(dtype)), bytes);
    const Bytes data(std::size_t(bytes) * 3);
    const auto file = writeSafetensors({{{"t", {3}}, dtype, data}}, {});
    const auto parsed = Safetensors::parse(file);
    VERIFY_OK(parsed);
    QVERIFY(parsed->tensors()[0].type == dtype);
}

void TestSafetensors::emptyFilesAndEmptyTensorsAreFine()
{
    const auto none = writeSafetensors({}, {});
    VERIFY_OK(Safetensors::parse(none));
    QVERIFY(Safetensors::parse(none)->tensors().empty());
    const Bytes data{1, 2};
    const auto file = writeSafetensors({{{"e1", {0}}, DType::F32, {}},
                                        {{"w", {2}}, DType::U8, data},
                                        {{"e2", {4, 0}}, DType::F32, {}}},
                                       {});
    const auto parsed = Safetensors::parse(file);
    VERIFY_OK(parsed);
    QCOMPARE(parsed->tensors().size(), std::size_t(3));
    QVERIFY(parsed->find("e2")->data.empty());
}

void TestSafetensors::unusualNamesSurvive()
{
    const Bytes data{1};
    const std::string name = "é \"quoted\" \\ \n 😀";
    const auto file =
        writeSafetensors({{{name, {1}}, DType::U8, data}, {{"", {1}}, DType::U8, data}}, {});
    const auto parsed = Safetensors::parse(file);
    VERIFY_OK(parsed);
    QVERIFY(parsed->find(name) != nullptr);
    QVERIFY(parsed->find("") != nullptr);
}

void TestSafetensors::hostileFilesAreRefused_data()
{
    QTest::addColumn<QByteArray>("file");
    const auto raw = [](const char* name, const Bytes& file) {
        QTest::newRow(name) << QByteArray(reinterpret_cast<const char*>(file.data()),
                                          qsizetype(file.size()));
    };
    const auto row = [&](const char* name, const std::string& header, std::size_t bytes) {
        raw(name, fileOf(header, bytes));
    };
    const auto one = [&](const char* name, const char* dtype, const char* shape,
                         const char* offsets, std::size_t bytes) {
        row(name, "{" + entry("a", dtype, shape, offsets) + "}", bytes);
    };
    const auto good = entry("a", "U8", "[4]", "[0,4]");

    raw("nothing", {});
    raw("seven bytes", Bytes(7));
    raw("header length zero", Bytes(8));
    raw("header longer than the file", fileOf("{}", 0, 3));
    raw("header of 2^64-1 bytes", fileOf("{}", 0, ~std::uint64_t{0}));
    raw("header of 2^63 bytes", fileOf("{}", 0, std::uint64_t{1} << 63));
    raw("header length that overflows", fileOf("{}", 0, ~std::uint64_t{0} - 7));
    raw("header cut by its length", fileOf("{" + good + "}", 4, good.size()));
    row("not JSON", "hello", 0);
    row("array", "[]", 0);
    row("text", "\"a\"", 0);
    row("leading space", " {" + good + "}", 4);
    row("zero byte after the header", std::string("{}\0", 3), 0);
    row("two values", "{}{}", 0);
    row("deep", "{\"a\":" + std::string(1000, '[') + std::string(1000, ']') + "}", 0);

    row("trailing bytes", "{" + good + "}", 5);
    row("missing bytes", "{" + good + "}", 3);
    row("data but no tensor", "{}", 1);
    row("overlap", "{" + good + "," + entry("b", "U8", "[4]", "[2,6]") + "}", 6);
    row("same place", "{" + good + "," + entry("b", "U8", "[4]", "[0,4]") + "}", 4);
    row("inside", "{" + good + "," + entry("b", "U8", "[2]", "[1,3]") + "}", 4);
    row("hole", "{" + good + "," + entry("b", "U8", "[4]", "[5,9]") + "}", 9);
    row("hole at the start", "{" + entry("a", "U8", "[4]", "[1,5]") + "}", 5);
    row("empty tensor in the middle of another",
        "{" + good + "," + entry("b", "U8", "[0]", "[2,2]") + "}", 4);
    row("empty tensor behind the end", "{" + good + "," + entry("b", "U8", "[0]", "[5,5]") + "}",
        4);
    row("name twice", "{" + good + "," + entry("a", "U8", "[4]", "[4,8]") + "}", 8);
    row("member twice", R"({"a":{"dtype":"U8","dtype":"U8","shape":[4],"data_offsets":[0,4]}})", 4);

    one("unknown type", "F8", "[4]", "[0,4]", 4);
    one("boolean type", "BOOL", "[4]", "[0,4]", 4);
    one("lower-case type", "u8", "[4]", "[0,4]", 4);
    one("too small for its shape", "F32", "[4]", "[0,4]", 4);
    one("too large for its shape", "U8", "[2]", "[0,4]", 4);
    one("negative extent", "U8", "[-4]", "[0,4]", 4);
    one("two negative extents", "U8", "[-2,-2]", "[0,4]", 4);
    one("fraction", "U8", "[4.5]", "[0,4]", 4);
    one("whole number with a point", "U8", "[4.0]", "[0,4]", 4);
    one("extent is text", "U8", "[\"4\"]", "[0,4]", 4);
    one("extent is null", "U8", "[null]", "[0,4]", 4);
    one("shape is no array", "U8", "4", "[0,4]", 4);
    one("huge extent", "U8", "[18446744073709551615]", "[0,4]", 4);
    one("product is 0 modulo 2^64", "U8", "[4294967296,4294967296]", "[0,0]", 0);
    one("product is 4 modulo 2^64", "F32", "[4611686018427387905]", "[0,4]", 4);
    one("product passes 2^63", "F32", "[9007199254740992,1024]", "[0,4]", 4);
    one("seventeen dimensions", "U8", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,4]", "[0,4]", 4);
    one("offsets backwards", "U8", "[4]", "[4,0]", 4);
    one("offsets negative", "U8", "[4]", "[-4,0]", 4);
    one("offsets huge", "U8", "[4]", "[18446744073709551612,18446744073709551615]", 4);
    one("one offset", "U8", "[4]", "[4]", 4);
    one("three offsets", "U8", "[4]", "[0,4,4]", 4);
    one("offsets are text", "U8", "[4]", "[\"0\",\"4\"]", 4);

    row("tensor is no object", R"({"a":[1]})", 0);
    row("no type", R"({"a":{"shape":[4],"data_offsets":[0,4]}})", 4);
    row("no shape", R"({"a":{"dtype":"U8","data_offsets":[0,4]}})", 4);
    row("no offsets", R"({"a":{"dtype":"U8","shape":[4]}})", 4);
    row("type is a number", R"({"a":{"dtype":1,"shape":[4],"data_offsets":[0,4]}})", 4);
    row("unknown member", R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4],"x":1}})", 4);
    row("metadata is no object", R"({"__metadata__":[]})", 0);
    row("metadata is a number", R"({"__metadata__":{"a":1}})", 0);
    row("metadata is nested", R"({"__metadata__":{"a":{"b":"c"}}})", 0);
}

void TestSafetensors::hostileFilesAreRefused()
{
    QFETCH(QByteArray, file);
    const auto parsed = Safetensors::parse(
        {reinterpret_cast<const Byte*>(file.constData()), std::size_t(file.size())});
    VERIFY_ERROR(parsed, ErrorKind::Corrupt);
}

void TestSafetensors::everyTruncationIsRefused()
{
    const Bytes data(12, 1);
    const auto file = writeSafetensors(
        {{{"a", {3}}, DType::F32, data}, {{"b", {12}}, DType::U8, data}}, {{"k", "v"}});
    VERIFY_OK(Safetensors::parse(file));
    for (std::size_t length = 0; length < file.size(); ++length)
        VERIFY_ERROR(Safetensors::parse(ByteView(file).first(length)), ErrorKind::Corrupt);
}

void TestSafetensors::everyFlippedHeaderBitIsRefusedOrHarmless()
{
    const Bytes data(24, 1);
    const auto file = writeSafetensors(
        {{{"a", {3, 2}}, DType::F32, data}, {{"b", {24}}, DType::U8, data}}, {{"k", "v"}});
    const auto headerEnd = file.size() - 48;
    for (std::size_t bit = 0; bit < headerEnd * 8; ++bit) {
        auto changed = file;
        changed[bit / 8] ^= static_cast<Byte>(1 << bit % 8);
        const auto parsed = Safetensors::parse(changed);
        if (!parsed.ok())
            continue;
        // Whatever is accepted covers exactly the data.
        std::size_t covered = 0;
        for (const auto& tensor : parsed->tensors()) {
            QCOMPARE(tensor.data.size(), std::size_t(tensor.spec.elements()) * sizeOf(tensor.type));
            covered += tensor.data.size();
        }
        QCOMPARE(covered, std::size_t(48));
    }
}

void TestSafetensors::theHeaderIsBoundedBeforeItIsRead()
{
    const auto file =
        fileOf("{" + entry("a", "U8", "[4]", "[0,4]") + "}" + std::string(1000, ' '), 4);
    VERIFY_OK(Safetensors::parse(file));
    VERIFY_ERROR(Safetensors::parse(file, {1000, 10}), ErrorKind::Corrupt);
    // Without a bound of its own the file's length still is one, and adding to the claim must not
    // wrap around.
    const SafetensorsLimits unlimited{~std::size_t{0}, 10};
    VERIFY_OK(Safetensors::parse(file, unlimited));
    VERIFY_ERROR(Safetensors::parse(fileOf("{}", 0, ~std::uint64_t{0} - 3), unlimited),
                 ErrorKind::Corrupt);
}

void TestSafetensors::theNumberOfTensorsIsBounded()
{
    std::vector<TensorView> tensors;
    for (int i = 0; i < 11; ++i)
        tensors.push_back({{std::to_string(i), {0}}, DType::U8, {}});
    const auto eleven = writeSafetensors(tensors, {{"k", "v"}});
    VERIFY_ERROR(Safetensors::parse(eleven, {1 << 20, 10}), ErrorKind::Corrupt);
    tensors.pop_back();
    const auto ten = writeSafetensors(tensors, {{"k", "v"}});
    VERIFY_OK(Safetensors::parse(ten, {1 << 20, 10}));

    // Far more than is allowed, refused by counting before anything is built.
    std::string many = "{\"x\":[0";
    for (int i = 0; i < 100'000; ++i)
        many += ",0";
    VERIFY_ERROR(Safetensors::parse(fileOf(many + "]}", 0), {8 << 20, 10}), ErrorKind::Corrupt);
}

void TestSafetensors::manyTensorsAreFoundByName()
{
    const Bytes data(5000);
    std::vector<TensorView> tensors;
    for (std::size_t i = 0; i < 5000; ++i)
        tensors.push_back(
            {{"layer." + std::to_string(i), {1}}, DType::U8, ByteView(data).subspan(i, 1)});
    const auto file = writeSafetensors(tensors, {});
    const auto parsed = Safetensors::parse(file);
    VERIFY_OK(parsed);
    for (std::size_t i = 0; i < 5000; ++i)
        QVERIFY(parsed->find("layer." + std::to_string(i)) == &parsed->tensors()[i]);
}

QTEST_GUILESS_MAIN(TestSafetensors)
#include "tst_safetensors.moc"
