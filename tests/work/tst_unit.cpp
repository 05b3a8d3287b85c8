#include "engine/work/limits.h"
#include "engine/work/unit.h"
#include "tests/work/dice.h"
#include "tests/work/member_faults.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace commonweight;
using namespace commonweight::work;
using test::Dice;

namespace {

LearningRateSlice generatedSlice(Dice& dice)
{
    LearningRateSlice slice;
    slice.peak = dice.real(1e-4, 1e-2);
    slice.floor = slice.peak * dice.real(0, 1);
    slice.warmupTokens = dice.real(0, 1e6);
    slice.totalTokens = dice.real(1e6, 1e12);
    slice.position = dice.real(0, 1e12);
    slice.advance = dice.real(0, 1e6);
    return slice;
}

void addLanes(WorkUnit& unit, Dice& dice)
{
    for (std::uint64_t shard = dice.between(1, 3); shard > 0; --shard)
        unit.shards.push_back(dice.blob());
    for (std::uint64_t groups = dice.between(1, 4); groups > 0; --groups) {
        const std::uint64_t tokens = unit.sequenceLength * dice.between(1, 5);
        for (std::uint32_t i = 0; i < unit.microBatch * unit.accumulation; ++i)
            unit.data.push_back({static_cast<std::uint32_t>(dice.below(unit.shards.size())),
                                 dice.below(1u << 30), tokens});
        unit.stepsAtMost += tokens / unit.sequenceLength;
    }
}

UnitScript generatedScript(Dice& dice)
{
    UnitScript script;
    if (dice.coin())
        script.start = {{0, dice.blob()}, {1, dice.blob()}};
    for (std::uint64_t i = dice.below(3); i > 0; --i) {
        Anchor anchor = dice.anchor();
        anchor.version = 1000 + script.shifts.size();
        script.shifts.push_back({7 * script.shifts.size(), anchor});
    }
    return script;
}

WorkUnit generatedUnit(std::uint64_t seed)
{
    Dice dice(seed);
    WorkUnit unit;
    unit.id = dice.identifier();
    unit.run = dice.identifier();
    unit.kind = static_cast<UnitKind>(dice.below(4));
    unit.model = dice.model();
    unit.anchor = dice.anchor();
    unit.seed = dice.below(std::uint64_t{1} << 53);
    unit.closesAt = dice.time();
    unit.deadline = dice.time();
    unit.microBatch = static_cast<std::uint32_t>(dice.between(1, 4));
    unit.accumulation = static_cast<std::uint32_t>(dice.between(1, 3));
    unit.sequenceLength = static_cast<std::uint32_t>(dice.between(1, 100));
    unit.optimizer = {dice.real(0, 0.99), dice.real(0, 0.999), dice.real(1e-9, 1e-6),
                      dice.real(0, 1),    dice.real(0, 10),    dice.coin()};
    unit.learningRate = generatedSlice(dice);
    unit.numericClass = dice.coin() ? "fp32" : "bf16";
    unit.codec = dice.coin() ? "int4" : "fp32";
    unit.reportSecondMoments = dice.coin();
    unit.mayShift = dice.coin();
    unit.optimizerState = dice.coin() ? "table" : "carried";
    if (dice.coin())
        unit.script = generatedScript(dice);
    addLanes(unit, dice);
    unit.stepsAtLeast = dice.between(0, unit.stepsAtMost);
    return unit;
}

WorkUnit trainUnit()
{
    WorkUnit unit = generatedUnit(1);
    unit.kind = UnitKind::Train;
    unit.anchor.secondMoments = BlobRef{sha256(asBytes("table")), 12};
    unit.mayShift = false;
    unit.optimizerState = "table";
    unit.script.reset();
    return unit;
}

QString errorText(const WorkUnit& unit)
{
    const auto result = workUnitFromJson(toJson(unit));
    return result.ok() ? QString() : QString::fromStdString(result.error().message);
}

using Change = std::function<void(WorkUnit&)>;

} // namespace

Q_DECLARE_METATYPE(Change)

class TestUnit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void generatedUnitsSurviveTheRoundTrip()
    {
        for (std::uint64_t seed = 0; seed < 200; ++seed) {
            const WorkUnit unit = generatedUnit(seed);
            const auto text = canonicalJson(toJson(unit));
            const auto parsed = parseJson(text, limits::kUnitJson);
            QVERIFY(parsed.ok());
            const auto read = workUnitFromJson(*parsed);
            QVERIFY2(read.ok(), read.ok() ? "" : read.error().message.c_str());
            QVERIFY(*read == unit);
            QCOMPARE(canonicalJson(toJson(*read)), text);
        }
    }

    void aSignedUnitIsReadFromItsEnvelope()
    {
        const auto key = SigningKey::fromSeed({7});
        const auto envelope = signJson("unit", toJson(trainUnit()), key);
        const auto body = verifiedJson("unit", envelope, key.publicKey());
        QVERIFY(body.ok());
        QVERIFY(*workUnitFromJson(*body) == trainUnit());
    }

    void eachMissingOrIllTypedMemberIsNamed()
    {
        test::MemberFaults faults(toJson(trainUnit()), test::errorOf(workUnitFromJson),
                                  {"second_moments"});
        QCOMPARE(faults.find({"model"}), QStringList());
        QVERIFY(faults.tried() > 90);
    }

    void optionsThatCannotBeAreRefusedByName()
    {
        WorkUnit unit = trainUnit();
        unit.optimizerState = "lost";
        QVERIFY(errorText(unit).contains(QStringLiteral("optimizer_state")));
        unit = trainUnit();
        unit.script = UnitScript{{}, {{3, unit.anchor}, {4, unit.anchor}}};
        QVERIFY(errorText(unit).contains(QStringLiteral("shifts")));
        unit.script->shifts[1].anchor.version += 1;
        QCOMPARE(errorText(unit), QString());
        unit.script->start = {{1, {}}};
        QVERIFY(errorText(unit).contains(QStringLiteral("start")));
    }

    void theJsonFormIsTheOneOfTheProtocol()
    {
        WorkUnit unit = trainUnit();
        unit.closesAt = WallTime{std::chrono::milliseconds{1'796'137'478'123}};
        const Json json = toJson(unit);
        QCOMPARE(json["closes_at"].get<std::string>(), std::string("2026-12-01T15:04:38.123Z"));
        QCOMPARE(json["kind"].get<std::string>(), std::string("train"));
        QCOMPARE(json["anchor"]["fragments"][0]["sha256"].get<std::string>().size(),
                 std::size_t{64});
        QVERIFY(json["data"][0].is_array());
        QCOMPARE(json["data"][0].size(), std::size_t{3});
    }

    void rulesBetweenMembersAreChecked_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* name, Change change, const char* named) {
            QTest::newRow(name) << change << QString::fromUtf8(named);
        };
        row(
            "lane not a multiple", [](WorkUnit& u) { u.data[1].tokens += 1; }, "sequence_length");
        row(
            "empty lane", [](WorkUnit& u) { u.data[0].tokens = 0; }, "lane 0");
        row(
            "lanes not a multiple", [](WorkUnit& u) { u.data.pop_back(); }, "micro_batch");
        row(
            "no lanes", [](WorkUnit& u) { u.data.clear(); }, "'data'");
        row(
            "ragged group", [](WorkUnit& u) { u.data[1].tokens += u.sequenceLength; }, "lane 1");
        row(
            "shard out of range", [](WorkUnit& u) { u.data[0].shard = 3; }, "shard");
        row(
            "more steps than text", [](WorkUnit& u) { u.stepsAtMost += 1; }, "steps_at_most");
        row(
            "no steps", [](WorkUnit& u) { u.stepsAtMost = u.stepsAtLeast = 0; }, "steps_at_most");
        row(
            "least above most", [](WorkUnit& u) { u.stepsAtLeast = u.stepsAtMost + 1; },
            "steps_at_least");
        row(
            "fragment missing", [](WorkUnit& u) { u.anchor.fragments[0].index = 1; }, "fragments");
        row(
            "no fragments", [](WorkUnit& u) { u.anchor.fragments.clear(); }, "fragments");
        row(
            "fragment twice",
            [](WorkUnit& u) { u.anchor.fragments.push_back(u.anchor.fragments[0]); }, "fragments");
        row(
            "floor above peak", [](WorkUnit& u) { u.learningRate.floor = 1; }, "floor");
    }
    void rulesBetweenMembersAreChecked()
    {
        QFETCH(Change, change);
        QFETCH(QString, named);
        WorkUnit unit = trainUnit();
        QVERIFY(unit.data.size() > 1);
        QCOMPARE(errorText(unit), QString());
        change(unit);
        QVERIFY2(errorText(unit).contains(named), qPrintable(errorText(unit)));
        unit.kind = UnitKind::Replay;
        QVERIFY2(errorText(unit).contains(named), qPrintable(errorText(unit)));
    }

    void countsAreBounded_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* name, Change change, const char* named) {
            QTest::newRow(name) << change << QString::fromUtf8(named);
        };
        const double inf = std::numeric_limits<double>::infinity();
        row(
            "steps", [](WorkUnit& u) { u.stepsAtMost = 1'000'001; }, "steps_at_most");
        row(
            "micro batch", [](WorkUnit& u) { u.microBatch = 4097; }, "micro_batch");
        row(
            "no micro batch", [](WorkUnit& u) { u.microBatch = 0; }, "micro_batch");
        row(
            "accumulation", [](WorkUnit& u) { u.accumulation = 4097; }, "accumulation");
        row(
            "sequence", [](WorkUnit& u) { u.sequenceLength = 65'537; }, "sequence_length");
        row(
            "no sequence", [](WorkUnit& u) { u.sequenceLength = 0; }, "sequence_length");
        row(
            "seed", [](WorkUnit& u) { u.seed = std::uint64_t{1} << 53; }, "seed");
        row(
            "lanes", [](WorkUnit& u) { u.data.resize(200'001, u.data[0]); }, "data");
        row(
            "shards", [](WorkUnit& u) { u.shards.resize(4097); }, "shards");
        row(
            "fragments", [](WorkUnit& u) { u.anchor.fragments.resize(4097); }, "fragments");
        row(
            "lane start", [](WorkUnit& u) { u.data[0].firstToken = ~std::uint64_t{0}; }, "data[0]");
        row(
            "lane length", [](WorkUnit& u) { u.data[1].tokens = ~std::uint64_t{0}; }, "data[1]");
        row(
            "blob", [](WorkUnit& u) { u.shards[0].bytes = ~std::uint64_t{0}; }, "shards[0]");
        row(
            "identifier", [](WorkUnit& u) { u.id = "../etc/passwd"; }, "id");
        row(
            "long identifier", [](WorkUnit& u) { u.run = std::string(65, 'a'); }, "run");
        row(
            "model", [](WorkUnit& u) { u.model["x"] = std::string(20'000, 'a'); }, "model");
        row(
            "numeric class", [](WorkUnit& u) { u.numericClass = "fp8"; }, "numeric_class");
        row(
            "peak", [](WorkUnit& u) { u.learningRate.peak = 11; }, "peak");
        row(
            "no total", [](WorkUnit& u) { u.learningRate.totalTokens = 0; }, "total_tokens");
        row(
            "infinite", [inf](WorkUnit& u) { u.learningRate.advance = inf; }, "advance");
        row(
            "beta1", [](WorkUnit& u) { u.optimizer.beta1 = 1; }, "beta1");
        row(
            "epsilon", [](WorkUnit& u) { u.optimizer.epsilon = 0; }, "epsilon");
        row(
            "not a number", [inf](WorkUnit& u) { u.optimizer.clipNorm = inf - inf; }, "clip_norm");
    }
    void countsAreBounded()
    {
        QFETCH(Change, change);
        QFETCH(QString, named);
        WorkUnit unit = trainUnit();
        change(unit);
        QVERIFY2(errorText(unit).contains(named), qPrintable(errorText(unit)));
    }

    void negativeAndFractionalCountsAreRefused()
    {
        for (const Json& bad : {Json(-1), Json(1.5), Json("3"), Json(nullptr)}) {
            Json json = toJson(trainUnit());
            json["data"][0][1] = bad;
            QVERIFY(!workUnitFromJson(json).ok());
            json = toJson(trainUnit());
            json["micro_batch"] = bad;
            QVERIFY(!workUnitFromJson(json).ok());
        }
    }

    void anUnknownKindIsRefusedByName()
    {
        Json json = toJson(trainUnit());
        json["kind"] = "mine";
        const auto result = workUnitFromJson(json);
        QVERIFY(!result.ok());
        QVERIFY(result.error().message.find("mine") != std::string::npos);
    }

    void whatIsNotAnObjectIsRefused()
    {
        for (const Json& bad : {Json(), Json(3), Json("unit"), Json::array(), Json::object()})
            QCOMPARE(workUnitFromJson(bad).error().kind, ErrorKind::Protocol);
    }

    void evaluationNeedsNoFullGroups()
    {
        WorkUnit unit = trainUnit();
        unit.kind = UnitKind::Evaluate;
        unit.data.resize(1);
        unit.stepsAtMost = unit.stepsAtLeast = 0;
        QCOMPARE(errorText(unit), QString());
        unit.data[0].tokens += 1;
        QVERIFY(unit.sequenceLength > 1);
        QVERIFY(errorText(unit).contains(QStringLiteral("sequence_length")));
    }

    void aUnitOfTheGreatestSizeFitsTheJsonLimits()
    {
        WorkUnit unit = trainUnit();
        unit.microBatch = unit.accumulation = 1;
        unit.data.assign(limits::kLanes, {0, std::uint64_t{1} << 40, unit.sequenceLength});
        unit.shards.assign(limits::kShards, BlobRef{{}, std::uint64_t{1} << 40});
        unit.stepsAtMost = 100'000;
        const auto parsed = parseJson(canonicalJson(toJson(unit)), limits::kUnitJson);
        QVERIFY(parsed.ok());
        QVERIFY(workUnitFromJson(*parsed).ok());
    }

    void identifiersAreShortAndPlain()
    {
        for (const char* good : {"a", "A-z_0.9", "0123456789abcdef"})
            QVERIFY(isIdentifier(good));
        for (const char* bad : {"", ".", ".a", "a/b", "a b", "a\n", "\xc3\xa9", "a:b"})
            QVERIFY(!isIdentifier(bad));
        QVERIFY(isIdentifier(std::string(64, 'a')));
        QVERIFY(!isIdentifier(std::string(65, 'a')));
        QVERIFY(!isIdentifier(std::string_view("a\0b", 3)));
    }

    void theLearningRateWarmsUpAndFallsLikeACosine()
    {
        const LearningRateSlice slice{1.0, 0.2, 100, 1100, 0, 10};
        QCOMPARE(learningRateAt(slice, 0), 0.1);
        QCOMPARE(learningRateAt(slice, 4), 0.5);
        QCOMPARE(learningRateAt(slice, 9), 1.0);
        QCOMPARE(learningRateAt(slice, 10), 1.0);
        QCOMPARE(learningRateAt(slice, 60), 0.6); // the middle of the cosine
        QVERIFY(std::abs(learningRateAt(slice, 35) - (0.2 + 0.4 * (1 + std::sqrt(0.5)))) < 1e-12);
        QCOMPARE(learningRateAt(slice, 110), 0.2);
        QCOMPARE(learningRateAt(slice, 1'000'000), 0.2);
    }

    void aSliceGoesOnWhereTheRunStands()
    {
        const LearningRateSlice whole{3e-3, 1e-4, 640, 64'000, 0, 64};
        LearningRateSlice later = whole;
        later.position = 640 + 64 * 100;
        for (std::uint64_t step = 0; step < 300; ++step)
            QCOMPARE(learningRateAt(later, step), learningRateAt(whole, step + 110));
    }

    void theLearningRateNeverLeavesItsBoundsAndNeverRisesAfterTheWarmUp()
    {
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            Dice dice(seed);
            const LearningRateSlice slice = generatedSlice(dice);
            double last = std::numeric_limits<double>::infinity();
            for (std::uint64_t step = 0; step < 100'000; step += 997) {
                const double rate = learningRateAt(slice, step);
                QVERIFY(rate >= 0 && rate <= slice.peak);
                if (slice.position + slice.advance * double(step) < slice.warmupTokens)
                    continue;
                QVERIFY(rate >= slice.floor && rate <= last);
                last = rate;
            }
        }
    }

    void aScheduleWithoutWarmUpOrWithoutLengthIsFinite()
    {
        QCOMPARE(learningRateAt({1e-3, 1e-4, 0, 100, 0, 1}, 0), 1e-3);
        QCOMPARE(learningRateAt({1e-3, 1e-4, 100, 100, 100, 1}, 0), 1e-4);
        QCOMPARE(learningRateAt({1e-3, 1e-4, 100, 50, 60, 0}, 0), 1e-3 * 0.6);
    }
};

QTEST_GUILESS_MAIN(TestUnit)
#include "tst_unit.moc"
