#pragma once
// Which versions' files a run still needs: a pure function. What it leaves out is removed by the
// sweep: merged outer gradients from before the oldest start of a replay, and superseded versions.

#include "server/store/store.h"

namespace commonweight::server {

struct RetentionOptions {
    /// Replays can start at so many of the newest snapshots; 0: at every one, nothing is removed.
    std::uint32_t snapshots = 2;
};

/// Version 0 and every `snapshot_every`-th one.
bool isSnapshot(const work::RunConfig& config, std::uint64_t version);

/// Everything of the versions that a result may still build on, the starts of replays, and the
/// newest version whose loss was found good (there a rollback returns to).
RetentionRule retentionOf(const RunRecord& run, const RetentionOptions& options,
                          std::optional<std::uint64_t> lastGood);

} // namespace commonweight::server
