#include "engine/training/data_cursor.h"

#include <algorithm>

namespace commonweight::training {

namespace {

Error protocol(const std::string& message)
{
    return {ErrorKind::Protocol, message};
}

std::string laneName(std::size_t lane)
{
    return "lane " + std::to_string(lane) + " of the unit's data";
}

Result<void> checkVocabularies(const std::vector<work::Shard>& shards, std::int64_t vocabularySize)
{
    for (const auto& shard : shards) {
        if (shard.vocabularySize() > vocabularySize)
            return protocol("a shard has a vocabulary of " +
                            std::to_string(shard.vocabularySize()) + " tokens, the model only " +
                            std::to_string(vocabularySize));
        if (shard.vocabulary() != shards.front().vocabulary())
            return protocol("the unit's shards have different vocabularies");
    }
    return {};
}

} // namespace

Result<ShardSet> ShardSet::open(const work::WorkUnit& unit, const BlobFolder& blobs)
{
    ShardSet set;
    for (const auto& ref : unit.shards) {
        const auto what = "shard " + std::to_string(set.files.size());
        CW_TRY(auto file, blobs.open(ref, what));
        auto shard = work::Shard::parse(file.bytes());
        if (!shard.ok())
            return shard.error().withContext(what);
        set.shards.push_back(std::move(shard).value());
        set.files.push_back(std::move(file));
    }
    return set;
}

Result<DataCursor> DataCursor::create(const work::WorkUnit& unit, std::vector<work::Shard> shards,
                                      std::int64_t vocabularySize)
{
    CW_CHECK(checkVocabularies(shards, vocabularySize));
    DataCursor cursor;
    cursor.m_lanes = unit.data;
    cursor.m_shards = std::move(shards);
    cursor.m_microBatch = unit.microBatch;
    cursor.m_groupLanes = std::uint64_t{unit.microBatch} * unit.accumulation;
    cursor.m_length = unit.sequenceLength;
    if (cursor.m_groupLanes == 0 || cursor.m_length == 0)
        return protocol("the unit's batch is empty");
    if (cursor.m_lanes.empty() || cursor.m_lanes.size() % cursor.m_groupLanes != 0)
        return protocol("the unit has " + std::to_string(cursor.m_lanes.size()) +
                        " lanes of data, which is no multiple of the " +
                        std::to_string(cursor.m_groupLanes) + " sequences of a step");
    for (std::size_t lane = 0; lane < cursor.m_lanes.size(); lane += cursor.m_groupLanes)
        CW_CHECK(cursor.addGroup(lane));
    if (cursor.m_steps < unit.stepsAtMost)
        return protocol("the unit asks for " + std::to_string(unit.stepsAtMost) +
                        " steps, but its data last for " + std::to_string(cursor.m_steps));
    return cursor;
}

Result<void> DataCursor::addGroup(std::size_t firstLane)
{
    const auto tokens = m_lanes[firstLane].tokens;
    for (std::size_t lane = firstLane; lane < firstLane + m_groupLanes; ++lane) {
        CW_CHECK(checkLane(lane));
        if (m_lanes[lane].tokens != tokens)
            return protocol(laneName(lane) + " has " + std::to_string(m_lanes[lane].tokens) +
                            " tokens, but its group began with one of " + std::to_string(tokens));
    }
    m_groupStarts.push_back(m_steps);
    m_steps += tokens / m_length;
    return {};
}

Result<void> DataCursor::checkLane(std::size_t lane) const
{
    const auto& range = m_lanes[lane];
    if (range.tokens == 0 || range.tokens % m_length != 0)
        return protocol(laneName(lane) + " has " + std::to_string(range.tokens) +
                        " tokens, which is no multiple of the sequence length " +
                        std::to_string(m_length));
    if (range.shard >= m_shards.size())
        return protocol(laneName(lane) + " is in shard " + std::to_string(range.shard) +
                        ", but the unit has " + std::to_string(m_shards.size()));
    // One more than the lane, for the target of its last token; written so that nothing can wrap.
    const auto held = m_shards[range.shard].tokens();
    if (range.tokens >= held || range.firstToken > held - range.tokens - 1)
        return protocol(laneName(lane) + " goes beyond the end of its shard");
    return {};
}

Result<Batch> DataCursor::read(std::uint64_t step, std::uint32_t micro) const
{
    assert(step < m_steps && (micro + 1) * m_microBatch <= m_groupLanes);
    const auto after = std::upper_bound(m_groupStarts.begin(), m_groupStarts.end(), step);
    const auto group = static_cast<std::uint64_t>(after - m_groupStarts.begin()) - 1;
    const auto offset = (step - m_groupStarts[group]) * m_length;
    const auto firstLane = group * m_groupLanes + micro * m_microBatch;

    Batch batch;
    batch.tokens.reserve(m_microBatch * m_length);
    batch.targets.reserve(m_microBatch * m_length);
    std::vector<std::int32_t> sequence(m_length + 1);
    for (auto lane = firstLane; lane < firstLane + m_microBatch; ++lane) {
        const auto& range = m_lanes[lane];
        CW_CHECK(m_shards[range.shard].read(range.firstToken + offset, sequence));
        batch.tokens.insert(batch.tokens.end(), sequence.begin(), sequence.end() - 1);
        batch.targets.insert(batch.targets.end(), sequence.begin() + 1, sequence.end());
    }
    return batch;
}

} // namespace commonweight::training
