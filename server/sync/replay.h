#pragma once
// Rebuilds the parameters of every version from the first one, the outer gradients and the merge
// log, and compares hashes. Reads only; the caller's thread.

#include "server/store/store.h"
#include "server/sync/fragment_merge.h"

namespace commonweight::server {

struct ReplayedVersion {
    std::uint64_t version = 0;
    std::size_t results = 0;
    bool equal = false; ///< every fragment's hash is the recorded one
};

/// Calls `visit` after each version up to `last`; ends early after one that differs, because all
/// that follow would differ too. NotFound when the log or a blob is missing.
Result<void> replayRun(Store& store, BlobStore& blobs, const RunRecord& run, std::uint64_t last,
                       const std::function<void(const ReplayedVersion&)>& visit);

} // namespace commonweight::server
