#pragma once
// The order in which a unit's tokens are used: a pure function of (unit, step), so nothing but the
// step number must be kept to go on after a stop. Owned by the runner, one thread.
//
// With G = micro_batch · accumulation, the unit's lanes are taken in groups of G neighbours. Step t
// of a group takes the t-th sequence from each of its lanes; micro-batch k of the step takes the
// lanes k·micro_batch … of the group, in order. When the lanes of a group are used up the next
// group follows. The lanes of a group are equally long.

#include "engine/training/blob_folder.h"
#include "engine/work/shard.h"

namespace commonweight::training {

/// Row-major [micro_batch, sequence_length].
struct Batch {
    std::vector<std::int32_t> tokens;
    std::vector<std::int32_t> targets; ///< the token after each token
};

/// The shards of a unit, verified against their hashes. `shards` look into `files`.
struct ShardSet {
    std::vector<MappedFile> files;
    std::vector<work::Shard> shards;

    /// NotFound, Corrupt.
    static Result<ShardSet> open(const work::WorkUnit& unit, const BlobFolder& blobs);
};

class DataCursor {
public:
    /// Protocol when lanes do not form whole groups of equal length, are no multiple of the
    /// sequence length, leave their shard or end before the unit's steps do, or when a shard's
    /// vocabulary is larger than the model's or unlike the other shards'. The shards' bytes must
    /// outlive the cursor.
    static Result<DataCursor> create(const work::WorkUnit& unit, std::vector<work::Shard> shards,
                                     std::int64_t vocabularySize);

    /// Steps until the data are used up.
    std::uint64_t steps() const { return m_steps; }

    /// Micro-batch `micro` (below accumulation) of `step` (below steps()). Corrupt when a token is
    /// not of the vocabulary.
    Result<Batch> read(std::uint64_t step, std::uint32_t micro) const;

private:
    DataCursor() = default;
    Result<void> addGroup(std::size_t firstLane);
    Result<void> checkLane(std::size_t lane) const;

    std::vector<work::DataRange> m_lanes;
    std::vector<work::Shard> m_shards;
    std::vector<std::uint64_t> m_groupStarts; ///< first step of each group
    std::uint64_t m_steps = 0;
    std::uint64_t m_groupLanes = 1;
    std::uint64_t m_microBatch = 1;
    std::uint64_t m_length = 1;
};

} // namespace commonweight::training
