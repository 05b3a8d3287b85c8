// commonweight-project create, from a folder of text to a project that a server serves.

#include "server/project/create.h"
#include "server/project/model_commands.h"
#include "server/project/reports.h"
#include "server/store/project_folder.h"
#include "tests/server/sample_project.h"

#include <QTest>

#include <cmath>
#include <fstream>

using namespace commonweight;
using namespace commonweight::server;
namespace fs = std::filesystem;

namespace {

/// Options for a tiny project in a temporary folder.
class Workshop {
public:
    Workshop()
    {
        std::string text;
        for (int i = 0; i < 2000; ++i)
            text += "The sentence with the number " + std::to_string(i) + " stands here.\n";
        writeText(text);
        options.folder = root() / "project";
        options.text = {root() / "text.txt"};
        options.recipe.name = "Tiny Test";
        options.recipe.preset = "tiny";
        options.warmUp.steps = 0;
        options.warmUp.trainer = CORE_FAKE_TRAINER;
        options.evaluate = false;
    }

    void writeText(const std::string& text)
    {
        std::ofstream(root() / "text.txt", std::ios::binary) << text;
    }
    fs::path root() const { return m_dir.path().toStdString(); }
    Result<CreatedProject> create()
    {
        return createProject(options, clock, [this](const std::string& line) {
            lines << QString::fromStdString(line);
        });
    }

    CreateOptions options;
    FakeClock clock;
    QStringList lines;

private:
    QTemporaryDir m_dir;
};

} // namespace

class ProjectCreateTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { qunsetenv("CORE_FAKE_TRAINER_MODE"); }

    void textBecomesAProject()
    {
        Workshop workshop;
        const auto created = sure(workshop.create());
        QCOMPARE(created.run, std::string("tiny-test"));
        QVERIFY(created.heldOutTokens > 3000);
        auto project = sure(openProject({workshop.options.folder, {}, {}}));
        QCOMPARE(project.project.name, std::string("Tiny Test"));
        QCOMPARE(project.version.version, std::uint64_t{0});
        QCOMPARE(project.run.definition->heldOut.size(), std::size_t{1});
        QVERIFY(project.run.definition->lanes() > 100);
        const auto status = sure(statusJson(project));
        QCOMPARE(status["run"]["parameters"].get<std::uint64_t>(), created.parameters);
        QVERIFY(statusText(status).find("not measured yet") != std::string::npos);
        QVERIFY(sure(leasesJson(project))["leases"].empty());
        const auto key = fs::status(ProjectFolder{workshop.options.folder}.key()).permissions();
        QVERIFY((key & fs::perms(0077)) == fs::perms::none);
    }

    void theSameOptionsGiveTheSameModel()
    {
        Workshop first, second;
        sure(first.create());
        sure(second.create());
        const auto one = sure(openProject({first.options.folder, {}, {}})),
                   two = sure(openProject({second.options.folder, {}, {}}));
        QVERIFY(one.version.fragments[0].parameters == two.version.fragments[0].parameters);
        QVERIFY(one.run.definition->shards[0].blob == two.run.definition->shards[0].blob);
    }

    void theWarmUpIsAUnitLikeAnyOther()
    {
        Workshop workshop;
        workshop.options.warmUp.steps = 15;
        workshop.options.warmUp.accumulation = 2;
        sure(workshop.create());
        auto project = sure(openProject({workshop.options.folder, {}, {}}));
        QCOMPARE(project.version.version, std::uint64_t{1});
        QCOMPARE(project.version.tokensMerged, std::uint64_t{15 * 4 * 2 * 32});
        QVERIFY(project.version.secondMoments.has_value());
        QVERIFY(!project.version.fragments[0].momentum);
        QVERIFY(!fs::exists(workshop.options.folder / "warm-up"));
        // Θ − Δ, with Δ = 0.01 everywhere.
        const auto& fragment = project.run.definition->fragments[0];
        const auto before = sure(project.store->version(project.run.id(), 0));
        const auto from =
            sure(readFragmentValues(*project.blobs, fragment, before.fragments[0].parameters));
        const auto to = sure(
            readFragmentValues(*project.blobs, fragment, project.version.fragments[0].parameters));
        for (std::size_t i = 0; i < from.size(); ++i)
            QVERIFY(std::abs(from[i] - to[i] - 0.01F) < 1e-6F);
        const auto leases = sure(leasesJson(project));
        QCOMPARE(leases["totals"]["merged"].get<int>(), 16); // two groups of 4 x 2 lanes
        QVERIFY(leasesText(leases).find("warm-up") != std::string::npos);
        QVERIFY(sure(replayJson(project, [](const std::string&) {}))["equal"].get<bool>());
        QVERIFY(workshop.lines.join(QStringLiteral("|"))
                    .contains(QStringLiteral("Warm-up: step 1 of 15")));
        QCOMPARE(sure(project.store->roundCounts(project.run.id(), {})).activeHosts, 0u);
    }

    void aFailedWarmUpSaysWhyAndLeavesNoProject()
    {
        Workshop workshop;
        workshop.options.warmUp.steps = 10;
        qputenv("CORE_FAKE_TRAINER_MODE", "fail");
        const auto failed = workshop.create();
        QVERIFY(!failed.ok());
        QVERIFY(failed.error().message.find("needs 3.1 GiB") != std::string::npos);
        QCOMPARE(openProject({workshop.options.folder, {}, {}}).error().kind, ErrorKind::NotFound);
        qputenv("CORE_FAKE_TRAINER_MODE", "half");
        QCOMPARE(workshop.create().error().kind, ErrorKind::Protocol);
        // Once the cause is gone, the same command works.
        qunsetenv("CORE_FAKE_TRAINER_MODE");
        QVERIFY(workshop.create().ok());
    }

    void aMissingTrainerIsNamed()
    {
        Workshop workshop;
        workshop.options.warmUp.steps = 10;
        workshop.options.warmUp.trainer = "/nowhere/trainer";
        const auto failed = workshop.create();
        QCOMPARE(failed.error().kind, ErrorKind::NotFound);
        QVERIFY(failed.error().message.find("/nowhere/trainer") != std::string::npos);
    }

    void aFolderHoldsOneProject()
    {
        Workshop workshop;
        sure(workshop.create());
        const auto again = workshop.create();
        QCOMPARE(again.error().kind, ErrorKind::Conflict);
        QVERIFY(again.error().message.find("Tiny Test") != std::string::npos);
    }

    void badOptionsSayWhichOne_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("says");
        QTest::newRow("text too short") << "short"
                                        << "too short";
        QTest::newRow("nothing to evaluate on") << "held"
                                                << "--held-out";
        QTest::newRow("unknown preset") << "preset"
                                        << "nanogpt-cpu";
        QTest::newRow("unknown tokenizer") << "tokenizer"
                                           << "--tokenizer";
        QTest::newRow("no model to continue from") << "from"
                                                   << "nowhere";
    }
    void badOptionsSayWhichOne()
    {
        QFETCH(QString, what);
        QFETCH(QString, says);
        Workshop workshop;
        auto& options = workshop.options;
        if (what == QStringLiteral("short"))
            workshop.writeText("Too little of it.\n");
        if (what == QStringLiteral("held"))
            options.heldOut = 0;
        if (what == QStringLiteral("preset"))
            options.recipe.preset = "enormous";
        if (what == QStringLiteral("tokenizer"))
            options.tokenizer = "words";
        if (what == QStringLiteral("from"))
            options.from = "/nowhere";
        const auto created = workshop.create();
        QVERIFY(!created.ok());
        QVERIFY2(QString::fromStdString(created.error().message).contains(says),
                 created.error().message.c_str());
    }

    void aTokenizerIsTrainedAndKept()
    {
        Workshop workshop;
        workshop.options.tokenizer = "sentencepiece";
        workshop.options.vocabulary = 400;
        const auto created = sure(workshop.create());
        auto project = sure(openProject({workshop.options.folder, {}, {}}));
        const auto& config = project.run.config();
        QCOMPARE(config.tokenizer, std::string("sentencepiece"));
        QVERIFY(config.bytesPerToken > 1.5);
        QVERIFY(project.blobs->size(config.vocabulary).ok());
        QVERIFY(created.trainingTokens > 1000);
    }

    void anExportedModelCanBeContinued()
    {
        Workshop workshop;
        sure(workshop.create());
        auto project = sure(openProject({workshop.options.folder, {}, {}}));
        sure(exportVersion(project, workshop.root() / "exported"));
        Workshop next;
        next.options.from = workshop.root() / "exported";
        sure(next.create());
        auto continued = sure(openProject({next.options.folder, {}, {}}));
        const auto& fragment = project.run.definition->fragments[0];
        QVERIFY(sure(readFragmentValues(*project.blobs, fragment,
                                        project.version.fragments[0].parameters)) ==
                sure(readFragmentValues(*continued.blobs, fragment,
                                        continued.version.fragments[0].parameters)));
    }
};

QTEST_GUILESS_MAIN(ProjectCreateTest)
#include "tst_project_create.moc"
