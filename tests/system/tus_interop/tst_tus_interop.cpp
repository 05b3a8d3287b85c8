// Uploads between our programs and the reference implementations of tus: tus-js-client to our
// server, our client to @tus/server.

#include "engine/base/json.h"
#include "engine/transfer/curl_transport.h"
#include "engine/transfer/tus_upload.h"
#include "server/api/transfer_routes.h"
#include "tests/server/http_fixture.h"
#include "tests/support/kind_of.h"
#include "tests/transfer/flaky_proxy.h"

#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace commonweight;
using namespace commonweight::transfer;
using commonweight::server::Access;
using commonweight::server::HttpFixture;
using commonweight::server::TusOptions;
namespace fs = std::filesystem;

namespace {

constexpr int kPatience = 60'000;
const QString kFolder = QStringLiteral(COMMONWEIGHT_TUS_INTEROP_DIR);

std::string contentOf(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

QString text(const std::string& from)
{
    return QString::fromStdString(from);
}

} // namespace

class TestTusInterop : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();

    void theirClientUploadsToOurServer_data();
    void theirClientUploadsToOurServer();
    void theirClientResumesAtOurServer();
    void theirClientTerminatesAtOurServer();
    void theirClientIsToldOfAWrongHash();

    void ourClientUploadsToTheirServer();
    void ourClientResumesThroughABadConnection();
    void ourClientGoesOnAfterTheirServerRestarted();
    void ourClientCreatesAnewWhatTheirServerForgot();

private:
    Json runClient(const QString& mode, const std::string& promised);
    std::uint16_t startTheirServer(QProcess& process, std::uint16_t port = 0) const;
    Result<void> sendTo(std::uint16_t port, const Progress& progress = {},
                        const CancelFlag* cancel = nullptr);
    bool isStoredByThem() const
    {
        return contentOf(theirFolder() / m_url.substr(m_url.rfind('/') + 1)) == m_content;
    }
    fs::path theirFolder() const { return fs::path(m_folder->path().toStdString()) / "theirs"; }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<server::BlobStore> m_blobs;
    std::unique_ptr<server::UploadStore> m_uploads;
    std::unique_ptr<HttpFixture> m;
    std::unique_ptr<Transport> m_transport;
    std::string m_content;
    fs::path m_file;
    work::BlobRef m_ref;
    std::string m_url;
    const CancelFlag m_goesOn = false;
};

void TestTusInterop::initTestCase()
{
    if (QStandardPaths::findExecutable(QStringLiteral("node")).isEmpty())
        QSKIP("node is not installed");
    if (!QFileInfo::exists(kFolder + QStringLiteral("/node_modules/tus-js-client")))
        QSKIP("the npm packages are not installed: run npm ci --omit=optional in tus_interop of "
              "the build folder");
}

void TestTusInterop::init()
{
    m = nullptr;
    m_uploads = nullptr;
    m_folder = std::make_unique<QTemporaryDir>();
    const fs::path folder = m_folder->path().toStdString();
    m_content.assign(5'000'000, '\0');
    for (std::size_t i = 0; i < m_content.size(); ++i)
        m_content[i] = static_cast<char>(i * 41 + i / 777);
    m_file = folder / "result.safetensors";
    std::ofstream(m_file, std::ios::binary) << m_content;
    m_ref = {sha256(asBytes(m_content)), m_content.size()};
    m_url.clear();
    fs::create_directories(theirFolder());
    m_transport = makeCurlTransport("Commonweight/test");

    m_blobs = std::move(*server::makeFolderBlobStore(folder / "blobs"));
    m_uploads = std::move(*server::makeFolderUploadStore(folder / "uploads"));
    m = std::make_unique<HttpFixture>();
    TusOptions options;
    options.access = Access::Anyone; // their client cannot sign
    server::addTusRoutes(m->router, *m_uploads, *m_blobs, options, m->clock);
    QVERIFY(m->start());
}

Json TestTusInterop::runClient(const QString& mode, const std::string& promised)
{
    QProcess client;
    client.setWorkingDirectory(kFolder);
    client.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    const auto endpoint = "http://127.0.0.1:" + std::to_string(m->server->port()) + "/v1/uploads";
    client.start(QStringLiteral("node"), {QStringLiteral("client.mjs"), text(endpoint),
                                          text(m_file.string()), text(promised), mode});
    if (!client.waitForFinished(kPatience))
        client.kill();
    const auto answer = parseJson(client.readAllStandardOutput().toStdString());
    return answer.ok() ? *answer : Json{{"ok", false}, {"message", "the client said nothing"}};
}

std::uint16_t TestTusInterop::startTheirServer(QProcess& process, std::uint16_t port) const
{
    process.setWorkingDirectory(kFolder);
    process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    process.start(QStringLiteral("node"), {QStringLiteral("server.mjs"),
                                           text(theirFolder().string()), QString::number(port)});
    for (int waited = 0; waited < kPatience && !process.canReadLine(); waited += 100)
        process.waitForReadyRead(100);
    return process.readLine().trimmed().toUShort();
}

Result<void> TestTusInterop::sendTo(std::uint16_t port, const Progress& progress,
                                    const CancelFlag* cancel)
{
    const auto keep = [this](const std::string& url) -> Result<void> {
        m_url = url;
        return {};
    };
    const auto endpoint = "http://127.0.0.1:" + std::to_string(port) + "/files";
    return uploadFile(*m_transport, {endpoint, m_file, m_ref, m_url}, {}, keep, progress,
                      cancel ? *cancel : m_goesOn);
}

void TestTusInterop::theirClientUploadsToOurServer_data()
{
    QTest::addColumn<QString>("mode");
    for (const char* mode : {"whole", "chunks", "duringCreation", "override"})
        QTest::addRow("%s", mode) << QString::fromLatin1(mode);
}

void TestTusInterop::theirClientUploadsToOurServer()
{
    QFETCH(QString, mode);
    const auto answer = runClient(mode, m_ref.sha256.hex());
    QVERIFY2(answer["ok"] == true, dumpJson(answer).c_str());
    const auto stored = m_blobs->get(m_ref.sha256, m_ref.bytes);
    QVERIFY(stored.ok() && asText(*stored) == m_content);
}

void TestTusInterop::theirClientResumesAtOurServer()
{
    const auto answer = runClient(QStringLiteral("resume"), m_ref.sha256.hex());
    QVERIFY2(answer["ok"] == true, dumpJson(answer).c_str());
    QVERIFY(answer["sameUrl"] == true);
    QVERIFY(answer["resumedAbove"] > answer["interruptedAt"]);
    QVERIFY(m_blobs->size(m_ref.sha256).ok());
}

void TestTusInterop::theirClientTerminatesAtOurServer()
{
    const auto answer = runClient(QStringLiteral("terminate"), m_ref.sha256.hex());
    QVERIFY2(answer["ok"] == true, dumpJson(answer).c_str());
    QVERIFY(answer["statusAfter"] == 404);
}

void TestTusInterop::theirClientIsToldOfAWrongHash()
{
    const auto answer = runClient(QStringLiteral("chunks"), sha256({}).hex());
    QVERIFY(answer["ok"] == false);
    QVERIFY2(answer["status"] == 460, dumpJson(answer).c_str());
    QCOMPARE(kindOf(m_blobs->size(m_ref.sha256)), QByteArray("not_found"));
}

void TestTusInterop::ourClientUploadsToTheirServer()
{
    QProcess process;
    const auto port = startTheirServer(process);
    QVERIFY(port != 0);
    std::uint64_t last = 0;
    const auto sent = sendTo(port, [&](std::uint64_t done, std::uint64_t) { last = done; });
    QVERIFY2(sent.ok(), sent.ok() ? "" : sent.error().message.c_str());
    QCOMPARE(last, m_ref.bytes);
    QVERIFY(isStoredByThem());
    process.kill();
    process.waitForFinished();
}

void TestTusInterop::ourClientResumesThroughABadConnection()
{
    QProcess process;
    FlakyProxy proxy(startTheirServer(process));
    proxy.cutUpAfter = 700'000;
    int calls = 1;
    auto sent = sendTo(proxy.port());
    for (; !sent.ok() && calls < 30; ++calls) {
        QCOMPARE(kindOf(sent), QByteArray("network"));
        sent = sendTo(proxy.port());
    }
    QVERIFY2(sent.ok(), sent.ok() ? "" : sent.error().message.c_str());
    QVERIFY(proxy.connections > 5);
    QVERIFY(isStoredByThem());
    process.kill();
    process.waitForFinished();
}

void TestTusInterop::ourClientGoesOnAfterTheirServerRestarted()
{
    auto process = std::make_unique<QProcess>();
    const auto port = startTheirServer(*process);
    CancelFlag cancel = false;
    const auto part = sendTo(
        port, [&](std::uint64_t done, std::uint64_t) { cancel = done >= 1'000'000; }, &cancel);
    QCOMPARE(kindOf(part), QByteArray("cancelled"));
    process->kill();
    process->waitForFinished();
    const auto down = sendTo(port);
    QCOMPARE(kindOf(down), QByteArray("network"));

    process = std::make_unique<QProcess>();
    QCOMPARE(startTheirServer(*process, port), port);
    std::uint64_t first = 0;
    const auto sent =
        sendTo(port, [&](std::uint64_t done, std::uint64_t) { first = first == 0 ? done : first; });
    QVERIFY2(sent.ok(), sent.ok() ? "" : sent.error().message.c_str());
    QVERIFY(first >= 1'000'000);
    QVERIFY(isStoredByThem());
    process->kill();
    process->waitForFinished();
}

void TestTusInterop::ourClientCreatesAnewWhatTheirServerForgot()
{
    QProcess process;
    const auto port = startTheirServer(process);
    m_url = "http://127.0.0.1:" + std::to_string(port) + "/files/0123456789abcdef0123456789abcdef";
    const auto forgotten = m_url;
    const auto sent = sendTo(port);
    QVERIFY2(sent.ok(), sent.ok() ? "" : sent.error().message.c_str());
    QVERIFY(m_url != forgotten);
    QVERIFY(isStoredByThem());
    process.kill();
    process.waitForFinished();
}

QTEST_GUILESS_MAIN(TestTusInterop)
#include "tst_tus_interop.moc"
