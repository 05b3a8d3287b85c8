#pragma once
// What the store keeps about runs and their versions, as plain values. Any thread.

#include "engine/exchange/fragments.h"
#include "engine/work/run_config.h"

#include <memory>

namespace commonweight::server {

struct ShardRecord {
    work::BlobRef blob;
    std::uint64_t tokens = 0;
    std::uint64_t lanes = 0; ///< whole lanes; each has one more token after it
};

/// What never changes after a run was created.
struct RunDefinition {
    work::RunConfig config;
    std::vector<exchange::Fragment> fragments;
    std::vector<ShardRecord> shards;  ///< to train on
    std::vector<ShardRecord> heldOut; ///< only to evaluate on
    WallTime created{};

    std::uint64_t lanes() const
    {
        std::uint64_t sum = 0;
        for (const auto& shard : shards)
            sum += shard.lanes;
        return sum;
    }
};

/// Up to where lanes were ever leased.
struct LeaseCursor {
    std::uint64_t epoch = 0;
    std::uint64_t position = 0;
    bool operator==(const LeaseCursor&) const = default;
};

struct RoundClock {
    WallTime openedAt{};
    std::optional<WallTime> closesAt; ///< not set while the round waits for its first unit
};

struct RunStatus {
    std::string state = "running"; ///< "running" | "paused" | "finished"
    std::uint64_t newestVersion = 0;
    RoundClock round;
    LeaseCursor cursor;
    std::uint64_t unitsIssued = 0;
};

struct RunRecord {
    std::shared_ptr<const RunDefinition> definition;
    RunStatus status;

    const work::RunConfig& config() const { return definition->config; }
    const std::string& id() const { return definition->config.id; }
};

struct FragmentVersion {
    work::BlobRef parameters; ///< Θ, as volunteers have it
    /// X, the server's own: Θ and what the chain's encoding has left out so far. Not set: as Θ.
    std::optional<work::BlobRef> exact{};
    std::optional<work::BlobRef> delta{};  ///< from the version before; not set: no such step
    std::optional<work::BlobRef> momentum; ///< not set while it is all zero
    std::uint32_t opposed = 0;             ///< exchange::FragmentState::opposed
    bool operator==(const FragmentVersion&) const = default;
};

struct VersionRecord {
    std::string run;
    std::uint64_t version = 0;
    WallTime created{};
    std::uint64_t tokensMerged = 0; ///< since the run's start
    std::uint64_t resultsMerged = 0;
    std::vector<FragmentVersion> fragments;
    std::optional<work::BlobRef> secondMoments;
    std::optional<std::uint64_t> restored; ///< it has the content of this version again
    bool reverted = false;                 ///< it was rolled back
};

/// A return to an earlier version.
struct RollbackRecord {
    std::string run;
    std::uint64_t version = 0;  ///< the new one, with the old content
    std::uint64_t restored = 0; ///< the old one
    std::uint64_t firstReverted = 0;
    std::uint64_t lastReverted = 0;
    std::vector<std::string> suspects; ///< hosts in quarantine since then
    std::string reason;
    WallTime created{};
};

/// Which of a run's files are still needed: server/sync/retention.h.
struct RetentionRule {
    std::uint64_t anchorsFrom = 0;     ///< of these versions everything
    std::uint64_t replayFrom = 0;      ///< of later versions the deltas and what was merged
    std::vector<std::uint64_t> starts; ///< of these versions everything, too
};

} // namespace commonweight::server
