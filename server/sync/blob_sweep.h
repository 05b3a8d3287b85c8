#pragma once
// Removes blobs that nothing refers to: uploads whose result never came, and what a crash left
// between blobs and transaction. Called at start, before requests are served.

#include "server/blobs/blob_store.h"
#include "server/store/store.h"

namespace commonweight::server {

struct SweepReport {
    std::size_t blobs = 0;
    std::uint64_t bytes = 0;
};

/// Blobs younger than `age` stay: their result may be on its way.
Result<SweepReport> sweepBlobs(Store& store, BlobStore& blobs, std::chrono::hours age);

} // namespace commonweight::server
