// The handlers, called through the router without a socket.

#include "engine/base/safetensors.h"
#include "server/ledger/ledger_routes.h"
#include "server/page/metrics.h"
#include "server/page/model_routes.h"
#include "server/page/page.h"
#include "server/page/public_routes.h"
#include "server/schedule/rate_limit.h"
#include "server/schedule/scheduler_routes.h"
#include "server/verify/result_routes.h"
#include "tests/server/sample_project.h"

#include <QTest>

using namespace commonweight;
using namespace commonweight::server;
using namespace std::chrono_literals;

namespace {

/// A sample project with all of its routes.
class Routes : public SampleProject {
public:
    explicit Routes(const SampleOptions& options = {}) : SampleProject(options)
    {
        addPageRoute(m_router);
        addPublicRoutes(m_router, store(), projectKey.publicKey(), 1000);
        addModelRoutes(m_router, store(), blobs());
        addLedgerRoutes(m_router, store());
        addMetricsRoute(m_router, store());
        addSchedulerRoutes(m_router, store(), *scheduler, clock);
        addResultRoutes(
            m_router, *admission, [this] { ++arrived; },
            [this](const std::string& event, const Json&) { events.push_back(event); });
    }

    Response get(const std::string& path, std::map<std::string, std::string> query = {})
    {
        return send("GET", path, {}, {}, std::move(query));
    }
    Response post(const std::string& path, const Json& body, const std::string& host = {})
    {
        return send("POST", path, dumpJson(body), host, {});
    }
    Response postText(const std::string& path, const std::string& body)
    {
        return send("POST", path, body, {}, {});
    }

    int arrived = 0;

private:
    Response send(const std::string& method, const std::string& path, const std::string& body,
                  const std::string& host, std::map<std::string, std::string> query)
    {
        Request request;
        request.method = method;
        request.path = path;
        request.query = std::move(query);
        request.body.assign(body.begin(), body.end());
        request.host = host;
        request.remoteAddress = "127.0.0.1";
        std::vector<std::string> allowed;
        const Route* route = m_router.find(method, path, request.captures, allowed);
        if (!route)
            return problem(404, "no-route", path);
        return std::get<Handler>(route->handler)(request);
    }

    Router m_router;
};

Json bodyOf(const Response& response)
{
    return sure(parseJson(asText(std::get<Bytes>(response.body)), {.bytes = 16u << 20}));
}

std::string textOf(const Response& response)
{
    return std::string(asText(std::get<Bytes>(response.body)));
}

} // namespace

class ServerRoutesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theProjectIntroducesItself()
    {
        Routes routes;
        const auto response = routes.get("/v1/project");
        QCOMPARE(response.status, 200);
        const auto info = sure(work::projectInfoFromJson(bodyOf(response)));
        QCOMPARE(info.name, std::string("Sample project"));
        QVERIFY(info.key == routes.projectKey.publicKey());
        QCOMPARE(info.runs.size(), std::size_t{1});
        QCOMPARE(info.runs[0].id, std::string("sample"));
        QCOMPARE(info.uploadLimit, std::uint64_t{1000});
    }

    void registeringIsIdempotent()
    {
        Routes routes;
        const auto key = SigningKey::generate();
        const Json body{{"key", key.publicKey().base64()},
                        {"name", "Ada"},
                        {"devices", Json::array({{{"name", "Processor"}}})}};
        const auto first = routes.post("/v1/hosts", body);
        QCOMPARE(first.status, 201);
        const auto id = bodyOf(first)["host"].get<std::string>();
        QCOMPARE(id, "h" + sha256(key.publicKey().bytes).hex().substr(0, 32));
        const auto again =
            routes.post("/v1/hosts", {{"key", key.publicKey().base64()}, {"name", "Ada L."}});
        QCOMPARE(again.status, 200);
        QCOMPARE(bodyOf(again)["host"].get<std::string>(), id);
        QCOMPARE(sure(routes.store().host(id)).name, std::string("Ada L."));
        QVERIFY(sure(routes.store().keyOf(id)) == key.publicKey());
    }

    void badRegistrationsAreRefused_data()
    {
        QTest::addColumn<QString>("body");
        QTest::newRow("no JSON") << "key=1";
        QTest::newRow("no key") << "{}";
        QTest::newRow("a key that is none") << R"({"key":"abc"})";
        QTest::newRow("a name that is no text")
            << R"({"key":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","name":1})";
        QTest::newRow("devices that are no list")
            << R"({"key":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","devices":{}})";
    }
    void badRegistrationsAreRefused()
    {
        QFETCH(QString, body);
        Routes routes;
        QCOMPARE(routes.postText("/v1/hosts", body.toStdString()).status, 400);
    }

    void aBannedHostCannotComeBack()
    {
        Routes routes;
        const auto host = routes.volunteer();
        sure(routes.store().setBanned(host.id, true));
        QCOMPARE(routes.post("/v1/hosts", {{"key", host.key.publicKey().base64()}}).status, 403);
    }

    void aUnitGoesAllTheWay()
    {
        Routes routes;
        const auto host = routes.volunteer("Ada");
        work::SchedulerRequest request;
        request.host = host.id;
        request.devices = {{.name = "Processor", .backend = "cpu", .wantsWork = true}};
        const auto reply = routes.post("/v1/scheduler", work::toJson(request), host.id);
        QCOMPARE(reply.status, 200);
        const auto unit = routes.unitIn(sure(work::schedulerReplyFromJson(bodyOf(reply))));
        const auto envelope = routes.envelope(host, routes.answerTo(host, unit, 20));
        const auto delivered = routes.post("/v1/results", envelope, host.id);
        QCOMPARE(delivered.status, 201);
        QCOMPARE(bodyOf(delivered)["state"].get<std::string>(), std::string("accepted"));
        QCOMPARE(routes.arrived, 1);
        QCOMPARE(routes.post("/v1/results", envelope, host.id).status, 200);
        QCOMPARE(routes.arrived, 1);
        QCOMPARE(sure(routes.syncer->tick()), 1);
        sure(routes.store().addLoss("sample", {1, 160, 2.25, routes.clock.wall()}));

        const auto run = sure(work::runInfoFromJson(bodyOf(routes.get("/v1/runs/sample"))));
        QCOMPARE(run.newest.version, std::uint64_t{1});
        QCOMPARE(run.tokensMerged, std::uint64_t{160});
        QCOMPARE(run.parameters, std::uint64_t{200});
        QCOMPARE(run.losses.back().loss, 2.25);
        QCOMPARE(run.contributors.front().name, std::string("Ada"));
        QCOMPARE(run.activeHosts, std::uint64_t{1});
        QVERIFY(textOf(routes.get("/metrics")).find("commonweight_version{run=\"sample\"} 1\n") !=
                std::string::npos);
    }

    void callsFromTheWrongMouthAreRefused()
    {
        Routes routes;
        const auto host = routes.volunteer(), other = routes.volunteer();
        work::SchedulerRequest request;
        request.host = host.id;
        QCOMPARE(routes.post("/v1/scheduler", work::toJson(request), other.id).status, 403);
        QCOMPARE(routes.post("/v1/scheduler", Json::object(), host.id).status, 400);
        QCOMPARE(routes.post("/v1/results", Json::object(), host.id).status, 400);
        QCOMPARE(routes.postText("/v1/results", "not JSON").status, 400);
    }

    void aMissingUploadIsTriedAgain()
    {
        Routes routes;
        const auto host = routes.volunteer();
        auto result = routes.answerTo(host, routes.unitIn(routes.ask(host)), 20);
        sure(routes.blobs().remove(result.outerGradients[0].blob.sha256));
        const auto response = routes.post("/v1/results", routes.envelope(host, result), host.id);
        QCOMPARE(response.status, 425);
        QVERIFY(response.headers.contains("Retry-After"));
    }

    void theModelIsABlob()
    {
        Routes routes;
        const auto response = routes.get("/v1/runs/sample/model");
        QCOMPARE(response.status, 302);
        QCOMPARE(response.headers.at("Location"),
                 "/v1/blobs/" + routes.newest().fragments[0].parameters.sha256.hex());
        QCOMPARE(routes.get("/v1/runs/sample/tokenizer").status, 404);
        QCOMPARE(routes.get("/v1/runs/none/model").status, 404);
        QCOMPARE(routes.get("/v1/runs/none").status, 404);
    }

    void severalFragmentsBecomeOneFile()
    {
        Routes routes({.fragmentBytes = 300});
        QVERIFY(routes.newest().fragments.size() > 1);
        const auto location = routes.get("/v1/runs/sample/model").headers.at("Location");
        const auto file = sure(routes.blobs().get(
            sure(Sha256::parse(location.substr(std::string("/v1/blobs/").size()))), 1u << 20));
        const auto model = sure(Safetensors::parse(file));
        QCOMPARE(model.tensors().size(), std::size_t{3});
        QVERIFY(model.find("model.norm.weight") != nullptr);
        QCOMPARE(routes.get("/v1/runs/sample/model").headers.at("Location"), location);
    }

    void theLedgerIsPublic()
    {
        Routes routes;
        const auto host = routes.volunteer();
        routes.unitIn(routes.ask(host));
        const auto all = bodyOf(routes.get("/v1/ledger/entries", {{"run", "sample"}}));
        QCOMPARE(all["entries"].size(), std::size_t{1});
        QCOMPARE(all["entries"][0]["kind"].get<std::string>(), std::string("lease"));
        QVERIFY(
            bodyOf(routes.get("/v1/ledger/entries", {{"run", "sample"}, {"after", "1"}}))["entries"]
                .empty());
        QCOMPARE(routes.get("/v1/ledger/entries", {{"run", "sample"}, {"after", "-1"}}).status,
                 400);
        QCOMPARE(
            routes.get("/v1/ledger/entries", {{"run", "sample"}, {"after", "99999999999999999999"}})
                .status,
            400);
        QCOMPARE(routes.get("/v1/ledger/entries").status, 404);
    }

    void eventsStayOpen()
    {
        Routes routes;
        const auto response = routes.get("/v1/events");
        QCOMPARE(response.status, 200);
        QVERIFY(std::holds_alternative<EventStreamBody>(response.body));
    }

    void thePageLoadsNothingFromElsewhere()
    {
        Routes routes;
        const auto response = routes.get("/");
        QCOMPARE(response.status, 200);
        const auto page = textOf(response);
        for (const char* foreign :
             {"src=\"http", "href=\"http", "url(", "@import", "onclick=", "style=\""})
            QVERIFY2(page.find(foreign) == std::string::npos, foreign);
        const auto& policy = response.headers.at("Content-Security-Policy");
        const auto begin = page.find("<script>") + 8;
        const auto script = page.substr(begin, page.find("</script>") - begin);
        QVERIFY(policy.find("script-src 'sha256-" + toBase64(sha256(asBytes(script)).bytes) +
                            "'") != std::string::npos);
        QVERIFY(policy.find("default-src 'none'") != std::string::npos);
        QVERIFY(policy.find("unsafe") == std::string::npos);
    }

    void whoAsksTooOftenWaits()
    {
        FakeClock clock;
        RateLimit limit(clock, 3, 0.5);
        for (int i = 0; i < 3; ++i)
            QVERIFY(!limit.refusal("a"));
        const auto refused = limit.refusal("a");
        QVERIFY(refused.has_value());
        QCOMPARE(refused->status, 429);
        QCOMPARE(refused->headers.at("Retry-After"), std::string("2"));
        QVERIFY(!limit.refusal("b"));
        clock.advance(2s);
        QVERIFY(!limit.refusal("a"));
        QVERIFY(limit.refusal("a").has_value());
    }
};

QTEST_GUILESS_MAIN(ServerRoutesTest)
#include "tst_server_routes.moc"
