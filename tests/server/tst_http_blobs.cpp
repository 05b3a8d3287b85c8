// GET /v1/blobs/{sha256}: immutable bytes with ranges and strong validators (RFC 9110 sections 13
// and 14).

#include "server/api/transfer_routes.h"
#include "tests/server/http_fixture.h"

#include <QTemporaryDir>
#include <QTest>

using namespace commonweight;
using namespace commonweight::server;

class TestHttpBlobs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();

    void aBlobIsServedWhole();
    void headSaysTheSizeAndSendsNothing();
    void rangesAreServed_data();
    void rangesAreServed();
    void aRangeBeyondTheEndIs416();
    void severalRangesGetEverything();
    void aRangeOfAnotherVersionGetsEverything();
    void aRangeOfThisVersionIsServed();
    void aKnownBlobIsNotSentAgain_data();
    void aKnownBlobIsNotSentAgain();
    void unknownAndMalformedNamesAreNotFound_data();
    void unknownAndMalformedNamesAreNotFound();
    void anEmptyBlobIsServed();

private:
    RawAnswer get(const Headers& headers) { return m->ask("GET", m_path, headers); }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<BlobStore> m_blobs;
    std::unique_ptr<HttpFixture> m;
    std::string m_content, m_path, m_etag;
};

void TestHttpBlobs::init()
{
    m = nullptr;
    m_folder = std::make_unique<QTemporaryDir>();
    m_blobs = std::move(*makeFolderBlobStore(m_folder->path().toStdString()));
    m_content.assign(700'000, '\0');
    for (std::size_t i = 0; i < m_content.size(); ++i)
        m_content[i] = static_cast<char>(i * 31 + i / 256);
    const auto name = m_blobs->put(asBytes(m_content))->hex();
    m_path = "/v1/blobs/" + name;
    m_etag = "\"" + name + "\"";
    m = std::make_unique<HttpFixture>();
    addBlobRoutes(m->router, *m_blobs);
    QVERIFY(m->start());
}

void TestHttpBlobs::aBlobIsServedWhole()
{
    const auto answer = get({});
    QCOMPARE(answer.status, 200);
    QVERIFY(answer.body == m_content);
    QCOMPARE(answer.header("etag"), m_etag);
    QCOMPARE(answer.header("accept-ranges"), std::string("bytes"));
    QCOMPARE(answer.header("content-type"), std::string("application/octet-stream"));
    QCOMPARE(answer.header("access-control-allow-origin"), std::string("*"));
    QVERIFY(answer.header("cache-control").find("immutable") != std::string::npos);
    QVERIFY(answer.header("content-range").empty());
}

void TestHttpBlobs::headSaysTheSizeAndSendsNothing()
{
    auto connection = m->connect();
    connection.send(HttpFixture::text("HEAD", m_path, {{"Range", "bytes=0-9"}}));
    const auto answer = connection.readAnswer(true);
    QCOMPARE(answer.status, 200);
    QCOMPARE(answer.header("content-length"), std::string("700000"));
    QCOMPARE(answer.header("etag"), m_etag);
    connection.send(HttpFixture::text("GET", m_path, {{"Range", "bytes=0-0"}}));
    QCOMPARE(connection.readAnswer().body, m_content.substr(0, 1));
}

void TestHttpBlobs::rangesAreServed_data()
{
    QTest::addColumn<QByteArray>("range");
    QTest::addColumn<int>("first");
    QTest::addColumn<int>("length");
    QTest::newRow("first bytes") << QByteArray("bytes=0-99") << 0 << 100;
    QTest::newRow("one byte") << QByteArray("bytes=5-5") << 5 << 1;
    QTest::newRow("middle") << QByteArray("bytes=1000-500999") << 1000 << 500'000;
    QTest::newRow("open") << QByteArray("bytes=699000-") << 699'000 << 1000;
    QTest::newRow("suffix") << QByteArray("bytes=-10") << 699'990 << 10;
    QTest::newRow("past the end") << QByteArray("bytes=699999-900000") << 699'999 << 1;
    QTest::newRow("all") << QByteArray("bytes=0-") << 0 << 700'000;
}

void TestHttpBlobs::rangesAreServed()
{
    QFETCH(QByteArray, range);
    QFETCH(int, first);
    QFETCH(int, length);
    const auto answer = get({{"Range", range.toStdString()}});
    QCOMPARE(answer.status, 206);
    QVERIFY(answer.body == m_content.substr(std::size_t(first), std::size_t(length)));
    QCOMPARE(answer.header("content-range"), "bytes " + std::to_string(first) + "-" +
                                                 std::to_string(first + length - 1) + "/700000");
    QCOMPARE(answer.header("etag"), m_etag);
}

void TestHttpBlobs::aRangeBeyondTheEndIs416()
{
    for (const char* range : {"bytes=700000-", "bytes=800000-900000", "bytes=-0"}) {
        const auto answer = get({{"Range", range}});
        QCOMPARE(answer.status, 416);
        QCOMPARE(answer.header("content-range"), std::string("bytes */700000"));
    }
}

void TestHttpBlobs::severalRangesGetEverything()
{
    const auto answer = get({{"Range", "bytes=0-1,5-6"}});
    QCOMPARE(answer.status, 200);
    QVERIFY(answer.body == m_content);
}

void TestHttpBlobs::aRangeOfAnotherVersionGetsEverything()
{
    for (const char* tag : {"\"0000\"", "W/\"0000\"", "Fri, 15 Jan 2027 08:00:00 GMT"}) {
        const auto answer = get({{"Range", "bytes=0-1"}, {"If-Range", tag}});
        QCOMPARE(answer.status, 200);
        QVERIFY(answer.body == m_content);
    }
    // A weak tag never fits If-Range, even if it is of this version.
    QCOMPARE(get({{"Range", "bytes=0-1"}, {"If-Range", "W/" + m_etag}}).status, 200);
}

void TestHttpBlobs::aRangeOfThisVersionIsServed()
{
    const auto answer = get({{"Range", "bytes=2-3"}, {"If-Range", m_etag}});
    QCOMPARE(answer.status, 206);
    QCOMPARE(answer.body, m_content.substr(2, 2));
}

void TestHttpBlobs::aKnownBlobIsNotSentAgain_data()
{
    QTest::addColumn<QByteArray>("tags");
    QTest::addColumn<int>("status");
    QTest::newRow("same") << QByteArray("TAG") << 304;
    QTest::newRow("weak") << QByteArray("W/TAG") << 304;
    QTest::newRow("list") << QByteArray("\"a\", \"b\" , TAG") << 304;
    QTest::newRow("any") << QByteArray("*") << 304;
    QTest::newRow("another") << QByteArray("\"a\"") << 200;
    QTest::newRow("unquoted") << QByteArray("a,,b") << 200;
}

void TestHttpBlobs::aKnownBlobIsNotSentAgain()
{
    QFETCH(QByteArray, tags);
    QFETCH(int, status);
    tags.replace("TAG", QByteArray::fromStdString(m_etag));
    const auto answer = get({{"If-None-Match", tags.toStdString()}});
    QCOMPARE(answer.status, status);
    QCOMPARE(answer.header("etag"), m_etag);
    QCOMPARE(answer.body.empty(), status == 304);
}

void TestHttpBlobs::unknownAndMalformedNamesAreNotFound_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::newRow("unknown") << QByteArray(64, '0');
    QTest::newRow("upper case") << QByteArray(64, 'A');
    QTest::newRow("short") << QByteArray(63, '0');
    QTest::newRow("long") << QByteArray(65, '0');
    QTest::newRow("not hexadecimal") << QByteArray(64, 'g');
    QTest::newRow("a dot") << QByteArray(".tmp");
}

void TestHttpBlobs::unknownAndMalformedNamesAreNotFound()
{
    QFETCH(QByteArray, name);
    const auto answer = m->ask("GET", "/v1/blobs/" + name.toStdString());
    QCOMPARE(answer.status, 404);
    QCOMPARE(answer.header("content-type"), std::string("application/problem+json"));
}

void TestHttpBlobs::anEmptyBlobIsServed()
{
    const auto name = m_blobs->put({})->hex();
    const auto answer = m->ask("GET", "/v1/blobs/" + name);
    QCOMPARE(answer.status, 200);
    QCOMPARE(answer.header("content-length"), std::string("0"));
    QCOMPARE(m->ask("GET", "/v1/blobs/" + name, {{"Range", "bytes=0-"}}).status, 416);
}

QTEST_GUILESS_MAIN(TestHttpBlobs)
#include "tst_http_blobs.moc"
