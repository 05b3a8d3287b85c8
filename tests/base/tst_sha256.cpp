#include "engine/base/sha256.h"
#include "tests/base/result_checks.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace commonweight;

class TestSha256 : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void knownDigestsAreFound_data();
    void knownDigestsAreFound();
    void piecesGiveTheDigestOfTheWhole();
    void aCopiedHasherKeepsItsPrefix();
    void aFileGivesTheDigestOfItsBytes();
    void anAbsentFileIsNotFound();
    void aFolderIsNoFile();
    void textIsReadOnlyInLowerCaseHex();
};

void TestSha256::knownDigestsAreFound_data()
{
    QTest::addColumn<QByteArray>("message");
    QTest::addColumn<QByteArray>("digest");
    QTest::newRow("empty")
        << QByteArray()
        << QByteArray("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    QTest::newRow("abc") << QByteArray("abc")
                         << QByteArray(
                                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    QTest::newRow("two blocks")
        << QByteArray("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
        << QByteArray("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    QTest::newRow("a million")
        << QByteArray(1'000'000, 'a')
        << QByteArray("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

void TestSha256::knownDigestsAreFound()
{
    QFETCH(QByteArray, message);
    QFETCH(QByteArray, digest);
    QCOMPARE(sha256(asBytes(message.toStdString())).hex(), digest.toStdString());
}

void TestSha256::piecesGiveTheDigestOfTheWhole()
{
    Bytes message(1000);
    for (std::size_t i = 0; i < message.size(); ++i)
        message[i] = static_cast<Byte>(i * 7);
    for (const std::size_t step : {1u, 63u, 64u, 65u, 999u}) {
        Sha256Hasher hasher;
        for (std::size_t at = 0; at < message.size(); at += step)
            hasher.update(ByteView(message).subspan(at, std::min(step, message.size() - at)));
        QVERIFY(hasher.finish() == sha256(message));
    }
}

void TestSha256::aCopiedHasherKeepsItsPrefix()
{
    Sha256Hasher prefix;
    prefix.update(asBytes("ab"));
    Sha256Hasher copy = prefix;
    copy.update(asBytes("XX"));
    prefix.update(asBytes("c"));
    QVERIFY(prefix.finish() == sha256(asBytes("abc")));
    QVERIFY(copy.finish() == sha256(asBytes("abXX")));
}

void TestSha256::aFileGivesTheDigestOfItsBytes()
{
    QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("blob")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    const QByteArray content((1 << 20) + 12345, 'q'); // more than one piece
    QCOMPARE(file.write(content), qint64(content.size()));
    file.close();
    const auto digest = sha256OfFile(file.fileName().toStdString());
    VERIFY_OK(digest);
    QVERIFY(*digest == sha256(asBytes(content.toStdString())));
}

void TestSha256::anAbsentFileIsNotFound()
{
    VERIFY_ERROR(sha256OfFile("/nonexistent/blob"), ErrorKind::NotFound);
}

void TestSha256::aFolderIsNoFile()
{
    VERIFY_ERROR(sha256OfFile("/"), ErrorKind::Io);
}

void TestSha256::textIsReadOnlyInLowerCaseHex()
{
    const auto digest = sha256(asBytes("abc"));
    QVERIFY(*Sha256::parse(digest.hex()) == digest);
    auto upper = digest.hex();
    upper[0] = 'B';
    VERIFY_ERROR(Sha256::parse(upper), ErrorKind::Protocol);
    VERIFY_ERROR(Sha256::parse(digest.hex().substr(1)), ErrorKind::Protocol);
    VERIFY_ERROR(Sha256::parse("../" + digest.hex().substr(3)), ErrorKind::Protocol);
    VERIFY_ERROR(Sha256::parse(""), ErrorKind::Protocol);
}

QTEST_GUILESS_MAIN(TestSha256)
#include "tst_sha256.moc"
