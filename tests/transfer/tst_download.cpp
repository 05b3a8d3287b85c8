// Downloads of blobs: from the real server, through a relay that misbehaves, and from servers that
// are odd.

#include "engine/transfer/curl_transport.h"
#include "engine/transfer/download.h"
#include "server/api/transfer_routes.h"
#include "tests/server/http_fixture.h"
#include "tests/server/small_disk.h"
#include "tests/support/fake_transport.h"
#include "tests/support/kind_of.h"
#include "tests/transfer/flaky_proxy.h"

#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <fstream>
#include <sys/file.h>

using namespace commonweight;
using namespace commonweight::transfer;
using commonweight::server::Access;
using commonweight::server::BlobStore;
using commonweight::server::Handler;
using commonweight::server::HttpFixture;
using commonweight::server::Request;
using commonweight::server::Response;
namespace fs = std::filesystem;

namespace {

std::string contentOf(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void writeTo(const fs::path& path, const std::string& text)
{
    std::ofstream(path, std::ios::binary) << text;
}

std::string patterned(std::size_t bytes)
{
    std::string content(bytes, '\0');
    for (std::size_t i = 0; i < bytes; ++i)
        content[i] = static_cast<char>(i * 131 + i / 4096);
    return content;
}

} // namespace

class TestDownload : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();

    void aBlobArrivesWhole();
    void whatIsThereIsNotAskedFor();
    void aDamagedDestinationIsReplaced();
    void progressIsToldToTheEnd();
    void anEmptyBlobNeedsNoServer();
    void aCutConnectionIsGoneOnWith();
    void aPartOfADeadProcessIsGoneOnWith();
    void aCompletePartIsOnlyPublished();
    void aWrongPartIsFoundOutAtTheEnd();
    void aWrongCompletePartIsStartedOver();
    void aTooLongPartIsStartedOver();
    void aFlippedBitIsCorrupt();
    void aServerWithoutRangesStartsOver();
    void aServerWithAnotherRangeIsCorrupt();
    void aServerThatRefusesTheRangeIsAskedAgain();
    void anotherSizeIsCorrupt();
    void moreBytesThanExpectedAreCorrupt();
    void aMissingBlobIsNotFound();
    void aCaptivePortalIsNetworkAndHarmsNothing();
    void retryAfterIsHandedOn();
    void aStallIsATimeoutAndKeepsThePart();
    void cancellingKeepsThePart();
    void aSecondDownloadOfTheSameIsAConflict();
    void aFullDiskIsSaidAndGoneOnFrom();

private:
    std::string url() const
    {
        return "http://127.0.0.1:" + std::to_string(m->server->port()) + "/v1/blobs";
    }
    std::string proxyUrl() const
    {
        return "http://127.0.0.1:" + std::to_string(m_proxy->port()) + "/v1/blobs";
    }
    Result<void> fetch(const std::string& from)
    {
        return downloadBlob(*m_transport, from, m_ref, m_destination, {}, m_cancel);
    }
    /// Answers every request itself, instead of the blob route.
    Result<void> fetchFrom(FakeTransport::Answer answer)
    {
        FakeTransport fake(std::move(answer));
        return downloadBlob(fake, "http://example.org/v1/blobs", m_ref, m_destination, {},
                            m_cancel);
    }
    fs::path part() const { return m_destination.string() + ".part"; }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<BlobStore> m_blobs;
    std::unique_ptr<HttpFixture> m;
    std::unique_ptr<FlakyProxy> m_proxy;
    std::unique_ptr<Transport> m_transport;
    std::string m_content;
    work::BlobRef m_ref;
    fs::path m_destination;
    CancelFlag m_cancel = false;
};

void TestDownload::init()
{
    m_proxy = nullptr;
    m = nullptr;
    m_cancel = false;
    m_folder = std::make_unique<QTemporaryDir>();
    const fs::path folder = m_folder->path().toStdString();
    m_blobs = std::move(*server::makeFolderBlobStore(folder / "server"));
    m_content = patterned(3'000'000);
    m_ref = {*m_blobs->put(asBytes(m_content)), m_content.size()};
    m_destination = folder / "client" / "blobs" / m_ref.sha256.hex();
    m = std::make_unique<HttpFixture>();
    server::addBlobRoutes(m->router, *m_blobs);
    QVERIFY(m->start());
    m_proxy = std::make_unique<FlakyProxy>(m->server->port());
    m_transport = makeCurlTransport("Commonweight/test");
}

void TestDownload::aBlobArrivesWhole()
{
    QVERIFY(fetch(url()).ok());
    QVERIFY(contentOf(m_destination) == m_content);
    QVERIFY(!fs::exists(part()));
}

void TestDownload::whatIsThereIsNotAskedFor()
{
    QVERIFY(fetch(proxyUrl()).ok());
    QCOMPARE(m_proxy->connections.load(), 1);
    QVERIFY(fetch("http://nobody.invalid/v1/blobs").ok());
}

void TestDownload::aDamagedDestinationIsReplaced()
{
    QVERIFY(fetch(url()).ok());
    auto damaged = m_content;
    damaged[1'234'567] ^= 1;
    writeTo(m_destination, damaged);
    QVERIFY(fetch(url()).ok());
    QVERIFY(contentOf(m_destination) == m_content);
}

void TestDownload::progressIsToldToTheEnd()
{
    std::uint64_t last = 0, total = 0;
    bool isMonotonic = true;
    const auto progress = [&](std::uint64_t done, std::uint64_t all) {
        isMonotonic = isMonotonic && done > last;
        last = done;
        total = all;
    };
    QVERIFY(downloadBlob(*m_transport, url(), m_ref, m_destination, progress, m_cancel).ok());
    QVERIFY(isMonotonic);
    QCOMPARE(last, m_ref.bytes);
    QCOMPARE(total, m_ref.bytes);
}

void TestDownload::anEmptyBlobNeedsNoServer()
{
    m_ref = {sha256({}), 0};
    m_destination = m_destination.parent_path() / "empty";
    QVERIFY(fetch("http://nobody.invalid/v1/blobs").ok());
    QCOMPARE(fs::file_size(m_destination), std::uintmax_t(0));
}

void TestDownload::aCutConnectionIsGoneOnWith()
{
    m_proxy->cutDownAfter = 1'000'000;
    for (int i = 0; i < 2; ++i) {
        const auto cut = fetch(proxyUrl());
        QVERIFY(!cut.ok());
        QCOMPARE(kindOf(cut), QByteArray("network"));
        QVERIFY(fs::exists(part()));
        QVERIFY(!fs::exists(m_destination));
    }
    m_proxy->cutDownAfter = FlakyProxy::kNever;
    QVERIFY(fetch(proxyUrl()).ok());
    QVERIFY(contentOf(m_destination) == m_content);
    // Nothing that had arrived was sent again; a megabyte is more than sockets hold back.
    QVERIFY(m_proxy->bytesDown < m_ref.bytes + 1'000'000);
}

void TestDownload::aPartOfADeadProcessIsGoneOnWith()
{
    fs::create_directories(m_destination.parent_path());
    writeTo(part(), m_content.substr(0, 2'900'000));
    QVERIFY(fetch(proxyUrl()).ok());
    QVERIFY(contentOf(m_destination) == m_content);
    QVERIFY(m_proxy->bytesDown < 110'000);
}

void TestDownload::aCompletePartIsOnlyPublished()
{
    fs::create_directories(m_destination.parent_path());
    writeTo(part(), m_content);
    QVERIFY(fetch("http://nobody.invalid/v1/blobs").ok());
    QVERIFY(contentOf(m_destination) == m_content);
}

void TestDownload::aWrongPartIsFoundOutAtTheEnd()
{
    fs::create_directories(m_destination.parent_path());
    auto wrong = m_content.substr(0, 1'000'000);
    wrong[17] ^= 1;
    writeTo(part(), wrong);
    QCOMPARE(kindOf(fetch(url())), QByteArray("corrupt"));
    QVERIFY(!fs::exists(part()));
    QVERIFY(!fs::exists(m_destination));
    QVERIFY(fetch(url()).ok());
}

void TestDownload::aWrongCompletePartIsStartedOver()
{
    fs::create_directories(m_destination.parent_path());
    writeTo(part(), std::string(m_content.size(), 'x'));
    QVERIFY(fetch(url()).ok());
    QVERIFY(contentOf(m_destination) == m_content);
}

void TestDownload::aTooLongPartIsStartedOver()
{
    fs::create_directories(m_destination.parent_path());
    writeTo(part(), m_content + "!");
    QVERIFY(fetch(url()).ok());
    QVERIFY(contentOf(m_destination) == m_content);
}

void TestDownload::aFlippedBitIsCorrupt()
{
    m_proxy->flipDownAt = 2'000'000;
    QCOMPARE(kindOf(fetch(proxyUrl())), QByteArray("corrupt"));
    QVERIFY(!fs::exists(part()));
    QVERIFY(!fs::exists(m_destination));
    m_proxy->flipDownAt = FlakyProxy::kNever;
    m_transport = makeCurlTransport("Commonweight/test"); // the old connection still flips
    QVERIFY(fetch(proxyUrl()).ok());
}

void TestDownload::aServerWithoutRangesStartsOver()
{
    fs::create_directories(m_destination.parent_path());
    writeTo(part(), m_content.substr(0, 1'000'000));
    int asked = 0;
    const auto fetched = fetchFrom([&](const HttpRequest& request) -> Result<HttpResponse> {
        asked += request.headers.contains("Range") ? 1 : 0;
        const auto view = asBytes(m_content);
        return HttpResponse{200, {}, {view.begin(), view.end()}};
    });
    QVERIFY(fetched.ok());
    QCOMPARE(asked, 1);
    QVERIFY(contentOf(m_destination) == m_content);
}

void TestDownload::aServerWithAnotherRangeIsCorrupt()
{
    fs::create_directories(m_destination.parent_path());
    for (const char* range : {"bytes 0-2999999/3000000", "bytes 1000000-2999999/4000000", "",
                              "bytes 1000001-2999999/*"}) {
        writeTo(part(), m_content.substr(0, 1'000'000));
        const auto fetched = fetchFrom([&](const HttpRequest&) -> Result<HttpResponse> {
            return HttpResponse{206, {{"content-range", range}}, Bytes(2'000'000)};
        });
        QCOMPARE(kindOf(fetched), QByteArray("corrupt"));
        QVERIFY(!fs::exists(part()));
    }
}

void TestDownload::aServerThatRefusesTheRangeIsAskedAgain()
{
    fs::create_directories(m_destination.parent_path());
    writeTo(part(), m_content.substr(0, 1'000'000));
    const auto fetched = fetchFrom([&](const HttpRequest& request) -> Result<HttpResponse> {
        if (request.headers.contains("Range"))
            return HttpResponse{416, {}, {}};
        const auto view = asBytes(m_content);
        return HttpResponse{200, {}, {view.begin(), view.end()}};
    });
    QVERIFY(fetched.ok());
    QVERIFY(contentOf(m_destination) == m_content);
    fs::remove(m_destination);
    const auto refused = fetchFrom([](const HttpRequest&) -> Result<HttpResponse> {
        return HttpResponse{416, {}, {}};
    });
    QCOMPARE(kindOf(refused), QByteArray("protocol"));
}

void TestDownload::anotherSizeIsCorrupt()
{
    m_ref.bytes = 2'999'999;
    QCOMPARE(kindOf(fetch(url())), QByteArray("corrupt"));
    m_ref.bytes = 3'000'001;
    QCOMPARE(kindOf(fetch(url())), QByteArray("corrupt"));
    QVERIFY(!fs::exists(part()));
}

void TestDownload::moreBytesThanExpectedAreCorrupt()
{
    const auto fetched = fetchFrom([&](const HttpRequest&) -> Result<HttpResponse> {
        const auto view = asBytes(m_content);
        HttpResponse response{200, {}, {view.begin(), view.end()}};
        response.body.push_back(0);
        return response;
    });
    QCOMPARE(kindOf(fetched), QByteArray("corrupt"));
    QVERIFY(!fs::exists(part()));
}

void TestDownload::aMissingBlobIsNotFound()
{
    QVERIFY(m_blobs->remove(m_ref.sha256).ok());
    const auto fetched = fetch(url());
    QCOMPARE(kindOf(fetched), QByteArray("not_found"));
    QVERIFY(fetched.error().message.find(m_ref.sha256.hex().substr(0, 12)) != std::string::npos);
}

void TestDownload::aCaptivePortalIsNetworkAndHarmsNothing()
{
    fs::create_directories(m_destination.parent_path());
    writeTo(part(), m_content.substr(0, 1'000'000));
    const auto fetched = fetchFrom([](const HttpRequest&) -> Result<HttpResponse> {
        return HttpResponse{200, {{"content-type", "text/html; charset=utf-8"}}, Bytes(5'000, '<')};
    });
    QCOMPARE(kindOf(fetched), QByteArray("network"));
    QCOMPARE(fs::file_size(part()), std::uintmax_t(1'000'000));
    QVERIFY(fetch(proxyUrl()).ok());
    QVERIFY(m_proxy->bytesDown < 2'100'000);
}

void TestDownload::retryAfterIsHandedOn()
{
    Seconds wait{-1};
    FakeTransport busy([](const HttpRequest&) -> Result<HttpResponse> {
        return HttpResponse{503, {{"retry-after", "120"}}, {}};
    });
    const auto fetched =
        downloadBlob(busy, "http://example.org", m_ref, m_destination, {}, m_cancel, &wait);
    QCOMPARE(kindOf(fetched), QByteArray("network"));
    QCOMPARE(wait.count(), 120.0);
}

void TestDownload::aStallIsATimeoutAndKeepsThePart()
{
    /// The time-out of a minute or so, shortened for the test.
    class Hasty final : public Transport {
    public:
        explicit Hasty(Transport& transport) : m_inner(transport) {}
        Result<HttpResponse> send(const HttpRequest& request, const CancelFlag& cancel) override
        {
            return m_inner.send(request, cancel);
        }
        Result<HttpResponse> stream(const HttpRequest& request, const BodySink& sink,
                                    const CancelFlag& cancel) override
        {
            auto hasty = request;
            hasty.stallTimeout = Seconds{0.4};
            return m_inner.stream(hasty, sink, cancel);
        }
        void setLimits(const TransferLimits& limits) override { m_inner.setLimits(limits); }

    private:
        Transport& m_inner;
    };
    m_proxy->muteDownAfter = 1'000'000;
    Hasty hasty(*m_transport);
    const auto stalled = downloadBlob(hasty, proxyUrl(), m_ref, m_destination, {}, m_cancel);
    QCOMPARE(kindOf(stalled), QByteArray("timeout"));
    QVERIFY(fs::file_size(part()) > 900'000);
    m_proxy->muteDownAfter = FlakyProxy::kNever;
    QVERIFY(fetch(proxyUrl()).ok());
    QVERIFY(contentOf(m_destination) == m_content);
}

void TestDownload::cancellingKeepsThePart()
{
    const auto progress = [this](std::uint64_t done, std::uint64_t) { m_cancel = done > 500'000; };
    m_transport->setLimits({{}, 400'000, 0}); // so that there is a moment to cancel in
    const auto cancelled =
        downloadBlob(*m_transport, url(), m_ref, m_destination, progress, m_cancel);
    QCOMPARE(kindOf(cancelled), QByteArray("cancelled"));
    QVERIFY(fs::file_size(part()) > 500'000);
    m_cancel = false;
    m_transport->setLimits({});
    QVERIFY(fetch(url()).ok());
}

void TestDownload::aSecondDownloadOfTheSameIsAConflict()
{
    fs::create_directories(m_destination.parent_path());
    const int held = ::open(part().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    QCOMPARE(::flock(held, LOCK_EX | LOCK_NB), 0);
    QCOMPARE(kindOf(fetch(url())), QByteArray("conflict"));
    ::close(held);
    QVERIFY(fetch(url()).ok());
}

void TestDownload::aFullDiskIsSaidAndGoneOnFrom()
{
    const SmallDisk disk(4096);
    if (!disk.isMounted())
        QSKIP("mounting a tmpfs is not allowed here");
    m_destination = disk.folder() / "blob";
    writeTo(disk.folder() / "other", std::string(2 << 20, 'y'));
    const auto full = fetch(proxyUrl());
    QCOMPARE(kindOf(full), QByteArray("full"));
    QVERIFY(fs::file_size(part()) > 1'000'000);
    fs::remove(disk.folder() / "other");
    QVERIFY(fetch(proxyUrl()).ok());
    QVERIFY(contentOf(m_destination) == m_content);
}

QTEST_GUILESS_MAIN(TestDownload)
#include "tst_download.moc"
