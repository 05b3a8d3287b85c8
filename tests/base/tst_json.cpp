#include "engine/base/json.h"
#include "tests/base/result_checks.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace commonweight;

namespace {

std::string nested(int depth)
{
    const auto count = static_cast<std::size_t>(depth);
    return std::string(count, '[') + std::string(count, ']');
}

Json parsed(const char* text)
{
    return parseJson(text).value();
}

} // namespace

class TestJson : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void goodTextIsRead();
    void badTextIsRefused_data();
    void badTextIsRefused();
    void textThatIsTooLongIsRefused();
    void depthIsBounded();
    void enormousDepthIsRefusedWithoutHarm();
    void bracketsInsideTextsDoNotCount();
    void valuesAreBounded();
    void aSyntaxErrorNamesItsPlace();
    void membersAreRead();
    void aMissingMemberIsNamed();
    void aWrongTypeIsNamed_data();
    void aWrongTypeIsNamed();
    void aTextMemberIsBounded();
    void anArrayMemberIsBounded();
    void integersMustBeWholeAndInRange_data();
    void integersMustBeWholeAndInRange();
    void aNumberMustBeFinite();
    void membersOfSomethingElseThanAnObjectAreMissing();
    void dumpingNeverFails();
};

void TestJson::goodTextIsRead()
{
    const auto value = parseJson(
        " {\"a\": [1, -2.5e3, true, null, \"\\u00e9\\ud83d\\ude00\"], \"b\": {\"a\": {}}}\n");
    VERIFY_OK(value);
    QCOMPARE((*value)["a"][1].get<double>(), -2500.0);
    QCOMPARE((*value)["a"][4].get<std::string>(), std::string("é😀"));
    VERIFY_OK(parseJson("7"));
    VERIFY_OK(parseJson("[]"));
    VERIFY_OK(parseJson(R"([{"a":1},{"a":2},{"b":{"a":3}}])")); // equal names in different objects
}

void TestJson::badTextIsRefused_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("white space") << QByteArray("  \n");
    QTest::newRow("cut short") << QByteArray("{\"a\":1");
    QTest::newRow("followed by more") << QByteArray("{} {}");
    QTest::newRow("zero byte and more") << QByteArray("{}\0{\"a\":", 8);
    QTest::newRow("zero byte at the end") << QByteArray("{}\0", 3);
    QTest::newRow("trailing comma") << QByteArray("[1,]");
    QTest::newRow("single quotes") << QByteArray("{'a':1}");
    QTest::newRow("comment") << QByteArray("[1 /* one */]");
    QTest::newRow("NaN") << QByteArray("[NaN]");
    QTest::newRow("infinity") << QByteArray("[Infinity]");
    QTest::newRow("overflow") << QByteArray("[1e999]");
    QTest::newRow("leading zero") << QByteArray("[01]");
    QTest::newRow("plus") << QByteArray("[+1]");
    QTest::newRow("control character") << QByteArray("[\"\n\"]");
    QTest::newRow("not UTF-8") << QByteArray("[\"\xff\"]");
    QTest::newRow("overlong UTF-8") << QByteArray("[\"\xc0\xaf\"]");
    QTest::newRow("UTF-8 surrogate") << QByteArray("[\"\xed\xa0\x80\"]");
    QTest::newRow("half a surrogate pair") << QByteArray("[\"\\ud800\"]");
    QTest::newRow("unbalanced") << QByteArray("]]]]");
    QTest::newRow("name twice") << QByteArray(R"({"a":1,"a":1})");
    QTest::newRow("name twice, escaped") << QByteArray(R"({"a":1,"\u0061":2})");
    QTest::newRow("name twice, deep") << QByteArray(R"([{"x":{"a":1,"b":2,"a":3}}])");
}

void TestJson::badTextIsRefused()
{
    QFETCH(QByteArray, text);
    VERIFY_ERROR(parseJson({text.data(), std::size_t(text.size())}), ErrorKind::Protocol);
}

void TestJson::textThatIsTooLongIsRefused()
{
    const std::string text = "\"" + std::string(98, 'x') + "\"";
    VERIFY_OK(parseJson(text, {100}));
    VERIFY_ERROR(parseJson(text, {99}), ErrorKind::Protocol);
    VERIFY_ERROR(parseJson(std::string((1 << 20) + 1, ' ')), ErrorKind::Protocol);
}

void TestJson::depthIsBounded()
{
    VERIFY_OK(parseJson(nested(32)));
    VERIFY_ERROR(parseJson(nested(33)), ErrorKind::Protocol);
    VERIFY_OK(parseJson("[{}]", {100, 2}));
    VERIFY_ERROR(parseJson("[{\"a\":[]}]", {100, 2}), ErrorKind::Protocol);
    VERIFY_OK(parseJson("[[],[],[]]", {100, 2}));
    VERIFY_OK(parseJson("5", {100, 0}));
}

void TestJson::enormousDepthIsRefusedWithoutHarm()
{
    VERIFY_ERROR(parseJson(std::string(1'000'000, '[')), ErrorKind::Protocol);
    std::string objects;
    for (int i = 0; i < 100'000; ++i)
        objects += "{\"a\":";
    VERIFY_ERROR(parseJson(objects), ErrorKind::Protocol);
}

void TestJson::bracketsInsideTextsDoNotCount()
{
    VERIFY_OK(parseJson(R"(["[[[[[[", "\"[[[[[", "\\", "{{{{"])", {100, 1}));
    VERIFY_ERROR(parseJson(R"(["\\", [[]]])", {100, 2}), ErrorKind::Protocol);
}

void TestJson::valuesAreBounded()
{
    VERIFY_OK(parseJson("[1,2,3]", {100, 32, 5}));
    VERIFY_ERROR(parseJson("[1,2,3,4,5,6]", {100, 32, 5}), ErrorKind::Protocol);
    VERIFY_ERROR(parseJson("[[],[],[],[]]", {100, 32, 5}), ErrorKind::Protocol);
    VERIFY_OK(parseJson(R"(["a,b,c,d,e,f,g,h"])", {100, 32, 5}));
}

void TestJson::aSyntaxErrorNamesItsPlace()
{
    const auto value = parseJson("{\"a\": x}");
    VERIFY_ERROR(value, ErrorKind::Protocol);
    QVERIFY2(value.error().message.ends_with("at byte 7"), value.error().message.c_str());
}

void TestJson::membersAreRead()
{
    const auto object =
        parsed(R"({"text":"t","whole":-3,"number":0.5,"yes":true,"list":[1,2],"object":{"x":1}})");
    QCOMPARE(*textMember(object, "text"), std::string("t"));
    QCOMPARE(*integerMember(object, "whole", -10, 10), std::int64_t(-3));
    QCOMPARE(*numberMember(object, "number"), 0.5);
    QCOMPARE(*numberMember(object, "whole"), -3.0);
    QCOMPARE(*boolMember(object, "yes"), true);
    QCOMPARE(arrayMember(object, "list", 2)->size(), std::size_t(2));
    QVERIFY(objectMember(object, "object")->contains("x"));
}

void TestJson::aMissingMemberIsNamed()
{
    const auto object = parsed(R"({"other":1})");
    const auto seed = integerMember(object, "seed", 0, 1);
    VERIFY_ERROR(seed, ErrorKind::Protocol);
    QCOMPARE(seed.error().message, std::string("member 'seed' is missing"));
    VERIFY_ERROR(textMember(object, "seed"), ErrorKind::Protocol);
    VERIFY_ERROR(numberMember(object, "seed"), ErrorKind::Protocol);
    VERIFY_ERROR(boolMember(object, "seed"), ErrorKind::Protocol);
    VERIFY_ERROR(arrayMember(object, "seed", 1), ErrorKind::Protocol);
    VERIFY_ERROR(objectMember(object, "seed"), ErrorKind::Protocol);
}

void TestJson::aWrongTypeIsNamed_data()
{
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<QByteArray>("readableAs"); // t(ext) i(nteger) n(umber) b(ool) a(rray) o(bject)
    QTest::newRow("null") << QByteArray("null") << QByteArray("");
    QTest::newRow("text") << QByteArray("\"1\"") << QByteArray("t");
    QTest::newRow("whole") << QByteArray("1") << QByteArray("in");
    QTest::newRow("fraction") << QByteArray("1.5") << QByteArray("n");
    QTest::newRow("bool") << QByteArray("true") << QByteArray("b");
    QTest::newRow("array") << QByteArray("[1]") << QByteArray("a");
    QTest::newRow("object") << QByteArray("{\"x\":1}") << QByteArray("o");
}

void TestJson::aWrongTypeIsNamed()
{
    QFETCH(QByteArray, value);
    QFETCH(QByteArray, readableAs);
    const auto object = parsed(("{\"m\":" + value + "}").constData());
    QByteArray readable;
    QByteArrayList messages;
    const auto note = [&](char letter, const auto& result) {
        if (result.ok())
            readable += letter;
        else
            messages += QByteArray::fromStdString(result.error().message);
    };
    note('t', textMember(object, "m"));
    note('i', integerMember(object, "m", -9, 9));
    note('n', numberMember(object, "m"));
    note('b', boolMember(object, "m"));
    note('a', arrayMember(object, "m", 9));
    note('o', objectMember(object, "m"));
    QCOMPARE(readable, readableAs);
    for (const auto& message : messages)
        QVERIFY2(message.startsWith("member 'm' must be "), message.constData());
}

void TestJson::aTextMemberIsBounded()
{
    const auto object = parsed(R"({"m":"12345"})");
    VERIFY_OK(textMember(object, "m", 5));
    VERIFY_ERROR(textMember(object, "m", 4), ErrorKind::Protocol);
}

void TestJson::anArrayMemberIsBounded()
{
    const auto object = parsed(R"({"m":[1,2,3]})");
    VERIFY_OK(arrayMember(object, "m", 3));
    VERIFY_ERROR(arrayMember(object, "m", 2), ErrorKind::Protocol);
}

void TestJson::integersMustBeWholeAndInRange_data()
{
    QTest::addColumn<QByteArray>("number");
    QTest::addColumn<bool>("accepted");
    QTest::addColumn<qint64>("value");
    const auto good = [](const char* text, qint64 value) {
        QTest::newRow(text) << QByteArray(text) << true << value;
    };
    const auto bad = [](const char* text) {
        QTest::newRow(text) << QByteArray(text) << false << qint64(0);
    };
    good("0", 0);
    good("-0", 0);
    good("5.0", 5);
    good("5e2", 500);
    good("9007199254740992", 9007199254740992);
    good("-9007199254740992", -9007199254740992);
    bad("9007199254740993");
    bad("-9007199254740993");
    bad("9223372036854775808");
    bad("18446744073709551615");
    bad("18446744073709551616");
    bad("1e300");
    bad("-1e300");
    bad("0.5");
    bad("1e-5");
}

void TestJson::integersMustBeWholeAndInRange()
{
    QFETCH(QByteArray, number);
    QFETCH(bool, accepted);
    QFETCH(qint64, value);
    const auto object = parsed(("{\"m\":" + number + "}").constData());
    const auto read = integerMember(object, "m", std::numeric_limits<std::int64_t>::min(),
                                    std::numeric_limits<std::int64_t>::max());
    QCOMPARE(read.ok(), accepted);
    if (accepted) {
        QCOMPARE(qint64(*read), value);
        VERIFY_OK(integerMember(object, "m", value, value));
        VERIFY_ERROR(integerMember(object, "m", value + 1, value + 2), ErrorKind::Protocol);
        VERIFY_ERROR(integerMember(object, "m", value - 2, value - 1), ErrorKind::Protocol);
    }
}

void TestJson::aNumberMustBeFinite()
{
    Json object;
    object["m"] = std::numeric_limits<double>::infinity();
    VERIFY_ERROR(numberMember(object, "m"), ErrorKind::Protocol);
    VERIFY_ERROR(integerMember(object, "m", 0, 9), ErrorKind::Protocol);
    object["m"] = std::nan("");
    VERIFY_ERROR(numberMember(object, "m"), ErrorKind::Protocol);
    VERIFY_ERROR(integerMember(object, "m", 0, 9), ErrorKind::Protocol);
}

void TestJson::membersOfSomethingElseThanAnObjectAreMissing()
{
    for (const char* text : {"null", "[]", "\"m\"", "3"})
        VERIFY_ERROR(textMember(parsed(text), "m"), ErrorKind::Protocol);
}

void TestJson::dumpingNeverFails()
{
    QCOMPARE(dumpJson(Json{{"a", "b\xff"
                                 "c"}}),
             std::string("{\"a\":\"b\uFFFDc\"}"));
    QCOMPARE(dumpJson(parsed("{\"b\" : [1,\n2]}")), std::string("{\"b\":[1,2]}"));
    QVERIFY(dumpJson(Json("line\nbreak")).find('\n') == std::string::npos);
}

QTEST_GUILESS_MAIN(TestJson)
#include "tst_json.moc"
