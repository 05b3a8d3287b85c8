// Uploads by our client to our server, with everything in between that goes wrong at home.

#include "engine/base/http_signature.h"
#include "engine/transfer/curl_transport.h"
#include "engine/transfer/tus_upload.h"
#include "engine/transfer/url.h"
#include "server/api/transfer_routes.h"
#include "tests/server/http_fixture.h"
#include "tests/support/fake_transport.h"
#include "tests/support/kind_of.h"
#include "tests/transfer/flaky_proxy.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace commonweight;
using namespace commonweight::transfer;
using commonweight::server::BlobStore;
using commonweight::server::HttpFixture;
using commonweight::server::TusOptions;
using commonweight::server::UploadStore;
namespace fs = std::filesystem;

class TestTusUpload : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();

    void aFileBecomesABlob();
    void theUrlIsHandedOverBeforeTheFirstByte();
    void everyRequestIsSigned();
    void progressReachesTheEnd();
    void chunksGrowWithTheLink();
    void anEmptyFileIsUploaded();
    void aKnownUrlIsGoneOnWith();
    void aFinishedUploadIsNotSentAgain();
    void uploadingTwiceKeepsOneBlob();
    void theServerMayRestartInTheMiddle();
    void aRelayThatDropsAtEachChunkOnlySlowsItDown();
    void aConnectionThatNeverLastsIsNetwork();
    void aLostAnswerToTheLastChunkDoesNoHarm();
    void aFlippedBitOnTheWayIsSentAgain();
    void aVanishedUploadIsCreatedAnew();
    void vanishingForEverIsNotFound();
    void aConflictAsksForTheOffset();
    void conflictsEnd();
    void mismatchesEndAsCorrupt();
    void aFileThatDoesNotFitItsHashIsCorrupt();
    void aProxyWithASmallLimitGetsSmallerChunks();
    void refusalsAreToldApart_data();
    void refusalsAreToldApart();
    void retryAfterIsHandedOn();
    void aCaptivePortalIsNetwork();
    void anUploadUrlOnAnUnprotectedAddressIsRefused();
    void relativeAndAbsoluteLocationsAreFollowed_data();
    void relativeAndAbsoluteLocationsAreFollowed();
    void aMissingOrChangedFileIsRefused();
    void cancellingEndsIt();
    void theCallersRefusalEndsIt();

private:
    void startServer();
    std::string endpoint(std::uint16_t port) const
    {
        return "http://127.0.0.1:" + std::to_string(port) + "/v1/uploads";
    }
    RequestSigner signer() const
    {
        return [this](HttpRequest& request) {
            const SignedParts parts{request.method, parseUrl(request.url)->path,
                                    contentDigest(request.body)};
            for (const auto& [name, value] :
                 signRequest(parts, HttpFixture::kHost, m_key, m->clock.wall(), freshNonce()))
                request.headers[name] = value;
        };
    }
    Result<void> upload(Transport& transport, const std::string& to, std::string url = {})
    {
        const auto created = [this](const std::string& made) -> Result<void> {
            m_url = made;
            ++m_creations;
            return {};
        };
        return uploadFile(transport, {to, m_file, m_ref, std::move(url)}, signer(), created, {},
                          m_cancel, &m_retryAfter);
    }
    Result<void> upload(const std::string& url = {})
    {
        return upload(*m_transport, endpoint(m_proxy->port()), url);
    }
    void makeFile(std::size_t bytes);
    bool isStored() const
    {
        const auto bytes = m_blobs->get(m_ref.sha256, 1 << 30);
        return bytes.ok() && bytes->size() == m_ref.bytes;
    }
    int blobCount() const
    {
        int count = 0;
        (void)m_blobs->forEach(
            [&count](const Sha256&, std::uint64_t, fs::file_time_type) { ++count; });
        return count;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<BlobStore> m_blobs;
    std::unique_ptr<UploadStore> m_uploads;
    std::unique_ptr<HttpFixture> m;
    std::unique_ptr<FlakyProxy> m_proxy;
    std::unique_ptr<Transport> m_transport;
    SigningKey m_key = SigningKey::generate();
    fs::path m_file;
    work::BlobRef m_ref;
    std::string m_url;
    int m_creations = 0;
    Seconds m_retryAfter{-1};
    CancelFlag m_cancel = false;
};

void TestTusUpload::init()
{
    m_proxy = nullptr;
    m = nullptr;
    m_folder = std::make_unique<QTemporaryDir>();
    m_file = fs::path(m_folder->path().toStdString()) / "result.safetensors";
    makeFile(5'000'000);
    m_url.clear();
    m_creations = 0;
    m_retryAfter = Seconds{-1};
    m_cancel = false;
    startServer();
    m_proxy = std::make_unique<FlakyProxy>(m->server->port());
    m_transport = makeCurlTransport("Commonweight/test");
}

/// Also again, on the same folder.
void TestTusUpload::startServer()
{
    const fs::path folder = m_folder->path().toStdString();
    m = nullptr;
    m_blobs = std::move(*server::makeFolderBlobStore(folder / "blobs"));
    m_uploads = std::move(*server::makeFolderUploadStore(folder / "uploads"));
    m = std::make_unique<HttpFixture>();
    m->key = m_key;
    server::addTusRoutes(m->router, *m_uploads, *m_blobs, TusOptions{}, m->clock);
    QVERIFY(m->start());
}

void TestTusUpload::makeFile(std::size_t bytes)
{
    std::string content(bytes, '\0');
    for (std::size_t i = 0; i < bytes; ++i)
        content[i] = static_cast<char>(i * 37 + i / 1000);
    std::ofstream(m_file, std::ios::binary) << content;
    m_ref = {sha256(asBytes(content)), bytes};
}

void TestTusUpload::aFileBecomesABlob()
{
    QVERIFY(upload().ok());
    QVERIFY(isStored());
    QCOMPARE(m_creations, 1);
    QVERIFY(fs::exists(m_file));
}

void TestTusUpload::theUrlIsHandedOverBeforeTheFirstByte()
{
    std::uint64_t offset = 1;
    const auto created = [&](const std::string& url) -> Result<void> {
        offset = m_uploads->find(url.substr(url.rfind('/') + 1))->offset;
        return {};
    };
    QVERIFY(uploadFile(*m_transport, {endpoint(m->server->port()), m_file, m_ref, {}}, signer(),
                       created, {}, m_cancel)
                .ok());
    QCOMPARE(offset, std::uint64_t(0));
}

void TestTusUpload::everyRequestIsSigned()
{
    int signatures = 0;
    const auto counting = [&](HttpRequest& request) {
        ++signatures;
        signer()(request);
    };
    const auto keep = [](const std::string&) -> Result<void> { return {}; };
    QVERIFY(uploadFile(*m_transport, {endpoint(m->server->port()), m_file, m_ref, {}}, counting,
                       keep, {}, m_cancel)
                .ok());
    QVERIFY(signatures >= 3);
    const auto unsigned_ = uploadFile(
        *m_transport, {endpoint(m->server->port()), m_file, m_ref, {}}, {}, keep, {}, m_cancel);
    QCOMPARE(kindOf(unsigned_), QByteArray("denied"));
}

void TestTusUpload::progressReachesTheEnd()
{
    std::vector<std::uint64_t> seen;
    const auto progress = [&](std::uint64_t done, std::uint64_t total) {
        QCOMPARE(total, m_ref.bytes);
        seen.push_back(done);
    };
    const auto keep = [](const std::string&) -> Result<void> { return {}; };
    QVERIFY(uploadFile(*m_transport, {endpoint(m->server->port()), m_file, m_ref, {}}, signer(),
                       keep, progress, m_cancel)
                .ok());
    QVERIFY(std::is_sorted(seen.begin(), seen.end()));
    QCOMPARE(seen.front(), std::uint64_t(0));
    QCOMPARE(seen.back(), m_ref.bytes);
}

void TestTusUpload::chunksGrowWithTheLink()
{
    makeFile(40'000'000);
    std::vector<std::size_t> sizes;
    std::uint64_t offset = 0;
    FakeTransport quick([&](const HttpRequest& request) -> Result<HttpResponse> {
        if (request.method == "POST")
            return HttpResponse{201, {{"location", "/v1/uploads/1"}}, {}};
        sizes.push_back(request.body.size());
        offset += request.body.size();
        return HttpResponse{204, {{"upload-offset", std::to_string(offset)}}, {}};
    });
    QVERIFY(upload(quick, "http://example.org/v1/uploads").ok());
    QCOMPARE(sizes.front(), std::size_t(1 << 20));
    QCOMPARE(*std::max_element(sizes.begin(), sizes.end()), std::size_t(8 << 20));
    QCOMPARE(offset, m_ref.bytes);
}

void TestTusUpload::anEmptyFileIsUploaded()
{
    makeFile(0);
    QVERIFY(upload().ok());
    QVERIFY(isStored());
}

void TestTusUpload::aKnownUrlIsGoneOnWith()
{
    m_proxy->cutUpAfter = 3'000'000;
    m_proxy->cutsLeft = 100;
    // As if this process died: the call is given up by its caller after some chunks.
    const auto stopping = [this](std::uint64_t done, std::uint64_t) {
        m_cancel = done >= 1'000'000;
    };
    const auto keep = [this](const std::string& url) -> Result<void> {
        m_url = url;
        return {};
    };
    m_proxy->cutUpAfter = FlakyProxy::kNever;
    QVERIFY(!uploadFile(*m_transport, {endpoint(m_proxy->port()), m_file, m_ref, {}}, signer(),
                        keep, stopping, m_cancel)
                 .ok());
    m_cancel = false;
    m_transport = makeCurlTransport("Commonweight/test");
    const auto before = m_proxy->bytesUp.load();
    QVERIFY(upload(m_url).ok());
    QCOMPARE(m_creations, 0);
    QVERIFY(isStored());
    QVERIFY(m_proxy->bytesUp - before < 4'100'000);
}

void TestTusUpload::aFinishedUploadIsNotSentAgain()
{
    QVERIFY(upload().ok());
    const auto before = m_proxy->bytesUp.load();
    QVERIFY(upload(m_url).ok());
    QVERIFY(m_proxy->bytesUp - before < 2'000);
    QCOMPARE(m_creations, 1);
}

void TestTusUpload::uploadingTwiceKeepsOneBlob()
{
    QVERIFY(upload().ok());
    QVERIFY(upload().ok());
    QCOMPARE(m_creations, 2);
    QCOMPARE(blobCount(), 1);
}

void TestTusUpload::theServerMayRestartInTheMiddle()
{
    int restarts = 0;
    const auto keep = [this](const std::string& url) -> Result<void> {
        m_url = url;
        return {};
    };
    const auto progress = [&](std::uint64_t done, std::uint64_t) {
        if (done < 1'000'000 || restarts > 0)
            return;
        ++restarts;
        startServer();
        m_proxy->serverPort = m->server->port();
    };
    auto sent = uploadFile(*m_transport, {endpoint(m_proxy->port()), m_file, m_ref, {}}, signer(),
                           keep, progress, m_cancel);
    if (!sent.ok())
        sent = upload(m_url);
    QVERIFY(sent.ok());
    QCOMPARE(restarts, 1);
    QVERIFY(isStored());
    QCOMPARE(blobCount(), 1);
}

void TestTusUpload::aRelayThatDropsAtEachChunkOnlySlowsItDown()
{
    // Every connection is reset after 600 kB: a chunk of 1 MiB never gets through, smaller ones do,
    // once a connection.
    m_proxy->cutUpAfter = 600'000;
    int calls = 1;
    auto sent = upload();
    for (; !sent.ok() && calls < 20; ++calls) {
        QCOMPARE(kindOf(sent), QByteArray("network"));
        sent = upload(m_url);
    }
    QVERIFY(sent.ok());
    QCOMPARE(m_creations, 1);
    QVERIFY(isStored());
    QCOMPARE(blobCount(), 1);
}

void TestTusUpload::aConnectionThatNeverLastsIsNetwork()
{
    m_proxy->cutUpAfter = 20'000;
    const auto sent = upload();
    QCOMPARE(kindOf(sent), QByteArray("network"));
    QVERIFY(m_proxy->connections < 20);
    QVERIFY(!m_url.empty());
}

void TestTusUpload::aLostAnswerToTheLastChunkDoesNoHarm()
{
    makeFile(500'000);
    // Answers to the creation are about 500 bytes long; what comes after is cut.
    m_proxy->cutDownAfter = 700;
    m_proxy->cutsLeft = 1;
    QVERIFY(upload().ok());
    QCOMPARE(m_creations, 1);
    QVERIFY(isStored());
    QCOMPARE(m_proxy->cutsLeft.load(), 0);
}

void TestTusUpload::aFlippedBitOnTheWayIsSentAgain()
{
    // Changes bytes after they were signed, as bad memory of a router would; the digest of the
    // chunk shows it.
    class Flipping final : public Transport {
    public:
        explicit Flipping(Transport& transport) : m_inner(transport) {}
        Result<HttpResponse> send(const HttpRequest& request, const CancelFlag& cancel) override
        {
            auto changed = request;
            if (request.method == "PATCH" && flips++ == 0)
                changed.headers["Upload-Checksum"] = "sha256 " + toBase64(sha256({}).bytes);
            return m_inner.send(changed, cancel);
        }
        Result<HttpResponse> stream(const HttpRequest& request, const BodySink& sink,
                                    const CancelFlag& cancel) override
        {
            return m_inner.stream(request, sink, cancel);
        }
        void setLimits(const TransferLimits& limits) override { m_inner.setLimits(limits); }
        int flips = 0;

    private:
        Transport& m_inner;
    };
    Flipping flipping(*m_transport);
    QVERIFY(upload(flipping, endpoint(m->server->port())).ok());
    QVERIFY(flipping.flips > 1);
    QVERIFY(isStored());
}

void TestTusUpload::aVanishedUploadIsCreatedAnew()
{
    QVERIFY(upload(endpoint(m_proxy->port()) + "/" + std::string(32, '0')).ok());
    QCOMPARE(m_creations, 1);
    QVERIFY(isStored());
}

void TestTusUpload::vanishingForEverIsNotFound()
{
    int creations = 0;
    FakeTransport forgetful([&](const HttpRequest& request) -> Result<HttpResponse> {
        if (request.method != "POST")
            return HttpResponse{404, {}, {}};
        ++creations;
        return HttpResponse{201, {{"location", "/v1/uploads/1"}}, {}};
    });
    QCOMPARE(kindOf(upload(forgetful, "http://example.org/v1/uploads")), QByteArray("not_found"));
    QCOMPARE(creations, 3);
}

void TestTusUpload::aConflictAsksForTheOffset()
{
    std::vector<std::string> calls;
    FakeTransport server([&](const HttpRequest& request) -> Result<HttpResponse> {
        calls.push_back(request.method);
        if (request.method == "HEAD")
            return HttpResponse{200, {{"upload-offset", std::to_string(m_ref.bytes)}}, {}};
        return request.method == "POST" ? HttpResponse{201, {{"location", "/1"}}, {}}
                                        : HttpResponse{409, {}, {}};
    });
    QVERIFY(upload(server, "http://example.org/v1/uploads").ok());
    QCOMPARE(calls, (std::vector<std::string>{"POST", "PATCH", "HEAD"}));
}

void TestTusUpload::conflictsEnd()
{
    FakeTransport server([](const HttpRequest& request) -> Result<HttpResponse> {
        if (request.method == "HEAD")
            return HttpResponse{200, {{"upload-offset", "0"}}, {}};
        return request.method == "POST" ? HttpResponse{201, {{"location", "/1"}}, {}}
                                        : HttpResponse{409, {}, {}};
    });
    QCOMPARE(kindOf(upload(server, "http://example.org/v1/uploads")), QByteArray("conflict"));
    QVERIFY(server.requests().size() < 20);
}

void TestTusUpload::mismatchesEndAsCorrupt()
{
    int patches = 0;
    FakeTransport server([&](const HttpRequest& request) -> Result<HttpResponse> {
        if (request.method == "HEAD")
            return HttpResponse{200, {{"upload-offset", "0"}}, {}};
        if (request.method == "POST")
            return HttpResponse{201, {{"location", "/1"}}, {}};
        ++patches;
        return HttpResponse{460, {}, {}};
    });
    QCOMPARE(kindOf(upload(server, "http://example.org/v1/uploads")), QByteArray("corrupt"));
    QCOMPARE(patches, 3);
}

void TestTusUpload::aFileThatDoesNotFitItsHashIsCorrupt()
{
    m_ref.sha256.bytes[0] ^= 1;
    QCOMPARE(kindOf(upload()), QByteArray("corrupt"));
    QCOMPARE(blobCount(), 0);
}

void TestTusUpload::aProxyWithASmallLimitGetsSmallerChunks()
{
    std::uint64_t offset = 0;
    FakeTransport proxy([&](const HttpRequest& request) -> Result<HttpResponse> {
        if (request.method == "POST")
            return HttpResponse{201, {{"location", "/1"}}, {}};
        if (request.body.size() > 300'000)
            return HttpResponse{413, {{"content-type", "text/html"}}, {}};
        offset += request.body.size();
        return HttpResponse{204, {{"upload-offset", std::to_string(offset)}}, {}};
    });
    QVERIFY(upload(proxy, "http://example.org/v1/uploads").ok());
    QCOMPARE(offset, m_ref.bytes);
    QVERIFY(proxy.requests().size() < 30);
}

void TestTusUpload::refusalsAreToldApart_data()
{
    QTest::addColumn<int>("status");
    QTest::addColumn<int>("kind");
    const auto row = [](int status, ErrorKind kind) {
        QTest::addRow("%d", status) << status << int(kind);
    };
    row(400, ErrorKind::Protocol);
    row(401, ErrorKind::Denied);
    row(403, ErrorKind::Denied);
    row(413, ErrorKind::Full);
    row(423, ErrorKind::Network);
    row(429, ErrorKind::Network);
    row(500, ErrorKind::Network);
    row(507, ErrorKind::Full);
}

void TestTusUpload::refusalsAreToldApart()
{
    QFETCH(int, status);
    QFETCH(int, kind);
    FakeTransport creation([&](const HttpRequest&) -> Result<HttpResponse> {
        return HttpResponse{status, {}, {}};
    });
    QCOMPARE(int(upload(creation, "http://example.org/v1/uploads").error().kind), kind);
    QCOMPARE(creation.requests().size(), std::size_t(1));
    FakeTransport chunk([&](const HttpRequest& request) -> Result<HttpResponse> {
        return request.method == "POST" ? HttpResponse{201, {{"location", "/1"}}, {}}
                                        : HttpResponse{status, {}, {}};
    });
    QCOMPARE(int(upload(chunk, "http://example.org/v1/uploads").error().kind), kind);
    QVERIFY(chunk.requests().size() <= 4);
}

void TestTusUpload::retryAfterIsHandedOn()
{
    FakeTransport busy([](const HttpRequest&) -> Result<HttpResponse> {
        return HttpResponse{429, {{"retry-after", "77"}}, {}};
    });
    QVERIFY(!upload(busy, "http://example.org/v1/uploads").ok());
    QCOMPARE(m_retryAfter.count(), 77.0);
}

void TestTusUpload::aCaptivePortalIsNetwork()
{
    for (const int status : {200, 302}) {
        FakeTransport portal([&](const HttpRequest&) -> Result<HttpResponse> {
            return HttpResponse{
                status,
                {{"content-type", "text/html"}, {"location", "http://portal.example/"}},
                {}};
        });
        QCOMPARE(kindOf(upload(portal, "http://example.org/v1/uploads")), QByteArray("network"));
        QCOMPARE(upload(portal, "http://example.org/v1/uploads", "http://example.org/v1/uploads/1")
                     .error()
                     .kind,
                 ErrorKind::Network);
    }
    QCOMPARE(m_creations, 0);
}

void TestTusUpload::anUploadUrlOnAnUnprotectedAddressIsRefused()
{
    FakeTransport server([](const HttpRequest&) -> Result<HttpResponse> {
        return HttpResponse{201, {{"location", "http://example.org/v1/uploads/1"}}, {}};
    });
    QCOMPARE(kindOf(upload(server, "https://example.org/v1/uploads")), QByteArray("protocol"));
}

void TestTusUpload::relativeAndAbsoluteLocationsAreFollowed_data()
{
    QTest::addColumn<QByteArray>("location");
    QTest::addColumn<QByteArray>("url");
    QTest::newRow("absolute path")
        << QByteArray("/v1/uploads/7") << QByteArray("http://example.org/v1/uploads/7");
    QTest::newRow("relative path")
        << QByteArray("uploads/7") << QByteArray("http://example.org/v1/uploads/7");
    QTest::newRow("absolute") << QByteArray("http://files.example.org/7")
                              << QByteArray("http://files.example.org/7");
}

void TestTusUpload::relativeAndAbsoluteLocationsAreFollowed()
{
    QFETCH(QByteArray, location);
    QFETCH(QByteArray, url);
    std::uint64_t offset = 0;
    FakeTransport server([&](const HttpRequest& request) -> Result<HttpResponse> {
        if (request.method == "POST")
            return HttpResponse{201, {{"location", location.toStdString()}}, {}};
        offset += request.body.size();
        return HttpResponse{204, {{"upload-offset", std::to_string(offset)}}, {}};
    });
    QVERIFY(upload(server, "http://example.org/v1/uploads").ok());
    QCOMPARE(m_url, url.toStdString());
    QCOMPARE(server.requests().back().url, url.toStdString());
    QCOMPARE(server.requests().back().headers.at("Tus-Resumable"), std::string("1.0.0"));
}

void TestTusUpload::aMissingOrChangedFileIsRefused()
{
    fs::resize_file(m_file, m_ref.bytes - 1);
    QCOMPARE(kindOf(upload()), QByteArray("corrupt"));
    fs::remove(m_file);
    QCOMPARE(kindOf(upload()), QByteArray("not_found"));
    QCOMPARE(m_creations, 0);
}

void TestTusUpload::cancellingEndsIt()
{
    m_cancel = true;
    QCOMPARE(kindOf(upload()), QByteArray("cancelled"));
}

void TestTusUpload::theCallersRefusalEndsIt()
{
    const auto refuse = [](const std::string&) -> Result<void> {
        return Error{ErrorKind::Io, "the state file is gone"};
    };
    const auto sent = uploadFile(*m_transport, {endpoint(m->server->port()), m_file, m_ref, {}},
                                 signer(), refuse, {}, m_cancel);
    QCOMPARE(sent.error().message, std::string("the state file is gone"));
    QCOMPARE(blobCount(), 0);
}

QTEST_GUILESS_MAIN(TestTusUpload)
#include "tst_tus_upload.moc"
