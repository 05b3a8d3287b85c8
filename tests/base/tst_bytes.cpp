#include "engine/base/bytes.h"
#include "tests/base/result_checks.h"

#include <QTest>

using namespace commonweight;

class TestBytes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void base64MatchesTheStandardsExamples_data();
    void base64MatchesTheStandardsExamples();
    void everyByteSurvivesHexAndBase64();
    void hexIsWrittenInLowerCaseAndReadInBoth();
    void badHexIsRefused_data();
    void badHexIsRefused();
    void badBase64IsRefused_data();
    void badBase64IsRefused();
    void viewsShareTheBytes();
};

void TestBytes::base64MatchesTheStandardsExamples_data()
{
    QTest::addColumn<QByteArray>("plain");
    QTest::addColumn<QByteArray>("encoded");
    QTest::newRow("0") << QByteArray("") << QByteArray("");
    QTest::newRow("1") << QByteArray("f") << QByteArray("Zg==");
    QTest::newRow("2") << QByteArray("fo") << QByteArray("Zm8=");
    QTest::newRow("3") << QByteArray("foo") << QByteArray("Zm9v");
    QTest::newRow("4") << QByteArray("foob") << QByteArray("Zm9vYg==");
    QTest::newRow("6") << QByteArray("foobar") << QByteArray("Zm9vYmFy");
    QTest::newRow("signs") << QByteArray("\xfb\xff") << QByteArray("+/8=");
}

void TestBytes::base64MatchesTheStandardsExamples()
{
    QFETCH(QByteArray, plain);
    QFETCH(QByteArray, encoded);
    QCOMPARE(toBase64(asBytes(plain.toStdString())), encoded.toStdString());
    const auto decoded = fromBase64(encoded.toStdString());
    VERIFY_OK(decoded);
    QCOMPARE(std::string(asText(*decoded)), plain.toStdString());
}

void TestBytes::everyByteSurvivesHexAndBase64()
{
    Bytes all;
    for (int value = 0; value < 256; ++value)
        all.push_back(static_cast<Byte>(value));
    QVERIFY(*fromHex(toHex(all)) == all);
    QVERIFY(*fromBase64(toBase64(all)) == all);
}

void TestBytes::hexIsWrittenInLowerCaseAndReadInBoth()
{
    const Bytes bytes{0x00, 0xab, 0xCD};
    QCOMPARE(toHex(bytes), std::string("00abcd"));
    QVERIFY(*fromHex("00abCD") == bytes);
    QCOMPARE(toHex({}), std::string());
    QVERIFY(fromHex("")->empty());
}

void TestBytes::badHexIsRefused_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("odd") << QByteArray("abc");
    QTest::newRow("letter") << QByteArray("0g");
    QTest::newRow("space") << QByteArray("0 1f");
    QTest::newRow("prefix") << QByteArray("0x12");
    QTest::newRow("bad end") << QByteArray("00zz");
}

void TestBytes::badHexIsRefused()
{
    QFETCH(QByteArray, text);
    VERIFY_ERROR(fromHex(text.toStdString()), ErrorKind::Protocol);
}

void TestBytes::badBase64IsRefused_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("no padding") << QByteArray("Zg");
    QTest::newRow("half padding") << QByteArray("Zg=");
    QTest::newRow("too much padding") << QByteArray("Zm9v====");
    QTest::newRow("line break") << QByteArray("Zm9v\nZg=");
    QTest::newRow("url alphabet") << QByteArray("-_8=");
    QTest::newRow("left-over bits") << QByteArray("Zh==");
    QTest::newRow("padding inside") << QByteArray("Zg==Zm9v");
}

void TestBytes::badBase64IsRefused()
{
    QFETCH(QByteArray, text);
    VERIFY_ERROR(fromBase64(text.toStdString()), ErrorKind::Protocol);
}

void TestBytes::viewsShareTheBytes()
{
    const std::string text("abc");
    QVERIFY(static_cast<const void*>(asBytes(text).data()) == text.data());
    QCOMPARE(asText(asBytes(text)), std::string_view("abc"));
    QVERIFY(asBytes({}).empty());
}

QTEST_GUILESS_MAIN(TestBytes)
#include "tst_bytes.moc"
