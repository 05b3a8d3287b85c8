// Which results are taken in, and why others are not.

#include "engine/exchange/codec.h"
#include "server/verify/norm_check.h"
#include "tests/server/sample_project.h"

#include <QTest>

#include <cmath>
#include <functional>
#include <limits>

using namespace commonweight;
using namespace commonweight::server;
using namespace std::chrono_literals;

namespace {

work::BlobRef store(SampleProject& project, const Bytes& file)
{
    return {sure(project.blobs().put(file)), file.size()};
}

/// An outer gradient whose header is changed by `edit`.
void replaceGradient(SampleProject& project, work::UnitResult& result,
                     const std::function<void(exchange::OuterGradientInfo&)>& edit)
{
    auto fragment = project.run().definition->fragments[0];
    exchange::OuterGradientInfo info{.codec = exchange::Codec::Fp32,
                                     .run = result.run,
                                     .unit = result.unit,
                                     .fragment = 0,
                                     .baseVersion = result.baseVersion,
                                     .tokens = result.tokens,
                                     .steps = result.stepsDone};
    edit(info);
    fragment.index = info.fragment;
    const std::vector<float> values(static_cast<std::size_t>(fragment.elements()), 0.01F);
    result.outerGradients[0].blob =
        store(project, sure(exchange::encodeOuterGradient(fragment, values, info, 1)));
}

using P = SampleProject;
using R = work::UnitResult;

/// A change that makes a good result contradict its unit.
struct Contradiction {
    const char* name;
    void (*change)(SampleProject&, work::UnitResult&);
    ErrorKind kind = ErrorKind::Protocol;
};

const Contradiction kContradictions[]{
    {"more steps than allowed",
     [](P&, R& r) {
         r.stepsDone = 21;
         r.tokens = 21 * 8;
     }},
    {"no steps",
     [](P&, R& r) {
         r.stepsDone = 0;
         r.tokens = 0;
     }},
    {"tokens that the steps do not make", [](P&, R& r) { r.tokens += 8; }},
    {"another base version", [](P&, R& r) { r.baseVersion = 1; }},
    {"another run", [](P&, R& r) { r.run = "other"; }},
    {"a shift that nobody offered",
     [](P&, R& r) {
         r.shifts = {{1, 2}};
     }},
    {"one outer gradient too many",
     [](P&, R& r) {
         r.outerGradients.push_back({1, r.outerGradients[0].blob});
     }},
    {"an unknown unit", [](P&, R& r) { r.unit = "u0"; }, ErrorKind::NotFound},
    {"another host", [](P&, R& r) { r.host = "h0"; }, ErrorKind::Denied},
    {"an upload that has not come",
     [](P&, R& r) { r.outerGradients[0].blob.sha256 = sha256(asBytes("x")); }, ErrorKind::Timeout},
    {"another size than the upload", [](P&, R& r) { r.outerGradients[0].blob.bytes -= 1; }},
    {"a file that is too large", [](P&, R& r) { r.outerGradients[0].blob.bytes = 1u << 30; }},
    {"a file that is no safetensors",
     [](P& p, R& r) { r.outerGradients[0].blob = store(p, Bytes(300, 7)); }},
    {"another codec",
     [](P& p, R& r) {
         replaceGradient(p, r, [](auto& info) { info.codec = exchange::Codec::Bf16; });
     }},
    {"the file of another unit",
     [](P& p, R& r) { replaceGradient(p, r, [](auto& info) { info.unit = "u1"; }); }},
    {"the file of another run",
     [](P& p, R& r) { replaceGradient(p, r, [](auto& info) { info.run = "x"; }); }},
    {"the file of another fragment",
     [](P& p, R& r) { replaceGradient(p, r, [](auto& info) { info.fragment = 3; }); }},
    {"the file of another version",
     [](P& p, R& r) { replaceGradient(p, r, [](auto& info) { info.baseVersion = 9; }); }},
    {"other steps in the file",
     [](P& p, R& r) { replaceGradient(p, r, [](auto& info) { info.steps = 1; }); }},
    {"a number that is not finite",
     [](P& p, R& r) {
         auto file = sure(p.blobs().get(r.outerGradients[0].blob.sha256, 1u << 20));
         const float bad = std::numeric_limits<float>::quiet_NaN();
         std::memcpy(file.data() + file.size() - sizeof bad, &bad, sizeof bad);
         r.outerGradients[0].blob = store(p, file);
     }},
};

} // namespace

class ResultAdmissionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aGoodResultWaitsForTheMerge()
    {
        SampleProject project;
        const auto host = project.volunteer();
        const auto unit = project.unitIn(project.ask(host));
        const auto admitted = sure(project.deliver(host, project.answerTo(host, unit, 7)));
        QCOMPARE(admitted.state, ResultState::Accepted);
        QVERIFY(admitted.isNew);
        QCOMPARE(sure(project.store().waitingResults("sample")).size(), std::size_t{1});
        QCOMPARE(sure(project.store().unit(unit.id)).state, UnitState::Reported);
        // Seven steps used two groups of lanes; the other two are free again.
        const auto kept = sure(project.store().leasesOf(unit.id));
        QCOMPARE(kept.size(), std::size_t{1});
        QCOMPARE(kept[0].count, std::uint64_t{4});
        QCOMPARE(sure(project.store().freeLeases("sample"))[0].count, std::uint64_t{4});
        QCOMPARE(sure(project.store().host(host.id)).tokensPerSecond, 5.6);
    }

    void theSameResultAgainChangesNothing()
    {
        SampleProject project;
        const auto host = project.volunteer();
        const auto unit = project.unitIn(project.ask(host));
        const auto result = project.answerTo(host, unit, 7);
        sure(project.deliver(host, result));
        const auto again = sure(project.deliver(host, result));
        QVERIFY(!again.isNew);
        QCOMPARE(again.state, ResultState::Accepted);
        QCOMPARE(sure(project.syncer->tick()), 1);
        QCOMPARE(sure(project.deliver(host, result)).state, ResultState::Merged);
        QCOMPARE(sure(project.syncer->tick()), 0);
    }

    void aUnitHasOneResult()
    {
        SampleProject project;
        const auto host = project.volunteer();
        const auto unit = project.unitIn(project.ask(host));
        sure(project.deliver(host, project.answerTo(host, unit, 7)));
        QCOMPARE(project.deliver(host, project.answerTo(host, unit, 8)).error().kind,
                 ErrorKind::Conflict);
    }

    void aResultIdServesOneUnit()
    {
        SampleProject project;
        const auto host = project.volunteer(), other = project.volunteer();
        const auto mine = project.answerTo(host, project.unitIn(project.ask(host)), 7);
        auto theirs = project.answerTo(other, project.unitIn(project.ask(other)), 7);
        sure(project.deliver(host, mine));
        theirs.id = mine.id;
        QCOMPARE(project.deliver(other, theirs).error().kind, ErrorKind::Conflict);
    }

    void whatContradictsItsUnitIsRefused_data()
    {
        QTest::addColumn<int>("row");
        for (int row = 0; row < static_cast<int>(std::size(kContradictions)); ++row)
            QTest::newRow(kContradictions[row].name) << row;
    }
    void whatContradictsItsUnitIsRefused()
    {
        QFETCH(int, row);
        const auto& contradiction = kContradictions[row];
        SampleProject project;
        const auto host = project.volunteer();
        const auto unit = project.unitIn(project.ask(host));
        auto result = project.answerTo(host, unit, 7);
        contradiction.change(project, result);
        const auto admitted = project.deliver(host, result);
        QVERIFY(!admitted.ok());
        QCOMPARE(admitted.error().kind, contradiction.kind);
        QVERIFY(sure(project.store().waitingResults("sample")).empty());
        QCOMPARE(leaseProblem(project.store(), "sample"), std::string());
    }

    void aSpoiledResultReturnsItsTextAtOnce()
    {
        SampleProject project;
        const auto host = project.volunteer();
        const auto unit = project.unitIn(project.ask(host));
        auto result = project.answerTo(host, unit, 7);
        result.outerGradients[0].blob = store(project, Bytes(300, 7));
        QVERIFY(!project.deliver(host, result).ok());
        QCOMPARE(sure(project.store().unit(unit.id)).state, UnitState::Failed);
        QCOMPARE(sure(project.store().freeLeases("sample"))[0].count, std::uint64_t{8});
        QCOMPARE(sure(project.store().ledger("sample", 0, 10)).back().kind, std::string("refuse"));
        // A corrected one comes too late.
        QCOMPARE(project.deliver(host, project.answerTo(host, unit, 7)).error().kind,
                 ErrorKind::Conflict);
    }

    void anUploadThatIsMissingMayComeLater()
    {
        SampleProject project;
        const auto host = project.volunteer();
        const auto unit = project.unitIn(project.ask(host));
        const auto result = project.answerTo(host, unit, 7);
        const auto file = sure(project.blobs().get(result.outerGradients[0].blob.sha256, 1u << 20));
        sure(project.blobs().remove(result.outerGradients[0].blob.sha256));
        QCOMPARE(project.deliver(host, result).error().kind, ErrorKind::Timeout);
        QCOMPARE(sure(project.store().unit(unit.id)).state, UnitState::Open);
        store(project, file);
        QCOMPARE(sure(project.deliver(host, result)).state, ResultState::Accepted);
    }

    void onlyTheHostsOwnSignatureCounts()
    {
        SampleProject project;
        const auto host = project.volunteer(), other = project.volunteer();
        const auto result = project.answerTo(host, project.unitIn(project.ask(host)), 7);
        Volunteer forger{.key = other.key, .id = host.id};
        QCOMPARE(project.deliver(forger, result).error().kind, ErrorKind::Denied);
        auto envelope = project.envelope(host, result);
        envelope["result"]["tokens"] = 8;
        QCOMPARE(project.admission->admit(host.id, envelope).error().kind, ErrorKind::Denied);
        // Somebody else's result, properly signed by the thief.
        auto stolen = result;
        stolen.host = other.id;
        QCOMPARE(project.deliver(other, stolen).error().kind, ErrorKind::Denied);
        QCOMPARE(sure(project.deliver(host, result)).state, ResultState::Accepted);
    }

    void whatComesAfterTheLeaseIsCreditedOnly()
    {
        SampleProject project;
        const auto host = project.volunteer();
        const auto unit = project.unitIn(project.ask(host));
        project.clock.advance(24h);
        sure(project.syncer->tick());
        const auto admitted = sure(project.deliver(host, project.answerTo(host, unit, 7)));
        QCOMPARE(admitted.state, ResultState::Credited);
        QVERIFY(!admitted.reason.empty());
        QVERIFY(sure(project.store().waitingResults("sample")).empty());
        QCOMPARE(sure(project.store().contributors("sample", 10))[0].tokens, std::uint64_t{56});
    }

    void tooFewStepsAreCreditedOnly()
    {
        SampleProject project;
        const auto host = project.volunteer();
        const auto unit = project.unitIn(project.ask(host, {}, 1000));
        QCOMPARE(unit.stepsAtLeast, std::uint64_t{5});
        QCOMPARE(sure(project.deliver(host, project.answerTo(host, unit, 4))).state,
                 ResultState::Credited);
        QCOMPARE(sure(project.store().freeLeases("sample"))[0].count, std::uint64_t{8});
    }

    void anImplausibleSizeIsRefusedOnceOthersAreKnown()
    {
        SampleProject project;
        const auto odd = project.volunteer();
        const auto early = project.unitIn(project.ask(odd));
        for (int i = 0; i < 8; ++i) {
            const auto host = project.volunteer();
            const auto unit = project.unitIn(project.ask(host));
            QVERIFY(
                project
                    .deliver(host, project.answerTo(host, unit, 10,
                                                    0.01F * (1.0F + 0.1F * static_cast<float>(i))))
                    .ok());
        }
        const auto refused = project.deliver(odd, project.answerTo(odd, early, 10, 1.0F));
        QCOMPARE(refused.error().kind, ErrorKind::Protocol);
    }

    void sizesAreComparedPerStep_data()
    {
        QTest::addColumn<double>("rate");
        QTest::addColumn<int>("known");
        QTest::addColumn<bool>("plausible");
        QTest::newRow("nothing known") << 1e9 << 7 << true;
        QTest::newRow("like the others") << 1.0 << 8 << true;
        QTest::newRow("ten times") << 10.0 << 8 << true;
        QTest::newRow("more than ten times") << 10.1 << 8 << false;
        QTest::newRow("a tenth") << 0.1 << 8 << true;
        QTest::newRow("less than a tenth") << 0.09 << 8 << false;
        QTest::newRow("nothing at all") << 0.0 << 8 << false;
        QTest::newRow("not finite") << std::numeric_limits<double>::infinity() << 0 << false;
    }
    void sizesAreComparedPerStep()
    {
        QFETCH(double, rate);
        QFETCH(int, known);
        QFETCH(bool, plausible);
        QCOMPARE(isPlausible(rate, std::vector<double>(static_cast<std::size_t>(known), 1.0)),
                 plausible);
        QCOMPARE(normRate(8.0, 16), 1.0);
    }
};

QTEST_GUILESS_MAIN(ResultAdmissionTest)
#include "tst_result_admission.moc"
