#pragma once
// In which order an epoch goes through a run's lanes: a pure function of the run and the epoch, so
// that leases are plain ranges of positions and nothing is stored for the order itself. A value;
// any thread.
//
// Shards are shuffled and taken in windows of eight; within a window all lanes are shuffled
// together. A host that works on neighbouring positions therefore needs eight shards, not the whole
// text; a run of up to eight shards is shuffled as a whole.

#include "server/store/records.h"

namespace commonweight::server {

/// Sequences that one step of this run takes: neighbouring lanes that are used up together.
std::uint64_t groupLanes(const work::RunConfig& config);
/// Lanes that `steps` steps touch: whole groups.
std::uint64_t lanesForSteps(const work::RunConfig& config, std::uint64_t steps);

class LaneOrder {
public:
    static constexpr std::size_t kWindowShards = 8;

    LaneOrder(const RunDefinition& run, std::uint64_t epoch);

    struct Lane {
        std::uint32_t shard = 0; ///< of the run
        std::uint64_t firstToken = 0;
        bool operator==(const Lane&) const = default;
    };
    /// `position` is below RunDefinition::lanes().
    Lane at(std::uint64_t position) const;

private:
    struct Part {
        std::uint32_t shard = 0;
        std::uint64_t lanes = 0;
    };
    struct Window {
        std::uint64_t first = 0; ///< position of its first lane
        std::uint64_t lanes = 0;
        std::vector<Part> parts;
    };
    std::vector<Window> m_windows;
    std::uint64_t m_key;
    std::uint64_t m_laneTokens;
};

} // namespace commonweight::server
