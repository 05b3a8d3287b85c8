#include "server/schedule/unit_builder.h"

#include "engine/base/random.h"
#include "server/schedule/lane_order.h"

#include <map>

namespace commonweight::server {

namespace {

constexpr std::uint64_t kSeedStream = 0x756e6974;

std::uint64_t unitSeed(std::uint64_t runSeed, std::uint64_t unitNumber)
{
    const auto block = philox(runSeed, unitNumber, kSeedStream);
    return (std::uint64_t{block[1]} << 32 | block[0]) >> 11; // below 2^53
}

/// Lists the lanes, and of the run's shards only those that they are in.
void addData(work::WorkUnit& unit, const RunDefinition& run, const std::vector<LaneSpan>& spans)
{
    const std::uint64_t laneTokens =
        std::uint64_t{run.config.sequenceLength} * run.config.sequencesPerLane;
    std::map<std::uint32_t, std::uint32_t> indices; // run's shard → unit's shard
    for (const auto& span : spans) {
        const LaneOrder order(run, span.epoch);
        for (std::uint64_t i = 0; i < span.count; ++i) {
            const auto lane = order.at(span.first + i);
            const auto [index, isNew] =
                indices.try_emplace(lane.shard, static_cast<std::uint32_t>(unit.shards.size()));
            if (isNew)
                unit.shards.push_back(run.shards[lane.shard].blob);
            unit.data.push_back({index->second, lane.firstToken, laneTokens});
        }
    }
}

work::LearningRateSlice learningRate(const RunDefinition& run, const VersionRecord& anchor,
                                     const UnitPlan& plan, std::uint64_t tokensPerStep)
{
    return {.peak = run.config.peakLearningRate,
            .floor = run.config.floorLearningRate,
            .warmupTokens = static_cast<double>(run.config.warmupTokens),
            .totalTokens = static_cast<double>(run.config.totalTokens),
            .position = static_cast<double>(anchor.tokensMerged + plan.tokensAhead),
            .advance = static_cast<double>(tokensPerStep * plan.activeHosts)};
}

} // namespace

work::WorkUnit buildUnit(const RunDefinition& run, const VersionRecord& anchor,
                         const UnitPlan& plan)
{
    work::WorkUnit unit;
    unit.id = plan.id;
    unit.run = run.config.id;
    unit.model = run.config.model;
    unit.anchor.version = anchor.version;
    for (std::size_t i = 0; i < anchor.fragments.size(); ++i)
        unit.anchor.fragments.push_back(
            {static_cast<std::uint32_t>(i), anchor.fragments[i].parameters});
    unit.anchor.secondMoments = anchor.secondMoments;
    unit.anchor.chain = plan.chain;
    addData(unit, run, plan.lanes);
    unit.seed = unitSeed(run.config.seed, plan.number);
    unit.stepsAtMost = plan.stepsAtMost;
    unit.stepsAtLeast = plan.stepsAtLeast;
    unit.closesAt = plan.closesAt;
    unit.deadline = plan.deadline;
    unit.microBatch = run.config.microBatch;
    unit.accumulation = run.config.accumulation;
    unit.sequenceLength = run.config.sequenceLength;
    unit.optimizer = run.config.optimizer;
    // A table of second moments needs no correction for having begun at zero; without one AdamW
    // begins as usual.
    unit.optimizer.biasCorrection = !anchor.secondMoments.has_value();
    unit.learningRate = learningRate(run, anchor, plan, unit.tokensPerStep());
    unit.numericClass = run.config.numericClass;
    unit.codec = run.config.codec;
    unit.optimizerState = run.config.optimizerState;
    unit.reportSecondMoments = plan.reportSecondMoments;
    unit.mayShift = plan.mayShift;
    return unit;
}

} // namespace commonweight::server
