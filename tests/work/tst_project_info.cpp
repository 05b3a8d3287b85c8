#include "engine/work/project_info.h"
#include "tests/work/dice.h"
#include "tests/work/member_faults.h"

#include <QTest>

using namespace commonweight;
using namespace commonweight::work;
using test::Dice;

namespace {

ProjectInfo generatedProject(std::uint64_t seed, std::uint64_t runs)
{
    Dice dice(seed);
    ProjectInfo info;
    info.name = dice.sentence();
    info.description = dice.sentence();
    info.key = SigningKey::fromSeed({static_cast<Byte>(seed)}).publicKey();
    for (std::uint64_t i = 0; i < runs; ++i)
        info.runs.push_back(
            {dice.identifier(), dice.sentence(), dice.coin() ? "running" : "paused"});
    info.protocols = {1, 2};
    info.uploadLimit = dice.below(std::uint64_t{1} << 53);
    info.terms = dice.coin() ? dice.sentence() : "";
    return info;
}

RunInfo generatedRun(std::uint64_t seed, std::uint64_t atLeast)
{
    Dice dice(seed);
    RunInfo info;
    info.id = dice.identifier();
    info.name = dice.sentence();
    info.state = dice.coin() ? "running" : "finished";
    info.model = dice.model();
    info.parameters = dice.below(1u << 30);
    info.newest = dice.anchor();
    info.tokensMerged = dice.below(1u << 30);
    info.tokensTotal = dice.below(1u << 30);
    info.resultsMerged = dice.below(1u << 30);
    for (std::uint64_t i = dice.between(atLeast, 5); i > 0; --i)
        info.losses.push_back(
            {dice.below(100), dice.below(1u << 30), dice.real(0, 8), dice.time()});
    for (std::uint64_t i = dice.between(atLeast, 5); i > 0; --i)
        info.contributors.push_back(
            {dice.identifier(), dice.sentence(), dice.below(100), dice.below(1u << 30)});
    info.activeHosts = dice.below(1000);
    return info;
}

} // namespace

class TestProjectInfo : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void generatedMessagesSurviveTheRoundTrip()
    {
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            const auto project = generatedProject(seed, seed % 4);
            const auto projectRead =
                projectInfoFromJson(*parseJson(canonicalJson(toJson(project))));
            QVERIFY(projectRead.ok());
            QVERIFY(*projectRead == project);
            const auto run = generatedRun(seed, 0);
            const auto runRead = runInfoFromJson(*parseJson(canonicalJson(toJson(run))));
            QVERIFY2(runRead.ok(), runRead.ok() ? "" : runRead.error().message.c_str());
            QVERIFY(*runRead == run);
        }
    }

    void eachMissingOrIllTypedMemberIsNamed()
    {
        test::MemberFaults project(toJson(generatedProject(1, 2)),
                                   test::errorOf(projectInfoFromJson));
        QCOMPARE(project.find(), QStringList());
        test::MemberFaults run(toJson(generatedRun(1, 1)), test::errorOf(runInfoFromJson),
                               {"second_moments"});
        QCOMPARE(run.find({"model"}), QStringList());
        QVERIFY(project.tried() + run.tried() > 60);
    }

    void anAnswerThatIsNoProjectIsRefused()
    {
        for (const Json& bad : {Json(), Json("<html>"), Json::array(), Json{{"name", "x"}}})
            QCOMPARE(projectInfoFromJson(bad).error().kind, ErrorKind::Protocol);
    }

    void aKeyOfAnotherLengthIsRefusedByName()
    {
        Json json = toJson(generatedProject(1, 1));
        json["key"] = "AAAA";
        const auto read = projectInfoFromJson(json);
        QVERIFY(!read.ok());
        QVERIFY(read.error().message.find("key") != std::string::npos);
    }

    void statesAndVersionsOutsideTheProtocolAreRefused()
    {
        Json json = toJson(generatedProject(1, 1));
        json["runs"][0]["state"] = "exploded";
        QVERIFY(!projectInfoFromJson(json).ok());
        for (const Json& bad :
             {Json(0), Json(1001), Json(1.5), Json("1"), Json(~std::uint64_t{0})}) {
            json = toJson(generatedProject(1, 1));
            json["protocols"] = Json::array({1, bad});
            const auto read = projectInfoFromJson(json);
            QVERIFY(!read.ok());
            QVERIFY(read.error().message.find("protocols[1]") != std::string::npos);
        }
    }

    void moreContributorsThanTheLimitAreRefused()
    {
        RunInfo run = generatedRun(1, 1);
        run.contributors.assign(101, run.contributors[0]);
        QVERIFY(!runInfoFromJson(toJson(run)).ok());
    }
};

QTEST_GUILESS_MAIN(TestProjectInfo)
#include "tst_project_info.moc"
