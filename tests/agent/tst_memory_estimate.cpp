#include "engine/agent/memory_estimate.h"

#include <QTest>

#include <limits>

using namespace commonweight;
using namespace commonweight::agent;

namespace {

constexpr std::uint64_t kMebibyte = 1 << 20;

/// About the design's "base" model: 125 million parameters.
work::WorkUnit baseUnit()
{
    work::WorkUnit unit;
    unit.model = {{"hidden_size", 768},
                  {"intermediate_size", 2048},
                  {"num_hidden_layers", 12},
                  {"vocab_size", 32'000}};
    unit.anchor.fragments = {{0, {{}, 400'000'000}}, {1, {{}, 100'000'000}}};
    unit.microBatch = 4;
    unit.sequenceLength = 512;
    return unit;
}

} // namespace

class TestMemoryEstimate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theEstimateCoversParametersMomentsAndActivations()
    {
        const auto bytes = trainingMemory(baseUnit(), "cpu");
        // Four copies are the least that training can do with.
        QVERIFY(bytes > 4 * std::uint64_t{500'000'000} + 500 * kMebibyte);
        QVERIFY(bytes < 8 * std::uint64_t{1'000'000'000});
    }

    void itGrowsWithTheBatchButNotOnACard()
    {
        auto large = baseUnit();
        large.microBatch = 16;
        QVERIFY(trainingMemory(large, "cpu") > trainingMemory(baseUnit(), "cpu") + 500 * kMebibyte);
        QCOMPARE(trainingMemory(large, "cuda"), trainingMemory(baseUnit(), "cuda"));
        QVERIFY(trainingMemory(large, "cuda") < trainingMemory(large, "cpu"));
    }

    void nonsenseInTheModelIsNoCrash()
    {
        auto unit = baseUnit();
        unit.model = {{"hidden_size", "wide"}, {"vocab_size", -5}, {"num_hidden_layers", 1e300}};
        QVERIFY(trainingMemory(unit, "cpu") > 0);
        unit.model = Json::array();
        QVERIFY(trainingMemory(unit, "cpu") > 0);
    }

    void theShareDependsOnWhoSitsThere()
    {
        Conditions conditions;
        conditions.memoryTotal = 16'000'000'000;
        Preferences preferences;
        conditions.sinceInput = Seconds{0};
        QCOMPARE(memoryGranted(conditions, preferences), std::uint64_t{4'000'000'000});
        conditions.sinceInput = Seconds{301};
        QCOMPARE(memoryGranted(conditions, preferences), std::uint64_t{9'600'000'000});
        conditions.sinceInput.reset();
        QCOMPARE(memoryGranted(conditions, preferences), std::uint64_t{9'600'000'000});
        preferences.memoryPercentIdle = 10;
        QCOMPARE(memoryGrantedAtMost(conditions, preferences), std::uint64_t{4'000'000'000});
        conditions.memoryTotal = 0;
        QCOMPARE(memoryGranted(conditions, preferences), std::numeric_limits<std::uint64_t>::max());
    }
};

QTEST_GUILESS_MAIN(TestMemoryEstimate)
#include "tst_memory_estimate.moc"
