// Held-out losses and samples with the real processor backend.

#include "engine/exchange/codec.h"
#include "server/project/create.h"
#include "server/project/model_commands.h"
#include "server/project/reports.h"
#include "server/verify/evaluator.h"
#include "tests/server/sample_project.h"

#include <QTest>

#include <cmath>
#include <fstream>

using namespace commonweight;
using namespace commonweight::server;

namespace {

/// A fresh tiny model on bytes.
class TinyProject {
public:
    TinyProject()
    {
        const std::filesystem::path root = m_dir.path().toStdString();
        std::ofstream text(root / "text.txt");
        for (int i = 0; i < 2000; ++i)
            text << "The sentence with the number " << i << " stands here.\n";
        text.close();
        CreateOptions options;
        options.folder = root / "project";
        options.text = {root / "text.txt"};
        options.recipe.name = "Tiny";
        options.recipe.preset = "tiny";
        options.warmUp.steps = 0;
        options.evaluate = false;
        sure(createProject(options, clock, [](const std::string&) {}));
        project = std::make_unique<OpenedProject>(sure(openProject({options.folder, {}, {}})));
    }

    FakeClock clock;
    std::unique_ptr<OpenedProject> project;
    gpu::Registry devices;

private:
    QTemporaryDir m_dir;
};

} // namespace

class EvaluatorTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aFreshModelKnowsNothing()
    {
        TinyProject tiny;
        QStringList events;
        Evaluator evaluator(*tiny.project->store, *tiny.project->blobs, tiny.devices, tiny.clock,
                            {}, [&](const std::string& event, const Json& data) {
                                events << QString::fromStdString(event + " " +
                                                                 dumpJson(data["version"]));
                            });
        QVERIFY(sure(evaluator.evaluateOne()));
        const auto losses = sure(tiny.project->store->losses("tiny"));
        QCOMPARE(losses.size(), std::size_t{1});
        QVERIFY2(std::abs(losses[0].loss - std::log(256.0)) < 0.1,
                 qPrintable(QString::number(losses[0].loss)));
        QCOMPARE(events, QStringList{QStringLiteral("loss 0")});
        QVERIFY(!sure(evaluator.evaluateOne())); // nothing is left
    }

    /// A result of the given gradient, by a host of that name, merged as it is.
    static void addPoison(TinyProject& tiny, const std::string& name, float size)
    {
        auto& store = *tiny.project->store;
        const auto run = sure(store.run("tiny"));
        HostRecord host;
        const auto key = SigningKey::generate();
        host.id = name;
        host.key = key.publicKey();
        host.devices = Json::array();
        sure(store.putHost(host));
        UnitRecord unit;
        unit.id = "u-" + name;
        unit.run = "tiny";
        unit.host = name;
        unit.envelope = "{}";
        unit.baseVersion = run.status.newestVersion;
        sure(store.addUnit(unit));
        ResultRecord result;
        result.id = "r-" + name;
        result.unit = unit.id;
        result.run = "tiny";
        result.host = name;
        result.baseVersion = unit.baseVersion;
        result.steps = 10;
        result.tokens = 100;
        for (const auto& fragment : run.definition->fragments) {
            std::vector<float> values(static_cast<std::size_t>(fragment.elements()));
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] = (i * 2654435761U >> 16) % 2 == 0 ? size : -size;
            const auto file = sure(exchange::encodeOuterGradient(
                fragment, values,
                {exchange::Codec::Int8, "tiny", unit.id, fragment.index, unit.baseVersion, 100, 10},
                1));
            result.outerGradients.push_back(
                {fragment.index, {sure(tiny.project->blobs->put(file)), file.size()}});
        }
        sure(store.addResult(result));
        sure(store.endUnit(unit.id, UnitState::Reported, {}));
    }

    void aVersionThatIsFarWorseIsRolledBackWithoutItsAuthor()
    {
        TinyProject tiny;
        auto& store = *tiny.project->store;
        Publisher publisher(store, *tiny.project->blobs, tiny.clock);
        std::vector<Json> events;
        Evaluator evaluator(store, *tiny.project->blobs, tiny.devices, tiny.clock, {},
                            [&](const std::string& event, const Json& data) {
                                if (event == "rollback")
                                    events.push_back(data);
                            });
        QVERIFY(sure(evaluator.evaluateOne()));
        for (const char* name : {"a1", "a2", "a3"}) {
            addPoison(tiny, name, 1e-6F);
            QVERIFY(sure(publisher.publish(sure(store.run("tiny")))).version.has_value());
            QVERIFY(sure(evaluator.evaluateOne()));
        }
        QVERIFY(events.empty());
        addPoison(tiny, "honest", 2e-6F);
        addPoison(tiny, "attacker", 0.5F);
        QVERIFY(sure(publisher.publish(sure(store.run("tiny")))).version.has_value());
        QVERIFY(sure(evaluator.evaluateOne()));
        QCOMPARE(events.size(), std::size_t{1});
        QCOMPARE(events[0]["restored"].get<int>(), 3);
        QCOMPARE(dumpJson(events[0]["suspects"]), std::string("[\"attacker\"]"));
        QVERIFY(!sure(store.host("attacker")).quarantine.empty());
        QVERIFY(sure(store.host("honest")).quarantine.empty());
        QCOMPARE(sure(store.result("r-honest")).state, ResultState::Merged);
        QCOMPARE(sure(store.result("r-attacker")).state, ResultState::Reverted);
        // 4 was bad, 5 is 3 again, 6 has the honest part.
        QCOMPARE(sure(store.run("tiny")).status.newestVersion, std::uint64_t{6});
        QVERIFY(sure(evaluator.evaluateOne()));
        QVERIFY(!sure(evaluator.evaluateOne()));
        const auto losses = sure(store.losses("tiny"));
        QCOMPARE(losses.size(), std::size_t{6}); // without the bad one
        QVERIFY(losses.back().loss < losses.front().loss * 1.01);
        const auto status = sure(statusJson(*tiny.project));
        QCOMPARE(status["rollbacks"].size(), std::size_t{1});
        QCOMPARE(dumpJson(status["quarantined"]), std::string("[\"attacker\"]"));
        QVERIFY(statusText(status).find("rolled back") != std::string::npos);
    }

    void withoutRollbackItIsOnlyReported()
    {
        TinyProject tiny;
        auto& store = *tiny.project->store;
        Publisher publisher(store, *tiny.project->blobs, tiny.clock);
        int warnings = 0;
        EvaluationOptions options;
        options.rollBack = false;
        Evaluator evaluator(
            store, *tiny.project->blobs, tiny.devices, tiny.clock, options,
            [&](const std::string& event, const Json&) { warnings += event == "warning"; });
        for (const char* name : {"a1", "a2", "a3"}) {
            QVERIFY(sure(evaluator.evaluateOne()));
            addPoison(tiny, name, 1e-6F);
            QVERIFY(sure(publisher.publish(sure(store.run("tiny")))).version.has_value());
        }
        QVERIFY(sure(evaluator.evaluateOne()));
        addPoison(tiny, "attacker", 0.5F);
        QVERIFY(sure(publisher.publish(sure(store.run("tiny")))).version.has_value());
        QVERIFY(sure(evaluator.evaluateOne()));
        QCOMPARE(warnings, 1);
        QCOMPARE(sure(store.run("tiny")).status.newestVersion, std::uint64_t{4});
        QVERIFY(!sure(evaluator.evaluateOne()));
    }

    void oneVersionInSoManyIsMeasured()
    {
        TinyProject tiny;
        auto& store = *tiny.project->store;
        Publisher publisher(store, *tiny.project->blobs, tiny.clock);
        EvaluationOptions options;
        options.every = 3;
        options.tokensAtMost = 1000;
        Evaluator evaluator(store, *tiny.project->blobs, tiny.devices, tiny.clock, options,
                            [](const std::string&, const Json&) {});
        std::vector<std::uint64_t> measured;
        for (const char* name : {"a1", "a2", "a3", "a4", "a5", "a6"}) {
            while (sure(evaluator.evaluateOne())) {
            }
            addPoison(tiny, name, 1e-6F);
            QVERIFY(sure(publisher.publish(sure(store.run("tiny")))).version.has_value());
        }
        for (const auto& point : sure(store.losses("tiny")))
            measured.push_back(point.version);
        QCOMPARE(measured, (std::vector<std::uint64_t>{0, 3}));
    }

    void theSameTextGivesTheSameLoss()
    {
        TinyProject tiny;
        const auto first = sure(evaluateVersion(*tiny.project, {}));
        QCOMPARE(sure(evaluateVersion(*tiny.project, {}))["loss"].get<double>(),
                 first["loss"].get<double>());
        QCOMPARE(first["version"].get<int>(), 0);
    }

    void bytesPerTokenScalesTheLoss()
    {
        TinyProject tiny;
        auto run = *tiny.project->run.definition;
        const auto one =
            sure(heldOutLossOf(*tiny.project->blobs, run, tiny.project->version, tiny.devices, {}));
        run.config.bytesPerToken = 4;
        const auto four =
            sure(heldOutLossOf(*tiny.project->blobs, run, tiny.project->version, tiny.devices, {}));
        QCOMPARE(four, one / 4);
    }

    void aTruncatedShardIsDamaged()
    {
        TinyProject tiny;
        auto& blobs = *tiny.project->blobs;
        auto run = *tiny.project->run.definition;
        auto file = sure(blobs.get(run.heldOut[0].blob.sha256, run.heldOut[0].blob.bytes));
        file.resize(file.size() - 2);
        run.heldOut[0].blob = {sure(blobs.put(file)), file.size()};
        const auto loss = heldOutLossOf(blobs, run, tiny.project->version, tiny.devices, {});
        QCOMPARE(loss.error().kind, ErrorKind::Corrupt);
    }

    void anUnknownDeviceIsNamed()
    {
        TinyProject tiny;
        EvaluationOptions options;
        options.device = "abacus";
        const auto loss = evaluateVersion(*tiny.project, options);
        QCOMPARE(loss.error().kind, ErrorKind::NotFound);
    }

    void aSampleIsRepeatable()
    {
        TinyProject tiny;
        model::SamplingOptions options;
        options.tokens = 40;
        const auto text = sure(sampleVersion(*tiny.project, "The ", options, 1));
        QVERIFY(!text.empty());
        QCOMPARE(sure(sampleVersion(*tiny.project, "The ", options, 1)), text);
        options.seed = 2;
        QVERIFY(sure(sampleVersion(*tiny.project, "The ", options, 1)) != text);
    }

    void itsThreadStops()
    {
        TinyProject tiny;
        Evaluator evaluator(*tiny.project->store, *tiny.project->blobs, tiny.devices, tiny.clock,
                            {}, [](const std::string&, const Json&) {});
        evaluator.start();
        QTRY_COMPARE(sure(tiny.project->store->losses("tiny")).size(), std::size_t{1});
        evaluator.notify();
        evaluator.stop();
    }
};

QTEST_GUILESS_MAIN(EvaluatorTest)
#include "tst_evaluator.moc"
