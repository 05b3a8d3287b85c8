#pragma once
// Removes files that nobody needs: uploads whose result never came, what a crash left between blobs
// and transaction, outer gradients from before the oldest start of a replay, superseded versions.
// Killed at any moment, the next sweep goes on. Called by the housekeeper's thread.

#include "server/blobs/blob_store.h"
#include "server/sync/retention.h"

namespace commonweight::server {

struct SweepOptions {
    /// What nothing refers to stays that long: its result may be on its way.
    std::chrono::seconds unusedAge = std::chrono::hours(7 * 24);
    RetentionOptions retention;
};

struct SweepReport {
    std::size_t blobs = 0;
    std::uint64_t bytes = 0;
};

/// A run that is being published at this moment keeps all its files until the next sweep.
Result<SweepReport> sweepBlobs(Store& store, BlobStore& blobs, const Clock& clock,
                               const SweepOptions& options);

} // namespace commonweight::server
