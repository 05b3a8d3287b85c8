// Uploads against the published protocol, tus 1.0.0 (tus.io/protocols/resumable-upload), header by
// header: the core protocol.

#include "tests/server/tus_fixture.h"

#include <QTest>

using namespace commonweight;
using namespace commonweight::server;
using namespace std::chrono_literals;

class TestTus : public QObject, protected TusFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { reset(); }

    void optionsSayWhatTheServerKnows();
    void optionsNeedNoSignatureAndNoVersion();
    void aWrongVersionIs412_data();
    void aWrongVersionIs412();
    void headTellsTheOffset();
    void headIsNeverCached();
    void headOfAnUnknownUploadIs404WithoutOffset();
    void patchMovesTheOffset();
    void patchAtAnotherOffsetIs409();
    void patchWithAnotherTypeIs415_data();
    void patchWithAnotherTypeIs415();
    void patchWithoutAnOffsetIs400_data();
    void patchWithoutAnOffsetIs400();
    void patchOfAnUnknownUploadIs404();
    void moreBytesThanTheLengthAre413();
    void everyAnswerNamesTheVersion();
    void theMethodCanBeOverridden();
    void otherMethodsAreRefused();
};

void TestTus::optionsSayWhatTheServerKnows()
{
    TusOptions options;
    options.maxBytes = 12345;
    QVERIFY(start(options));
    const auto answer = m->ask("OPTIONS", kUploads);
    QCOMPARE(answer.status, 204);
    QCOMPARE(answer.header("tus-resumable"), std::string("1.0.0"));
    QCOMPARE(answer.header("tus-version"), std::string("1.0.0"));
    QCOMPARE(answer.header("tus-max-size"), std::string("12345"));
    QCOMPARE(answer.header("tus-extension"),
             std::string("creation,creation-with-upload,checksum,expiration,termination"));
    QCOMPARE(answer.header("tus-checksum-algorithm"), std::string("sha256,sha1"));
    QCOMPARE(answer.header("access-control-allow-origin"), std::string("*"));
    QVERIFY(answer.header("access-control-allow-headers").find("Upload-Offset") !=
            std::string::npos);
    QVERIFY(answer.header("access-control-allow-methods").find("PATCH") != std::string::npos);
}

void TestTus::optionsNeedNoSignatureAndNoVersion()
{
    QVERIFY(start());
    QCOMPARE(m->ask("OPTIONS", created()).status, 204);
    QCOMPARE(m->ask("OPTIONS", kUploads, {{"Tus-Resumable", "0.2.2"}}).status, 204);
}

void TestTus::aWrongVersionIs412_data()
{
    QTest::addColumn<QByteArray>("method");
    for (const char* method : {"POST", "HEAD", "PATCH", "DELETE"})
        QTest::addRow("%s", method) << QByteArray(method);
}

void TestTus::aWrongVersionIs412()
{
    QFETCH(QByteArray, method);
    QVERIFY(start());
    const auto location = created();
    const auto path = method == "POST" ? kUploads : location;
    for (const char* version : {"0.2.2", "1.0", "1.0.1"}) {
        auto headers = patchHeaders(0);
        headers["Tus-Resumable"] = version;
        const auto answer = m->askSigned(method.toStdString(), path, headers);
        QCOMPARE(answer.status, 412);
        QCOMPARE(answer.header("tus-version"), std::string("1.0.0"));
        QVERIFY(answer.header("upload-offset").empty());
    }
    QCOMPARE(m->askSigned(method.toStdString(), path).status, 412);
    QCOMPARE(offsetOf(location), std::string("0"));
}

void TestTus::headTellsTheOffset()
{
    QVERIFY(start());
    const auto location = created();
    const auto fresh = ask("HEAD", location, {});
    QCOMPARE(fresh.status, 200);
    QCOMPARE(fresh.header("upload-offset"), std::string("0"));
    QCOMPARE(fresh.header("upload-length"), std::to_string(kContent.size()));
    QCOMPARE(patch(location, 0, kContent.substr(0, 10)).status, 204);
    QCOMPARE(offsetOf(location), std::string("10"));
}

void TestTus::headIsNeverCached()
{
    QVERIFY(start());
    QCOMPARE(ask("HEAD", created(), {}).header("cache-control"), std::string("no-store"));
    QCOMPARE(ask("HEAD", kUploads + "/" + std::string(32, '0'), {}).header("cache-control"),
             std::string("no-store"));
}

void TestTus::headOfAnUnknownUploadIs404WithoutOffset()
{
    QVERIFY(start());
    for (const auto& id : {std::string(32, '0'), std::string("x")}) {
        const auto answer = ask("HEAD", kUploads + "/" + id, {});
        QCOMPARE(answer.status, 404);
        QVERIFY(answer.header("upload-offset").empty());
    }
}

void TestTus::patchMovesTheOffset()
{
    QVERIFY(start());
    const auto location = created();
    const auto first = patch(location, 0, kContent.substr(0, 20));
    QCOMPARE(first.status, 204);
    QCOMPARE(first.header("upload-offset"), std::string("20"));
    QVERIFY(first.header("content-length").empty());
    const auto second = patch(location, 20, kContent.substr(20));
    QCOMPARE(second.status, 204);
    QCOMPARE(second.header("upload-offset"), std::to_string(kContent.size()));
}

void TestTus::patchAtAnotherOffsetIs409()
{
    QVERIFY(start());
    const auto location = created();
    QCOMPARE(patch(location, 0, kContent.substr(0, 20)).status, 204);
    for (const std::size_t offset : {0, 19, 21, 43, 1000})
        QCOMPARE(patch(location, offset, "x").status, 409);
    QCOMPARE(offsetOf(location), std::string("20"));
}

void TestTus::patchWithAnotherTypeIs415_data()
{
    QTest::addColumn<QByteArray>("type");
    for (const char* type : {"", "application/octet-stream", "text/plain"})
        QTest::addRow("'%s'", type) << QByteArray(type);
}

void TestTus::patchWithAnotherTypeIs415()
{
    QFETCH(QByteArray, type);
    QVERIFY(start());
    const auto location = created();
    auto headers = patchHeaders(0);
    headers["Content-Type"] = type.toStdString();
    QCOMPARE(ask("PATCH", location, headers, kContent).status, 415);
    headers.erase("Content-Type");
    QCOMPARE(ask("PATCH", location, headers, kContent).status, 415);
    QCOMPARE(offsetOf(location), std::string("0"));
}

void TestTus::patchWithoutAnOffsetIs400_data()
{
    QTest::addColumn<QByteArray>("offset");
    for (const char* offset : {"", "-1", "abc", "1.5", "0x1", "99999999999999999999"})
        QTest::addRow("'%s'", offset) << QByteArray(offset);
}

void TestTus::patchWithoutAnOffsetIs400()
{
    QFETCH(QByteArray, offset);
    QVERIFY(start());
    auto headers = patchHeaders(0);
    headers["Upload-Offset"] = offset.toStdString();
    QCOMPARE(ask("PATCH", created(), headers, kContent).status, 400);
}

void TestTus::patchOfAnUnknownUploadIs404()
{
    QVERIFY(start());
    QCOMPARE(patch(kUploads + "/" + std::string(32, '0'), 0, "x").status, 404);
}

void TestTus::moreBytesThanTheLengthAre413()
{
    QVERIFY(start());
    const auto location = created();
    QCOMPARE(patch(location, 0, kContent + "!").status, 413);
    // Without a length ahead it shows only on the way.
    auto headers = patchHeaders(0);
    headers["Tus-Resumable"] = "1.0.0";
    headers["Transfer-Encoding"] = "chunked";
    headers = m->signedBy(m->key, HttpFixture::kHost, "PATCH", location, kContent + "!", headers);
    const auto answer = m->ask("PATCH", location, headers, "2c\r\n" + kContent + "!\r\n0\r\n\r\n");
    QCOMPARE(answer.status, 400);
    QCOMPARE(answer.header("tus-resumable"), std::string("1.0.0"));
    QCOMPARE(offsetOf(location), std::string("0"));
}

void TestTus::everyAnswerNamesTheVersion()
{
    QVERIFY(start());
    const auto location = created();
    const auto unknown = kUploads + "/" + std::string(32, '0');
    const RawAnswer answers[] = {
        post({}),
        post({{"Upload-Length", "5"}, {"Upload-Metadata", metadataFor("hello")}}),
        ask("HEAD", location, {}),
        ask("HEAD", unknown, {}),
        patch(location, 5, "x"),
        patch(location, 0, kContent),
        patch(unknown, 0, "x"),
        ask("DELETE", location, {}),
        ask("DELETE", location, {})};
    for (const auto& answer : answers) {
        QVERIFY(answer.status > 0);
        QCOMPARE(answer.header("tus-resumable"), std::string("1.0.0"));
    }
}

void TestTus::theMethodCanBeOverridden()
{
    QVERIFY(start());
    const auto location = created();
    auto headers = patchHeaders(0);
    headers["X-HTTP-Method-Override"] = "PATCH";
    QCOMPARE(ask("POST", location, headers, kContent.substr(0, 7)).status, 204);
    const auto described = ask("POST", location, {{"X-HTTP-Method-Override", "HEAD"}});
    QCOMPARE(described.header("upload-offset"), std::string("7"));
    QCOMPARE(ask("POST", location, {{"X-HTTP-Method-Override", "DELETE"}}).status, 204);
    QCOMPARE(ask("HEAD", location, {}).status, 404);
}

void TestTus::otherMethodsAreRefused()
{
    QVERIFY(start());
    const auto location = created();
    for (const char* method : {"GET", "PUT"}) {
        const auto answer = ask(method, location, {});
        QCOMPARE(answer.status, 405);
        QCOMPARE(answer.header("allow"), std::string("DELETE, HEAD, OPTIONS, PATCH, POST"));
    }
    QCOMPARE(ask("POST", location, {}).status, 405);
    QCOMPARE(ask("POST", kUploads, {{"X-HTTP-Method-Override", "PUT"}}).status, 405);
}

QTEST_GUILESS_MAIN(TestTus)
#include "tst_tus.moc"
