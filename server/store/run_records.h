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
    work::BlobRef parameters;
    std::optional<work::BlobRef> momentum; ///< not set while it is all zero
    std::uint32_t opposed = 0;             ///< exchange::FragmentState::opposed
};

struct VersionRecord {
    std::string run;
    std::uint64_t version = 0;
    WallTime created{};
    std::uint64_t tokensMerged = 0; ///< since the run's start
    std::uint64_t resultsMerged = 0;
    std::vector<FragmentVersion> fragments;
    std::optional<work::BlobRef> secondMoments;
};

} // namespace commonweight::server
