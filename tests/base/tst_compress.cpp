#include "engine/base/compress.h"
#include "engine/base/random.h"
#include "tests/base/result_checks.h"

#include <QTest>

#include <algorithm>

using namespace commonweight;

namespace {

constexpr std::uint64_t kMiB = 1u << 20;

Bytes noise(std::size_t size)
{
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<Byte>(philox(3, i)[0]);
    return bytes;
}

/// A frame header (RFC 8878 section 3.1.1.1) and nothing else: single segment, with the content
/// size in eight bytes.
Bytes headerClaiming(std::uint64_t size)
{
    Bytes frame{0x28, 0xb5, 0x2f, 0xfd, 0xe0};
    for (int i = 0; i < 8; ++i)
        frame.push_back(static_cast<Byte>(size >> (8 * i)));
    return frame;
}

/// A frame without a content size whose one block repeats a byte `size` times.
Bytes repeatedWithoutSize(std::uint32_t size, Byte windowDescriptor)
{
    const std::uint32_t block = 1 | 1 << 1 | size << 3; // last block, RLE
    return {0x28,
            0xb5,
            0x2f,
            0xfd,
            0x00,
            windowDescriptor,
            static_cast<Byte>(block),
            static_cast<Byte>(block >> 8),
            static_cast<Byte>(block >> 16),
            'x'};
}

} // namespace

class TestCompress : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void contentComesBack_data();
    void contentComesBack();
    void repetitionGetsSmall();
    void contentBeyondTheBoundIsCorrupt();
    void aFrameWithoutItsSizeIsBoundedToo();
    void aFalseClaimIsCorrupt();
    void aHugeWindowIsRefused();
    void damagedFramesAreCorrupt_data();
    void damagedFramesAreCorrupt();
    void everyTruncationIsCorrupt();
};

void TestCompress::contentComesBack_data()
{
    QTest::addColumn<int>("size");
    QTest::addColumn<int>("level");
    for (const int size : {0, 1, 65'535, 65'536, 65'537, 1'000'003})
        for (const int level : {1, 3, 19})
            QTest::addRow("%d bytes, level %d", size, level) << size << level;
}

void TestCompress::contentComesBack()
{
    QFETCH(int, size);
    QFETCH(int, level);
    auto content = noise(std::size_t(size));
    std::fill(content.begin(), content.begin() + size / 2, Byte{7});
    const auto frame = compress(content, level);
    const auto back = decompress(frame, std::uint64_t(size));
    VERIFY_OK(back);
    QVERIFY(*back == content);
    VERIFY_OK(decompress(frame, ~std::uint64_t{0}));
}

void TestCompress::repetitionGetsSmall()
{
    QVERIFY(compress(Bytes(kMiB, 1)).size() < 1000);
}

void TestCompress::contentBeyondTheBoundIsCorrupt()
{
    const auto frame = compress(Bytes(100'000, 1));
    VERIFY_OK(decompress(frame, 100'000));
    VERIFY_ERROR(decompress(frame, 99'999), ErrorKind::Corrupt);
    VERIFY_ERROR(decompress(frame, 0), ErrorKind::Corrupt);
}

void TestCompress::aFrameWithoutItsSizeIsBoundedToo()
{
    const auto frame = repeatedWithoutSize(100'000, 0x58); // window 2 MiB
    const auto content = decompress(frame, 100'000);
    VERIFY_OK(content);
    QVERIFY(*content == Bytes(100'000, 'x'));
    VERIFY_ERROR(decompress(frame, 99'999), ErrorKind::Corrupt);
    VERIFY_ERROR(decompress(frame, 0), ErrorKind::Corrupt);
}

void TestCompress::aFalseClaimIsCorrupt()
{
    VERIFY_ERROR(decompress(headerClaiming(1000), kMiB), ErrorKind::Corrupt);
    VERIFY_ERROR(decompress(headerClaiming(std::uint64_t{1} << 40), kMiB), ErrorKind::Corrupt);
    VERIFY_ERROR(decompress(headerClaiming(std::uint64_t{1} << 62), ~std::uint64_t{0}),
                 ErrorKind::Corrupt);
    auto frame = compress(Bytes(1000, 1));
    frame[5] ^= 1; // the low byte of the size
    VERIFY_ERROR(decompress(frame, kMiB), ErrorKind::Corrupt);
}

void TestCompress::aHugeWindowIsRefused()
{
    VERIFY_OK(decompress(repeatedWithoutSize(10, 0x68), 1000));                        // 8 MiB
    VERIFY_ERROR(decompress(repeatedWithoutSize(10, 0x70), 1000), ErrorKind::Corrupt); // 16 MiB
    VERIFY_ERROR(decompress(repeatedWithoutSize(10, 0xff), 1000), ErrorKind::Corrupt); // 3.75 TiB
    // 512 MiB are too many for whatever content.
    VERIFY_ERROR(decompress(repeatedWithoutSize(10, 0x98), ~std::uint64_t{0}), ErrorKind::Corrupt);
}

void TestCompress::damagedFramesAreCorrupt_data()
{
    QTest::addColumn<QByteArray>("frame");
    const auto good = compress(asBytes("the quick brown fox"));
    const QByteArray bytes(reinterpret_cast<const char*>(good.data()), qsizetype(good.size()));
    QTest::newRow("nothing") << QByteArray();
    QTest::newRow("text") << QByteArray("hello, this is not compressed");
    QTest::newRow("gzip") << QByteArray("\x1f\x8b\x08\x00\x00\x00\x00\x00", 8);
    QTest::newRow("one byte more") << bytes + "x";
    QTest::newRow("two frames") << bytes + bytes;
    QTest::newRow("wrong magic") << "y" + bytes.mid(1);
}

void TestCompress::damagedFramesAreCorrupt()
{
    QFETCH(QByteArray, frame);
    VERIFY_ERROR(decompress(asBytes({frame.constData(), std::size_t(frame.size())}), kMiB),
                 ErrorKind::Corrupt);
}

void TestCompress::everyTruncationIsCorrupt()
{
    const auto frame = compress(noise(500));
    for (std::size_t length = 0; length < frame.size(); ++length)
        VERIFY_ERROR(decompress(ByteView(frame).first(length), kMiB), ErrorKind::Corrupt);
}

QTEST_GUILESS_MAIN(TestCompress)
#include "tst_compress.moc"
