// The main job with the real programs: text, project, server, volunteers, merged versions; and
// again with everything killed.

#include "tests/system/programs.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QTest>

using namespace commonweight::system_test;

namespace {

constexpr int kVersionsWanted = 4;

struct Figures {
    int version = 0;
    double tokens = 0;
    QJsonArray losses;
};

class WholeRun {
public:
    bool create()
    {
        QFile text(project.root() + QStringLiteral("/text.txt"));
        if (!text.open(QIODevice::WriteOnly) || text.write(realText(300'000)) < 100'000)
            return false;
        text.close();
        const auto made = project.create(
            text.fileName(), {QStringLiteral("--micro-batch"), QStringLiteral("4"),
                              QStringLiteral("--sequence-length"), QStringLiteral("32"),
                              QStringLiteral("--steps-at-most"), QStringLiteral("25"),
                              QStringLiteral("--round-seconds"), QStringLiteral("20"),
                              QStringLiteral("--total-tokens"), QStringLiteral("200000"),
                              QStringLiteral("--learning-rate"), QStringLiteral("0.003"),
                              QStringLiteral("--warm-up-steps"), QStringLiteral("20")});
        if (made.exitCode != 0)
            qWarning() << made.errors;
        return made.exitCode == 0 && project.serve();
    }

    std::optional<Figures> figures()
    {
        if (run.isEmpty()) {
            const auto info = project.get(QStringLiteral("/v1/project"));
            if (!info)
                return std::nullopt;
            run = info->object()[u"runs"].toArray()[0].toObject()[u"id"].toString();
        }
        const auto info = project.get(QStringLiteral("/v1/runs/") + run);
        if (!info)
            return std::nullopt;
        const auto object = info->object();
        return Figures{object[u"newest"].toObject()[u"version"].toInt(),
                       object[u"tokens_merged"].toDouble(), object[u"losses"].toArray()};
    }

    bool reaches(int version, int timeoutMs)
    {
        return waitUntil(
            [&] {
                const auto now = figures();
                return now && now->version >= version;
            },
            timeoutMs);
    }

    QByteArray logs()
    {
        QByteArray all = "\n--- server\n" + project.serverLog();
        for (auto& volunteer : volunteers)
            all += "\n--- volunteer\n" + volunteer->log();
        return all.right(12'000);
    }

    ProjectUnderTest project;
    std::vector<std::unique_ptr<Volunteer>> volunteers;
    QString run;
};

} // namespace

class TestWholeRun : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void volunteersTrainAModelFromText_data();
    void volunteersTrainAModelFromText();

private:
    static void checkTheBooks(WholeRun& whole);
};

void TestWholeRun::volunteersTrainAModelFromText_data()
{
    QTest::addColumn<bool>("killEverything");
    QTest::newRow("undisturbed") << false;
    QTest::newRow("everything killed in the middle") << true;
}

/// Each range of text merged at most once in an epoch, none held twice, and the tokens of the run
/// are those of its merged results.
void TestWholeRun::checkTheBooks(WholeRun& whole)
{
    const auto leases = whole.project.project(QStringLiteral("leases"), {QStringLiteral("--json")});
    QCOMPARE(leases.exitCode, 0);
    const auto rows = leases.json().object()[u"leases"].toArray();
    QVERIFY(!rows.isEmpty());
    std::map<std::pair<int, int>, int> timesMerged; // (epoch, lane) -> count
    double merged = 0;
    for (const auto& value : rows) {
        const auto row = value.toObject();
        if (row[u"state"].toString() != u"merged")
            continue;
        merged += 1;
        const int first = row[u"first"].toInt();
        for (int lane = first; lane < first + row[u"count"].toInt(); ++lane)
            QCOMPARE(++timesMerged[std::pair(row[u"epoch"].toInt(), lane)], 1);
    }
    QVERIFY(merged > 0);

    const auto replay = whole.project.project(QStringLiteral("replay"), {QStringLiteral("--json")});
    QVERIFY2(replay.exitCode == 0, replay.errors.constData());
    QVERIFY(replay.json().object()[u"equal"].toBool());
}

void TestWholeRun::volunteersTrainAModelFromText()
{
    QFETCH(bool, killEverything);
    WholeRun whole;
    QVERIFY2(whole.create(), whole.logs().constData());
    const auto before = whole.figures();
    QVERIFY(before);
    for (int number = 1; number <= 2; ++number) {
        whole.volunteers.push_back(std::make_unique<Volunteer>(whole.project.root(), number));
        whole.volunteers.back()->start(whole.project.address());
    }

    if (killEverything) {
        QVERIFY2(whole.reaches(before->version + kVersionsWanted / 2, 180'000),
                 whole.logs().constData());
        for (auto& volunteer : whole.volunteers)
            volunteer->killHard();
        whole.project.killServer();
        QVERIFY2(whole.project.serve(), whole.logs().constData());
        for (auto& volunteer : whole.volunteers)
            volunteer->start(whole.project.address());
    }
    QVERIFY2(whole.reaches(before->version + kVersionsWanted, 240'000), whole.logs().constData());

    // The evaluator may still be measuring the newest versions.
    const bool fell = waitUntil(
        [&] {
            const auto now = whole.figures();
            if (!now || now->losses.size() < 2)
                return false;
            const double first = now->losses.first().toObject()[u"loss"].toDouble();
            const double last = now->losses.last().toObject()[u"loss"].toDouble();
            return last > 0 && last < first - 0.02;
        },
        60'000);
    QVERIFY2(fell, whole.logs().constData());
    for (auto& volunteer : whole.volunteers)
        QVERIFY2(volunteer->stop(), volunteer->log().constData());
    QVERIFY(whole.project.stopServer());
    checkTheBooks(whole);

    const auto sample = whole.project.project(QStringLiteral("sample"),
                                              {QStringLiteral("--prompt"), QStringLiteral("First "),
                                               QStringLiteral("--tokens"), QStringLiteral("40")});
    QCOMPARE(sample.exitCode, 0);
    QVERIFY(sample.output.size() >= 20);
}

QTEST_GUILESS_MAIN(TestWholeRun)
#include "tst_whole_run.moc"
