#include "engine/work/shard.h"
#include "tests/work/dice.h"

#include <QTest>

#include <numeric>

using namespace commonweight;
using namespace commonweight::work;
using test::Dice;

namespace {

const Sha256 kVocabulary = sha256(asBytes("commonweight bytes v1"));

std::vector<std::int32_t> generatedTokens(std::size_t count, std::uint32_t vocabularySize)
{
    Dice dice(count);
    std::vector<std::int32_t> tokens(count);
    for (auto& token : tokens)
        token = static_cast<std::int32_t>(dice.below(vocabularySize));
    return tokens;
}

} // namespace

class TestShard : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tokensSurviveTheRoundTrip_data()
    {
        QTest::addColumn<quint32>("vocabularySize");
        QTest::addColumn<int>("bytesPerToken");
        QTest::newRow("bytes") << 256u << 2;
        QTest::newRow("just fits two bytes") << 65'536u << 2;
        QTest::newRow("needs four bytes") << 65'537u << 4;
        QTest::newRow("large") << 2'000'000'000u << 4;
    }
    void tokensSurviveTheRoundTrip()
    {
        QFETCH(quint32, vocabularySize);
        QFETCH(int, bytesPerToken);
        for (const std::size_t count : {0u, 1u, 7u, 1000u}) {
            const auto tokens = generatedTokens(count, vocabularySize);
            const Bytes file = writeShard(tokens, vocabularySize, kVocabulary);
            QCOMPARE(file.size(), 64 + count * std::size_t(bytesPerToken));
            const auto shard = Shard::parse(file);
            QVERIFY(shard.ok());
            QCOMPARE(shard->tokens(), std::uint64_t{count});
            QCOMPARE(shard->vocabularySize(), vocabularySize);
            QVERIFY(shard->vocabulary() == kVocabulary);
            std::vector<std::int32_t> read(count);
            QVERIFY(shard->read(0, read).ok());
            QVERIFY(read == tokens);
        }
    }

    void theHeaderIsTheOneOfTheProtocol()
    {
        const std::vector<std::int32_t> tokens{1, 0x0203};
        const Bytes file = writeShard(tokens, 0x1234, kVocabulary);
        const std::string head = "4357534841524431"
                                 "01000000"
                                 "02000000"
                                 "0200000000000000"
                                 "34120000"
                                 "00000000";
        QCOMPARE(toHex(ByteView(file).first(32)), head);
        QCOMPARE(toHex(ByteView(file).subspan(32, 32)), kVocabulary.hex());
        QCOMPARE(toHex(ByteView(file).subspan(64)), std::string("01000302"));
    }

    void anyRangeInsideCanBeRead()
    {
        const auto tokens = generatedTokens(300, 256);
        const Bytes file = writeShard(tokens, 256, kVocabulary);
        const auto shard = Shard::parse(file);
        std::vector<std::int32_t> read(50);
        for (const std::size_t first : {0u, 1u, 133u, 250u}) {
            QVERIFY(shard->read(first, read).ok());
            QVERIFY(std::equal(read.begin(), read.end(), tokens.begin() + std::ptrdiff_t(first)));
        }
    }

    void aRangeOutsideIsRefused()
    {
        const Bytes file = writeShard(generatedTokens(300, 256), 256, kVocabulary);
        const auto shard = Shard::parse(file);
        std::vector<std::int32_t> read(50);
        for (const std::uint64_t first :
             {std::uint64_t{251}, std::uint64_t{300}, std::uint64_t{301}, ~std::uint64_t{0},
              ~std::uint64_t{0} - 20})
            QCOMPARE(shard->read(first, read).error().kind, ErrorKind::Protocol);
        QVERIFY(shard->read(300, std::span<std::int32_t>()).ok());
    }

    void aTokenOutsideTheVocabularyIsCorrupt()
    {
        Bytes file = writeShard(generatedTokens(10, 256), 256, kVocabulary);
        file[64 + 2 * 4 + 1] = 1; // token 4 becomes 256 or more
        const auto shard = Shard::parse(file);
        QVERIFY(shard.ok());
        std::vector<std::int32_t> read(4);
        QVERIFY(shard->read(0, read).ok());
        QCOMPARE(shard->read(1, read).error().kind, ErrorKind::Corrupt);
        Bytes wide = writeShard(generatedTokens(10, 70'000), 70'000, kVocabulary);
        wide[64 + 3] = 0xFF; // negative as a signed number
        QCOMPARE(Shard::parse(wide)->read(0, read).error().kind, ErrorKind::Corrupt);
    }

    void everyTruncationIsRefused()
    {
        const Bytes file = writeShard(generatedTokens(5, 256), 256, kVocabulary);
        for (std::size_t size = 0; size < file.size(); ++size)
            QCOMPARE(Shard::parse(ByteView(file).first(size)).error().kind, ErrorKind::Corrupt);
        Bytes longer = file;
        longer.push_back(0);
        QVERIFY(!Shard::parse(longer).ok());
        longer.push_back(0);
        QVERIFY(!Shard::parse(longer).ok());
    }

    void everyFlippedByteOfTheHeaderIsRefusedOrHarmless()
    {
        const Bytes file = writeShard(generatedTokens(5, 256), 256, kVocabulary);
        for (std::size_t place = 0; place < 64; ++place) {
            for (const int bit : {0x01, 0x80}) {
                Bytes bad = file;
                bad[place] ^= static_cast<Byte>(bit);
                const auto shard = Shard::parse(bad);
                const bool describesVocabulary = (place >= 24 && place < 28) || place >= 32;
                QVERIFY2(!shard.ok() || describesVocabulary, qPrintable(QString::number(place)));
            }
        }
    }

    void aHeaderThatPromisesTheWorldIsRefused()
    {
        Bytes file = writeShard(generatedTokens(5, 256), 256, kVocabulary);
        std::fill(file.begin() + 16, file.begin() + 24, Byte{0xFF});
        QVERIFY(!Shard::parse(file).ok());
        file[16] = 5;
        std::fill(file.begin() + 17, file.begin() + 24, Byte{0});
        file[23] = 0x80; // 5 + 2^63 tokens of two bytes wrap around to the true size
        QVERIFY(!Shard::parse(file).ok());
    }
};

QTEST_GUILESS_MAIN(TestShard)
#include "tst_shard.moc"
