#include "engine/work/unit_result.h"
#include "tests/work/dice.h"
#include "tests/work/member_faults.h"

#include <QTest>

#include <limits>

using namespace commonweight;
using namespace commonweight::work;
using test::Dice;

namespace {

UnitResult generatedResult(std::uint64_t seed)
{
    Dice dice(seed);
    UnitResult result;
    result.id = dice.identifier();
    result.unit = dice.identifier();
    result.run = dice.identifier();
    result.host = dice.coin() ? dice.identifier() : "";
    result.baseVersion = dice.below(1000);
    result.stepsDone = dice.between(1, 500);
    result.tokens = dice.below(std::uint64_t{1} << 53);
    std::uint64_t step = 0;
    for (std::uint64_t i = dice.below(4); i > 0; --i) {
        step = dice.between(step, result.stepsDone);
        result.shifts.push_back({result.baseVersion + result.shifts.size() + 1, step});
    }
    for (std::uint64_t i = dice.below(65); i > 0; --i)
        result.lossTrace.push_back(static_cast<float>(dice.real(-1, 12)));
    result.device = dice.sentence();
    result.backend = "cpu";
    result.seconds = dice.real(0, 1e5);
    result.outerGradients = dice.fragments(6);
    if (dice.coin())
        result.secondMoments = dice.blob();
    if (dice.coin())
        result.continues = Continuation{dice.identifier(), {{0, dice.blob()}, {1, dice.blob()}}};
    return result;
}

UnitResult fullResult()
{
    UnitResult result = generatedResult(3);
    result.host = "host-1";
    result.shifts = {{result.baseVersion + 1, 0}, {result.baseVersion + 2, 1}};
    result.lossTrace = {1.5f, 1.25f};
    result.secondMoments = BlobRef{sha256(asBytes("table")), 12};
    result.continues = Continuation{"unit-1", {{0, *result.secondMoments}}};
    return result;
}

using Change = std::function<void(UnitResult&)>;

} // namespace

Q_DECLARE_METATYPE(Change)

class TestUnitResult : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void generatedResultsSurviveTheRoundTrip()
    {
        for (std::uint64_t seed = 0; seed < 200; ++seed) {
            const UnitResult result = generatedResult(seed);
            const auto parsed = parseJson(canonicalJson(toJson(result)));
            QVERIFY(parsed.ok());
            const auto read = unitResultFromJson(*parsed);
            QVERIFY2(read.ok(), read.ok() ? "" : read.error().message.c_str());
            QVERIFY(*read == result);
        }
    }

    void eachMissingOrIllTypedMemberIsNamed()
    {
        test::MemberFaults faults(toJson(fullResult()), test::errorOf(unitResultFromJson),
                                  {"second_moments", "continues"});
        QCOMPARE(faults.find(), QStringList());
        QVERIFY(faults.tried() > 40);
    }

    void badValuesAreRefusedByName_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* name, Change change, const char* named) {
            QTest::newRow(name) << change << QString::fromUtf8(named);
        };
        const double inf = std::numeric_limits<double>::infinity();
        row(
            "id", [](UnitResult& r) { r.id = "a/b"; }, "id");
        row(
            "empty unit", [](UnitResult& r) { r.unit.clear(); }, "unit");
        row(
            "host", [](UnitResult& r) { r.host = "a b"; }, "host");
        row(
            "steps", [](UnitResult& r) { r.stepsDone = 1'000'001; }, "steps_done");
        row(
            "tokens", [](UnitResult& r) { r.tokens = ~std::uint64_t{0}; }, "tokens");
        row(
            "long trace", [](UnitResult& r) { r.lossTrace.assign(65, 1.0f); }, "loss_trace");
        row(
            "infinite loss", [inf](UnitResult& r) { r.lossTrace[1] = float(inf); },
            "loss_trace[1]");
        row(
            "huge loss", [](UnitResult& r) { r.lossTrace[0] = 1e7f; }, "loss_trace[0]");
        row(
            "negative time", [](UnitResult& r) { r.seconds = -1; }, "seconds");
        row(
            "endless time", [inf](UnitResult& r) { r.seconds = inf; }, "seconds");
        row(
            "gap", [](UnitResult& r) { r.outerGradients[0].index = 1; }, "outer_gradients");
        row(
            "fragments", [](UnitResult& r) { r.outerGradients.resize(4097); }, "outer_gradients");
        row(
            "shift of the base", [](UnitResult& r) { r.shifts[0].version = r.baseVersion; },
            "shifts");
        row(
            "shift back", [](UnitResult& r) { std::swap(r.shifts[0], r.shifts[1]); }, "shifts");
        row(
            "late shift", [](UnitResult& r) { r.shifts[1].step = r.stepsDone + 1; }, "shifts");
        row(
            "continues nothing", [](UnitResult& r) { r.continues->outerGradients.clear(); },
            "continues");
        row(
            "many shifts", [](UnitResult& r) { r.shifts.resize(65); }, "shifts");
    }
    void badValuesAreRefusedByName()
    {
        QFETCH(Change, change);
        QFETCH(QString, named);
        UnitResult result = fullResult();
        QVERIFY(unitResultFromJson(toJson(result)).ok());
        change(result);
        const auto read = unitResultFromJson(toJson(result));
        QVERIFY(!read.ok());
        QCOMPARE(read.error().kind, ErrorKind::Protocol);
        QVERIFY2(read.error().message.find(named.toStdString()) != std::string::npos,
                 read.error().message.c_str());
    }

    void aLongDeviceNameIsCutBetweenCharacters()
    {
        UnitResult result = fullResult();
        result.device = std::string(199, 'a') + "\xc3\xa9";
        const auto read = unitResultFromJson(toJson(result));
        QVERIFY(read.ok());
        QCOMPARE(read->device, std::string(199, 'a'));
    }
};

QTEST_GUILESS_MAIN(TestUnitResult)
#include "tst_unit_result.moc"
