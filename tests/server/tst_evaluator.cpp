// Held-out losses and samples with the real processor backend.

#include "server/project/create.h"
#include "server/project/model_commands.h"
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
