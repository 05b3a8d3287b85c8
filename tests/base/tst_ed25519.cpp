#include "engine/base/atomic_file.h"
#include "engine/base/ed25519.h"
#include "tests/base/result_checks.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

#include <sys/stat.h>

using namespace commonweight;

namespace {

template <std::size_t N> std::array<Byte, N> fixed(const QByteArray& hex)
{
    const auto bytes = fromHex(hex.toStdString());
    std::array<Byte, N> result{};
    std::copy_n(bytes->begin(), N, result.begin());
    return result;
}

} // namespace

class TestEd25519 : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void standardVectorsAreReproduced_data();
    void standardVectorsAreReproduced();
    void aChangedMessageSignatureOrKeyIsRefused();
    void aSmallOrderKeyIsRefused();
    void aSavedKeyComesBackAndIsPrivate();
    void aKeyIsMadeOnceAndThenKept();
    void aKeyThatOthersMayReadIsRefused();
    void aDamagedKeyFileIsNeitherUsedNorReplaced_data();
    void aDamagedKeyFileIsNeitherUsedNorReplaced();
    void publicKeysSurviveTheirTextForm();
    void badPublicKeysAreRefused_data();
    void badPublicKeysAreRefused();
};

void TestEd25519::standardVectorsAreReproduced_data()
{
    QTest::addColumn<QByteArray>("seed");
    QTest::addColumn<QByteArray>("key");
    QTest::addColumn<QByteArray>("message");
    QTest::addColumn<QByteArray>("signature");
    QTest::newRow("RFC 8032 test 1")
        << QByteArray("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
        << QByteArray("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
        << QByteArray()
        << QByteArray("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a3"
                      "3bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b");
    QTest::newRow("RFC 8032 test 2")
        << QByteArray("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
        << QByteArray("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
        << QByteArray("72")
        << QByteArray("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15"
                      "996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
    QTest::newRow("RFC 8032 test 3")
        << QByteArray("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7")
        << QByteArray("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025")
        << QByteArray("af82")
        << QByteArray("6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16"
                      "f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a");
}

void TestEd25519::standardVectorsAreReproduced()
{
    QFETCH(QByteArray, seed);
    QFETCH(QByteArray, key);
    QFETCH(QByteArray, message);
    QFETCH(QByteArray, signature);
    const auto bytes = *fromHex(message.toStdString());
    const auto signing = SigningKey::fromSeed(fixed<32>(seed));
    QCOMPARE(toHex(signing.publicKey().bytes), key.toStdString());
    QCOMPARE(toHex(signing.sign(bytes)), signature.toStdString());
    QVERIFY(verify({fixed<32>(key)}, bytes, fixed<64>(signature)));
}

void TestEd25519::aChangedMessageSignatureOrKeyIsRefused()
{
    const auto key = SigningKey::generate();
    const Bytes message{1, 2, 3};
    const auto signature = key.sign(message);
    QVERIFY(verify(key.publicKey(), message, signature));
    QVERIFY(!verify(key.publicKey(), Bytes{1, 2, 4}, signature));
    QVERIFY(!verify(key.publicKey(), Bytes{1, 2}, signature));
    QVERIFY(!verify(SigningKey::generate().publicKey(), message, signature));
    for (std::size_t i = 0; i < signature.size(); ++i) {
        auto changed = signature;
        changed[i] ^= 1;
        QVERIFY(!verify(key.publicKey(), message, changed));
    }
}

void TestEd25519::aSmallOrderKeyIsRefused()
{
    // The neutral element as key and as R with S = 0 fits every message in careless
    // implementations.
    PublicKey neutral;
    neutral.bytes[0] = 1;
    Signature signature{};
    signature[0] = 1;
    QVERIFY(!verify(neutral, asBytes("anything"), signature));
}

void TestEd25519::aSavedKeyComesBackAndIsPrivate()
{
    QTemporaryDir folder;
    const auto path = folder.filePath(QStringLiteral("key")).toStdString();
    const auto key = SigningKey::generate();
    VERIFY_OK(key.save(path));
    struct stat status = {};
    QCOMPARE(::stat(path.c_str(), &status), 0);
    QCOMPARE(int(status.st_mode & 0777), 0600);
    const auto loaded = SigningKey::load(path);
    VERIFY_OK(loaded);
    QVERIFY(loaded->publicKey() == key.publicKey());
    QVERIFY(loaded->sign(asBytes("x")) == key.sign(asBytes("x")));
}

void TestEd25519::aKeyIsMadeOnceAndThenKept()
{
    QTemporaryDir folder;
    const auto path = folder.filePath(QStringLiteral("key")).toStdString();
    VERIFY_ERROR(SigningKey::load(path), ErrorKind::NotFound);
    const auto made = SigningKey::loadOrCreate(path);
    VERIFY_OK(made);
    const auto again = SigningKey::loadOrCreate(path);
    VERIFY_OK(again);
    QVERIFY(made->publicKey() == again->publicKey());
}

void TestEd25519::aKeyThatOthersMayReadIsRefused()
{
    QTemporaryDir folder;
    const auto path = folder.filePath(QStringLiteral("key")).toStdString();
    VERIFY_OK(SigningKey::generate().save(path));
    for (const mode_t mode : {0640, 0604, 0620}) {
        QCOMPARE(::chmod(path.c_str(), mode), 0);
        VERIFY_ERROR(SigningKey::load(path), ErrorKind::Denied);
        VERIFY_ERROR(SigningKey::loadOrCreate(path), ErrorKind::Denied);
    }
}

void TestEd25519::aDamagedKeyFileIsNeitherUsedNorReplaced_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("text") << QByteArray("not a key\n");
    QTest::newRow("31 bytes") << QByteArray(31, 'k').toBase64();
    QTest::newRow("64 bytes") << QByteArray(64, 'k').toBase64();
}

void TestEd25519::aDamagedKeyFileIsNeitherUsedNorReplaced()
{
    QFETCH(QByteArray, content);
    QTemporaryDir folder;
    const auto path = folder.filePath(QStringLiteral("key")).toStdString();
    VERIFY_OK(writeFileAtomically(path, asBytes(content.toStdString()), 0600));
    VERIFY_ERROR(SigningKey::loadOrCreate(path), ErrorKind::Corrupt);
    QCOMPARE(*readTextFile(path, 1000), content.toStdString());
}

void TestEd25519::publicKeysSurviveTheirTextForm()
{
    const auto key = SigningKey::generate().publicKey();
    QCOMPARE(key.base64().size(), std::size_t(44));
    QVERIFY(*PublicKey::parse(key.base64()) == key);
}

void TestEd25519::badPublicKeysAreRefused_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("short") << QByteArray(31, 'k').toBase64();
    QTest::newRow("long") << QByteArray(33, 'k').toBase64();
    QTest::newRow("hex") << QByteArray(64, 'a');
    QTest::newRow("spaces") << QByteArray(32, 'k').toBase64() + "    ";
}

void TestEd25519::badPublicKeysAreRefused()
{
    QFETCH(QByteArray, text);
    VERIFY_ERROR(PublicKey::parse(text.toStdString()), ErrorKind::Protocol);
}

QTEST_GUILESS_MAIN(TestEd25519)
#include "tst_ed25519.moc"
