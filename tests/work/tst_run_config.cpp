#include "engine/work/run_config.h"
#include "tests/work/dice.h"
#include "tests/work/member_faults.h"

#include <QTest>

using namespace commonweight;
using namespace commonweight::work;
using test::Dice;

namespace {

RunConfig generatedConfig(std::uint64_t seed)
{
    Dice dice(seed);
    RunConfig config;
    config.id = dice.identifier();
    config.name = dice.sentence();
    config.model = dice.model();
    config.tokenizer = dice.coin() ? "bytes" : "sentencepiece";
    config.vocabulary = dice.hash();
    config.bytesPerToken = dice.real(1, 6);
    config.microBatch = static_cast<std::uint32_t>(dice.between(1, 64));
    config.accumulation = static_cast<std::uint32_t>(dice.between(1, 8));
    config.sequenceLength = static_cast<std::uint32_t>(dice.between(1, 2048));
    config.sequencesPerLane = static_cast<std::uint32_t>(dice.between(1, 50));
    config.stepsAtMost = dice.between(1, 500);
    config.optimizer.weightDecay = dice.real(0, 1);
    config.peakLearningRate = dice.real(1e-4, 1e-2);
    config.floorLearningRate = config.peakLearningRate * dice.real(0, 1);
    config.totalTokens = dice.between(1, std::uint64_t{1} << 53);
    config.warmupTokens = dice.between(0, config.totalTokens);
    config.codec = "int8";
    config.outer = {dice.coin() ? "decoupled" : "mean", dice.real(0, 1), dice.real(0, 0.99)};
    config.round = {.seconds = dice.real(1, 3600),
                    .graceShare = dice.real(0, 1),
                    .graceLeast = dice.real(0, 1),
                    .graceGamma = dice.real(0, 1),
                    .overlapShare = dice.real(0, 1),
                    .shiftOnArrival = dice.coin(),
                    .minimumQuorum = 1,
                    .target = 16,
                    .maxStaleness = 8};
    config.downlink = {dice.coin() ? "int8" : "none",
                       static_cast<std::uint32_t>(dice.between(1, 100))};
    config.fineTune = dice.coin();
    config.seed = dice.below(std::uint64_t{1} << 53);
    config.fragmentBytes = dice.between(1, 1u << 30);
    return config;
}

} // namespace

class TestRunConfig : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void generatedConfigurationsSurviveTheRoundTrip()
    {
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            const auto config = generatedConfig(seed);
            const auto read = runConfigFromJson(*parseJson(canonicalJson(toJson(config))));
            QVERIFY2(read.ok(), read.ok() ? "" : read.error().message.c_str());
            QVERIFY(*read == config);
        }
    }

    void membersThatMayBeAbsentSurviveTheRoundTrip()
    {
        auto config = generatedConfig(1);
        for (const char* rule : {"diloco", "delayed-nesterov", "once"}) {
            config.outer.rule = rule;
            config.outer.period += 5;
            const auto read = runConfigFromJson(toJson(config));
            QVERIFY(read.ok() && *read == config);
        }
        Json json = toJson(config);
        json["outer"]["period"] = 0;
        QVERIFY(!runConfigFromJson(json).ok());
    }

    void aConfigurationOfAnOlderVersionKeepsItsMeaning()
    {
        Json json = toJson(generatedConfig(1));
        for (const char* name : {"downlink", "fine_tune"})
            json.erase(name);
        for (const char* name : {"grace_least", "grace_gamma", "overlap_share", "shift_on_arrival"})
            json["round"].erase(name);
        const auto read = runConfigFromJson(json);
        QVERIFY(read.ok());
        QCOMPARE(read->downlink.codec, std::string("none")); // whole files, as before
        QCOMPARE(read->round.graceGamma, 0.0);               // a fixed grace
        QVERIFY(!read->fineTune);
        QVERIFY(!read->round.shiftOnArrival);
    }

    void eachMissingOrIllTypedMemberIsNamed()
    {
        test::MemberFaults faults(toJson(generatedConfig(1)), test::errorOf(runConfigFromJson),
                                  {"downlink", "fine_tune", "grace_least", "grace_gamma",
                                   "overlap_share", "shift_on_arrival"});
        QCOMPARE(faults.find({"model"}), QStringList());
        QVERIFY(faults.tried() > 60);
    }

    void badValuesAreRefusedByName_data()
    {
        QTest::addColumn<QString>("place");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* place, const char* value, const char* named) {
            QTest::addRow("%s %s", place, value)
                << QString::fromUtf8(place) << QString::fromUtf8(value) << QString::fromUtf8(named);
        };
        row("/id", "\"a/b\"", "id");
        row("/tokenizer", "\"words\"", "tokenizer");
        row("/bytes_per_token", "0", "bytes_per_token");
        row("/vocabulary", "\"abc\"", "vocabulary");
        row("/steps_at_most", "0", "steps_at_most");
        row("/total_tokens", "0", "total_tokens");
        row("/floor_learning_rate", "9", "floor_learning_rate");
        row("/warmup_tokens", "9007199254740992", "warmup_tokens");
        row("/outer/rule", "\"majority\"", "rule");
        row("/outer/momentum", "1", "momentum");
        row("/outer/learning_rate", "-1", "learning_rate");
        row("/round/seconds", "0", "seconds");
        row("/round/minimum_quorum", "17", "minimum_quorum");
        row("/round/minimum_quorum", "0", "minimum_quorum");
        row("/round/max_staleness", "1001", "max_staleness");
        row("/fragment_bytes", "0", "fragment_bytes");
        row("/downlink/codec", "\"zip\"", "codec");
        row("/downlink/snapshot_every", "0", "snapshot_every");
        row("/round/grace_gamma", "1.5", "grace_gamma");
        row("/round/overlap_share", "-1", "overlap_share");
    }
    void badValuesAreRefusedByName()
    {
        QFETCH(QString, place);
        QFETCH(QString, value);
        QFETCH(QString, named);
        RunConfig config = generatedConfig(1);
        config.totalTokens = 1'000'000;
        config.warmupTokens = 0;
        Json json = toJson(config);
        QVERIFY(runConfigFromJson(json).ok());
        json[Json::json_pointer(place.toStdString())] = *parseJson(value.toStdString());
        const auto read = runConfigFromJson(json);
        QVERIFY(!read.ok());
        QVERIFY2(read.error().message.find(named.toStdString()) != std::string::npos,
                 read.error().message.c_str());
    }
};

QTEST_GUILESS_MAIN(TestRunConfig)
#include "tst_run_config.moc"
