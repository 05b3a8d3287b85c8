#include "engine/base/json.h"
#include "tests/base/result_checks.h"

#include <QTest>

#include <algorithm>
#include <bit>

using namespace commonweight;

class TestCanonicalJson : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void numbersAreThoseOfTheStandard_data();
    void numbersAreThoseOfTheStandard();
    void integersAreNumbersLikeAllOthers();
    void theStandardsSampleComesOutExactly();
    void membersAreSortedByUtf16();
    void textIsEscapedAsLittleAsPossible();
    void theFormIsAFixedPoint();
    void whatWasSignedIsVerified();
    void anEnvelopeSurvivesReformatting();
    void everyChangeIsNoticed_data();
    void everyChangeIsNoticed();
    void aSignatureHoldsForItsKindOnly();
    void aStrangersSignatureIsDenied();
    void badShapesAreRefused_data();
    void badShapesAreRefused();
};

void TestCanonicalJson::numbersAreThoseOfTheStandard_data()
{
    QTest::addColumn<quint64>("bits");
    QTest::addColumn<QByteArray>("text");
    const auto row = [](quint64 bits, const char* text) {
        QTest::addRow("%016llx", static_cast<unsigned long long>(bits)) << bits << QByteArray(text);
    };
    // RFC 8785, appendix B.
    row(0x0000000000000000, "0");
    row(0x8000000000000000, "0");
    row(0x0000000000000001, "5e-324");
    row(0x8000000000000001, "-5e-324");
    row(0x7fefffffffffffff, "1.7976931348623157e+308");
    row(0xffefffffffffffff, "-1.7976931348623157e+308");
    row(0x4340000000000000, "9007199254740992");
    row(0xc340000000000000, "-9007199254740992");
    row(0x4430000000000000, "295147905179352830000");
    row(0x44b52d02c7e14af5, "9.999999999999997e+22");
    row(0x44b52d02c7e14af6, "1e+23");
    row(0x44b52d02c7e14af7, "1.0000000000000001e+23");
    row(0x444b1ae4d6e2ef4e, "999999999999999700000");
    row(0x444b1ae4d6e2ef4f, "999999999999999900000");
    row(0x444b1ae4d6e2ef50, "1e+21");
    row(0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7");
    row(0x3eb0c6f7a0b5ed8d, "0.000001");
    row(0x41b3de4355555553, "333333333.3333332");
    row(0x41b3de4355555554, "333333333.33333325");
    row(0x41b3de4355555555, "333333333.3333333");
    row(0x41b3de4355555556, "333333333.3333334");
    row(0x41b3de4355555557, "333333333.33333343");
    row(0xbecbf647612f3696, "-0.0000033333333333333333");
    row(0x43143ff3c1cb0959, "1424953923781206.2");
}

void TestCanonicalJson::numbersAreThoseOfTheStandard()
{
    QFETCH(quint64, bits);
    QFETCH(QByteArray, text);
    const auto number = std::bit_cast<double>(std::uint64_t(bits));
    QCOMPARE(canonicalJson(Json(number)), text.toStdString());
}

void TestCanonicalJson::integersAreNumbersLikeAllOthers()
{
    QCOMPARE(canonicalJson(Json(100)), std::string("100"));
    QCOMPARE(canonicalJson(Json(-7)), std::string("-7"));
    QCOMPARE(canonicalJson(Json(100.0)), std::string("100"));
    QCOMPARE(canonicalJson(Json(1.5)), std::string("1.5"));
    QCOMPARE(canonicalJson(Json(0.001)), std::string("0.001"));
    QCOMPARE(canonicalJson(Json(123456.789)), std::string("123456.789"));
    QCOMPARE(canonicalJson(Json(std::uint64_t{18446744073709551615u})),
             std::string("18446744073709552000"));
}

void TestCanonicalJson::theStandardsSampleComesOutExactly()
{
    // RFC 8785 section 3.2.2.
    const auto value = parseJson(R"({
        "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
        "literals": [null, true, false]
    })");
    VERIFY_OK(value);
    QCOMPARE(
        canonicalJson(*value),
        std::string(
            R"({"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],)"
            R"("string":"€$\u000f\nA'B\"\\\\\"/"})"));
}

void TestCanonicalJson::membersAreSortedByUtf16()
{
    // RFC 8785 section 3.2.3: the emoji's surrogates come before U+FB33.
    const auto value = parseJson(
        R"({"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh",
        "1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"})");
    VERIFY_OK(value);
    const auto text = canonicalJson(*value);
    std::size_t last = 0;
    for (const char* name : {"Carriage", "One", "Control", "Latin", "Euro", "Emoji", "Hebrew"}) {
        const auto place = text.find(name);
        QVERIFY(place != std::string::npos && place > last);
        last = place;
    }
    QCOMPARE(
        canonicalJson(*parseJson(R"({"aa":1,"a":2,"":3,"\ue000":4,"\ud7ff":5,"\udbff\udfff":6})")),
        std::string("{\"\":3,\"a\":2,\"aa\":1,\"\uD7FF\":5,\"\U0010FFFF\":6,\"\uE000\":4}"));
}

void TestCanonicalJson::textIsEscapedAsLittleAsPossible()
{
    QCOMPARE(canonicalJson(Json("\b\t\n\f\r\"\\/\x01\x1f\x7f é")),
             std::string("\"\\b\\t\\n\\f\\r\\\"\\\\/\\u0001\\u001f\x7f é\""));
    QCOMPARE(canonicalJson(Json(std::string("a\0b", 3))), std::string("\"a\\u0000b\""));
}

void TestCanonicalJson::theFormIsAFixedPoint()
{
    const auto value = parseJson(
        R"({"z":[{"b":1e-7,"a":[]},{}],"a":{"é":-0.0,"e":"\u2028"},"n":18446744073709551615})");
    VERIFY_OK(value);
    const auto once = canonicalJson(*value);
    QCOMPARE(canonicalJson(*parseJson(once)), once);
}

void TestCanonicalJson::whatWasSignedIsVerified()
{
    const auto key = SigningKey::generate();
    const Json body{{"id", "u1"}, {"rate", 0.1}};
    const auto envelope = signJson("unit", body, key);
    const auto verified = verifiedJson("unit", envelope, key.publicKey());
    VERIFY_OK(verified);
    QVERIFY(*verified == body);

    const auto signature = *fromBase64(*textMember(envelope, "signature"));
    Signature fixed{};
    std::copy(signature.begin(), signature.end(), fixed.begin());
    QVERIFY(verify(key.publicKey(), asBytes("commonweight unit v1\n{\"id\":\"u1\",\"rate\":0.1}"),
                   fixed));
}

void TestCanonicalJson::anEnvelopeSurvivesReformatting()
{
    const auto key = SigningKey::generate();
    const auto envelope = signJson("unit", *parseJson(R"({"b":[1,2.50],"a":100})"), key);
    const auto again = parseJson(envelope.dump(4));
    VERIFY_OK(again);
    VERIFY_OK(verifiedJson("unit", *again, key.publicKey()));
    auto rewritten = *again;
    rewritten["unit"]["a"] = 1e2; // the same number
    VERIFY_OK(verifiedJson("unit", rewritten, key.publicKey()));
}

void TestCanonicalJson::everyChangeIsNoticed_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::newRow("value") << QByteArray(R"({"a":1,"b":[true,"y"]})");
    QTest::newRow("type") << QByteArray(R"({"a":"1","b":[true,"x"]})");
    QTest::newRow("added") << QByteArray(R"({"a":1,"b":[true,"x"],"c":null})");
    QTest::newRow("removed") << QByteArray(R"({"a":1})");
    QTest::newRow("renamed") << QByteArray(R"({"A":1,"b":[true,"x"]})");
    QTest::newRow("order of elements") << QByteArray(R"({"a":1,"b":["x",true]})");
    QTest::newRow("nothing") << QByteArray("null");
}

void TestCanonicalJson::everyChangeIsNoticed()
{
    QFETCH(QByteArray, body);
    const auto key = SigningKey::generate();
    auto envelope = signJson("unit", *parseJson(R"({"a":1,"b":[true,"x"]})"), key);
    VERIFY_OK(verifiedJson("unit", envelope, key.publicKey()));
    envelope["unit"] = *parseJson(body.toStdString());
    VERIFY_ERROR(verifiedJson("unit", envelope, key.publicKey()), ErrorKind::Denied);
}

void TestCanonicalJson::aSignatureHoldsForItsKindOnly()
{
    const auto key = SigningKey::generate();
    auto envelope = signJson("unit", Json{{"a", 1}}, key);
    envelope["result"] = envelope["unit"];
    VERIFY_ERROR(verifiedJson("result", envelope, key.publicKey()), ErrorKind::Denied);
}

void TestCanonicalJson::aStrangersSignatureIsDenied()
{
    const auto envelope = signJson("unit", Json{{"a", 1}}, SigningKey::generate());
    VERIFY_ERROR(verifiedJson("unit", envelope, SigningKey::generate().publicKey()),
                 ErrorKind::Denied);
}

void TestCanonicalJson::badShapesAreRefused_data()
{
    QTest::addColumn<QByteArray>("envelope");
    QTest::addColumn<QByteArray>("kind");
    QTest::newRow("not an object") << QByteArray("[1]") << QByteArray("protocol");
    QTest::newRow("no body") << QByteArray(R"({"signature":"x"})") << QByteArray("protocol");
    QTest::newRow("no signature") << QByteArray(R"({"unit":{}})") << QByteArray("denied");
    QTest::newRow("signature is no text")
        << QByteArray(R"({"unit":{},"signature":5})") << QByteArray("protocol");
    QTest::newRow("signature is no base64")
        << QByteArray(R"({"unit":{},"signature":"?"})") << QByteArray("protocol");
    QTest::newRow("signature is short")
        << QByteArray(R"({"unit":{},"signature":"Zm9v"})") << QByteArray("protocol");
    const QByteArray zeros = QByteArray(64, '\0').toBase64();
    QTest::newRow("signature is zero")
        << R"({"unit":{},"signature":")" + zeros + "\"}" << QByteArray("denied");
}

void TestCanonicalJson::badShapesAreRefused()
{
    QFETCH(QByteArray, envelope);
    QFETCH(QByteArray, kind);
    const auto result = verifiedJson("unit", *parseJson(envelope.toStdString()),
                                     SigningKey::generate().publicKey());
    QVERIFY(!result.ok());
    QCOMPARE(QByteArray(toString(result.error().kind)), kind);
}

QTEST_GUILESS_MAIN(TestCanonicalJson)
#include "tst_canonical_json.moc"
