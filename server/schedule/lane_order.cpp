#include "server/schedule/lane_order.h"

#include "engine/base/random.h"

#include <algorithm>

namespace commonweight::server {

namespace {

/// Keeps these numbers apart from others that are drawn with the run's seed.
constexpr std::uint64_t kLaneStream = 0x6c616e65;

std::uint64_t epochKey(std::uint64_t seed, std::uint64_t epoch)
{
    const auto block = philox(seed, epoch, kLaneStream);
    return std::uint64_t{block[1]} << 32 | block[0];
}

} // namespace

std::uint64_t groupLanes(const work::RunConfig& config)
{
    return std::uint64_t{config.microBatch} * config.accumulation;
}

std::uint64_t lanesForSteps(const work::RunConfig& config, std::uint64_t steps)
{
    return (steps + config.sequencesPerLane - 1) / config.sequencesPerLane * groupLanes(config);
}

LaneOrder::LaneOrder(const RunDefinition& run, std::uint64_t epoch)
    : m_key(epochKey(run.config.seed, epoch)),
      m_laneTokens(std::uint64_t{run.config.sequenceLength} * run.config.sequencesPerLane)
{
    const std::uint64_t shards = run.shards.size();
    std::uint64_t first = 0;
    for (std::uint64_t i = 0; i < shards; ++i) {
        if (i % kWindowShards == 0)
            m_windows.push_back({first, 0, {}});
        const auto shard = static_cast<std::uint32_t>(permuted(i, shards, m_key));
        m_windows.back().parts.push_back({shard, run.shards[shard].lanes});
        m_windows.back().lanes += run.shards[shard].lanes;
        first += run.shards[shard].lanes;
    }
}

LaneOrder::Lane LaneOrder::at(std::uint64_t position) const
{
    const auto after = std::upper_bound(
        m_windows.begin(), m_windows.end(), position,
        [](std::uint64_t value, const Window& window) { return value < window.first; });
    assert(after != m_windows.begin());
    const Window& window = *(after - 1);
    assert(position - window.first < window.lanes);
    std::uint64_t lane = permuted(position - window.first, window.lanes, m_key + 1 + window.first);
    auto part = window.parts.begin();
    for (; lane >= part->lanes; ++part)
        lane -= part->lanes;
    return {part->shard, lane * m_laneTokens};
}

} // namespace commonweight::server
