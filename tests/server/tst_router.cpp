// Routes, request targets and byte ranges: what needs no socket.

#include "server/api/byte_range.h"
#include "server/api/request_target.h"
#include "server/api/response_head.h"
#include "server/api/router.h"
#include "tests/support/kind_of.h"

#include <QTest>

using namespace commonweight;
using namespace commonweight::server;

namespace {

Handler answering(int status)
{
    return [status](const Request&) { return Response::empty(status); };
}

int statusOf(const Route* route)
{
    return route ? std::get<Handler>(route->handler)({}).status : 0;
}

} // namespace

class TestRouter : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theRouteOfMethodAndPathAnswers();
    void aCaptureIsOneSegment();
    void headIsServedByGetUnlessItHasItsOwnRoute();
    void anUnknownMethodGetsTheListOfKnownOnes();
    void targetsAreTakenApart();
    void ambiguousTargetsAreRefused_data();
    void ambiguousTargetsAreRefused();
    void rangesFollowTheStandard_data();
    void rangesFollowTheStandard();
    void datesHaveTheFixedForm();
    void headerValuesCannotForgeHeaders();
};

void TestRouter::theRouteOfMethodAndPathAnswers()
{
    Router router;
    router.add({"GET", "/v1/a", Access::Anyone, answering(201)});
    router.add({"POST", "/v1/a", Access::Anyone, answering(202)});
    router.add({"GET", "/", Access::Anyone, answering(203)});
    std::map<std::string, std::string> captures;
    std::vector<std::string> allowed;
    QCOMPARE(statusOf(router.find("GET", "/v1/a", captures, allowed)), 201);
    QCOMPARE(statusOf(router.find("POST", "/v1/a", captures, allowed)), 202);
    QCOMPARE(statusOf(router.find("GET", "/", captures, allowed)), 203);
    QCOMPARE(router.find("GET", "/v1", captures, allowed), nullptr);
    QCOMPARE(router.find("GET", "/v1/a/", captures, allowed), nullptr);
    QCOMPARE(router.find("GET", "/v1/a/b", captures, allowed), nullptr);
    QVERIFY(allowed.empty());
}

void TestRouter::aCaptureIsOneSegment()
{
    Router router;
    router.add({"GET", "/v1/blobs/{sha256}", Access::Anyone, answering(200)});
    router.add({"GET", "/v1/runs/{run}/model", Access::Anyone, answering(200)});
    std::map<std::string, std::string> captures;
    std::vector<std::string> allowed;
    QVERIFY(router.find("GET", "/v1/blobs/abc", captures, allowed));
    QCOMPARE(captures.at("sha256"), std::string("abc"));
    QVERIFY(router.find("GET", "/v1/runs/verse/model", captures, allowed));
    QCOMPARE(captures.at("run"), std::string("verse"));
    QVERIFY(!router.find("GET", "/v1/blobs/abc/def", captures, allowed));
    QVERIFY(!router.find("GET", "/v1/blobs/", captures, allowed));
    QVERIFY(!router.find("GET", "/v1/blobs", captures, allowed));
}

void TestRouter::headIsServedByGetUnlessItHasItsOwnRoute()
{
    Router router;
    router.add({"GET", "/a", Access::Anyone, answering(201)});
    router.add({"GET", "/b", Access::Anyone, answering(201)});
    router.add({"HEAD", "/b", Access::Anyone, answering(202)});
    std::map<std::string, std::string> captures;
    std::vector<std::string> allowed;
    QCOMPARE(statusOf(router.find("HEAD", "/a", captures, allowed)), 201);
    QCOMPARE(statusOf(router.find("HEAD", "/b", captures, allowed)), 202);
}

void TestRouter::anUnknownMethodGetsTheListOfKnownOnes()
{
    Router router;
    router.add({"GET", "/a", Access::Anyone, answering(200)});
    router.add({"DELETE", "/a", Access::Anyone, answering(200)});
    std::map<std::string, std::string> captures;
    std::vector<std::string> allowed;
    QVERIFY(!router.find("PUT", "/a", captures, allowed));
    QCOMPARE(allowed, (std::vector<std::string>{"DELETE", "GET", "HEAD", "OPTIONS"}));
}

void TestRouter::targetsAreTakenApart()
{
    const auto target = parseTarget("/v1/runs/a%20b?from=3&name=x+y%26z&flag");
    QVERIFY(target.ok());
    QCOMPARE(target->rawPath, std::string("/v1/runs/a%20b"));
    QCOMPARE(target->path, std::string("/v1/runs/a b"));
    QCOMPARE(target->query,
             (std::map<std::string, std::string>{{"flag", ""}, {"from", "3"}, {"name", "x y&z"}}));
    QCOMPARE(parseTarget("http://example.org/v1/project")->path, std::string("/v1/project"));
    QCOMPARE(parseTarget("http://example.org")->path, std::string("/"));
    QCOMPARE(parseTarget("/")->path, std::string("/"));
}

void TestRouter::ambiguousTargetsAreRefused_data()
{
    QTest::addColumn<QByteArray>("target");
    const char* const targets[] = {"",
                                   "v1",
                                   "*",
                                   "example.org:443",
                                   "/..",
                                   "/../etc/passwd",
                                   "/v1/blobs/../x",
                                   "/v1/%2e%2e/x",
                                   "/v1/.%2E/x",
                                   "/v1/./x",
                                   "/v1/a%2fb",
                                   "/v1/a%2Fb",
                                   "/v1/a%5cb",
                                   "/v1/a\\b",
                                   "/v1/a%00b",
                                   "/v1/a%0d%0ab",
                                   "/v1//x",
                                   "//etc/passwd",
                                   "/v1/%",
                                   "/v1/%4",
                                   "/v1/%zz",
                                   "/v1/%7f",
                                   "/v1/x?a=%00",
                                   "/v1/x?a=%g1",
                                   "/v1/x?a=1&a=2"};
    for (const char* target : targets)
        QTest::addRow("'%s'", target) << QByteArray(target);
    QByteArray many = "/v1?";
    for (int i = 0; i < 100; ++i)
        many += "m" + QByteArray::number(i) + "=1&";
    QTest::addRow("many members") << many;
}

void TestRouter::ambiguousTargetsAreRefused()
{
    QFETCH(QByteArray, target);
    const auto parsed = parseTarget(target.toStdString());
    QVERIFY(!parsed.ok());
    QCOMPARE(kindOf(parsed), QByteArray("protocol"));
}

void TestRouter::rangesFollowTheStandard_data()
{
    using Kind = ByteRange::Kind;
    QTest::addColumn<QByteArray>("header");
    QTest::addColumn<quint64>("size");
    QTest::addColumn<int>("kind");
    QTest::addColumn<quint64>("first");
    QTest::addColumn<quint64>("length");
    const auto row = [](const char* header, quint64 size, Kind kind, quint64 first,
                        quint64 length) {
        QTest::addRow("%s of %llu", header, size)
            << QByteArray(header) << size << int(kind) << first << length;
    };
    row("", 10, Kind::Whole, 0, 10);
    row("bytes=0-0", 10, Kind::Part, 0, 1);
    row("bytes=0-9", 10, Kind::Part, 0, 10);
    row("bytes=2-4", 10, Kind::Part, 2, 3);
    row("bytes=5-", 10, Kind::Part, 5, 5);
    row("bytes=5-100", 10, Kind::Part, 5, 5);
    row("bytes=-3", 10, Kind::Part, 7, 3);
    row("bytes=-30", 10, Kind::Part, 0, 10);
    row("bytes=-0", 10, Kind::Unsatisfiable, 10, 0);
    row("bytes=10-", 10, Kind::Unsatisfiable, 0, 0);
    row("bytes=10-12", 10, Kind::Unsatisfiable, 0, 0);
    row("bytes=0-", 0, Kind::Unsatisfiable, 0, 0);
    row("bytes=99999999999999999999-", 10, Kind::Unsatisfiable, 0, 0);
    row("bytes=0-99999999999999999999", 10, Kind::Part, 0, 10);
    row("bytes=4-2", 10, Kind::Whole, 0, 10);
    row("bytes=1-2,4-5", 10, Kind::Whole, 0, 10);
    row("bytes=-", 10, Kind::Whole, 0, 10);
    row("bytes=a-b", 10, Kind::Whole, 0, 10);
    row("bytes=1", 10, Kind::Whole, 0, 10);
    row("lines=1-2", 10, Kind::Whole, 0, 10);
}

void TestRouter::rangesFollowTheStandard()
{
    QFETCH(QByteArray, header);
    QFETCH(quint64, size);
    QFETCH(int, kind);
    QFETCH(quint64, first);
    QFETCH(quint64, length);
    const auto range = parseRange(header.toStdString(), size);
    QCOMPARE(int(range.kind), kind);
    QCOMPARE(quint64(range.first), first);
    QCOMPARE(quint64(range.length), length);
}

void TestRouter::datesHaveTheFixedForm()
{
    QCOMPARE(httpDate(WallTime{std::chrono::seconds{784111777}}),
             std::string("Sun, 06 Nov 1994 08:49:37 GMT"));
    QCOMPARE(httpDate(WallTime{std::chrono::milliseconds{1'999}}),
             std::string("Thu, 01 Jan 1970 00:00:01 GMT"));
}

void TestRouter::headerValuesCannotForgeHeaders()
{
    auto response = Response::redirect("/x\r\nSet-Cookie: a=b");
    const auto head = responseHead(response, {WallTime{}, true, 0});
    QVERIFY(head.find("\r\nSet-Cookie") == std::string::npos);
    QVERIFY(head.find("Location: /x  Set-Cookie: a=b\r\n") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestRouter)
#include "tst_router.moc"
