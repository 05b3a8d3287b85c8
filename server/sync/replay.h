#pragma once
// Rebuilds the parameters of every version from an earlier one, the outer gradients and the merge
// log, and compares hashes: of what volunteers hold, of the server's own parameters and of the
// momentum. Reads only; the caller's thread.

#include "server/store/store.h"
#include "server/sync/fragment_merge.h"

namespace commonweight::server {

struct ReplayedVersion {
    std::uint64_t version = 0;
    std::size_t results = 0;
    bool equal = false; ///< every fragment's hashes are the recorded ones
};

/// The earliest version from which all later ones can be rebuilt: 0, or the oldest snapshot that is
/// kept (server/sync/retention.h). NotFound when there is none.
Result<std::uint64_t> replayStart(Store& store, BlobStore& blobs, const RunRecord& run);

/// Starts at replayStart(). Calls `visit` after each version up to `last`; ends early after one
/// that differs, because all that follow would differ too. NotFound when the log or a blob is
/// missing.
Result<void> replayRun(Store& store, BlobStore& blobs, const RunRecord& run, std::uint64_t last,
                       const std::function<void(const ReplayedVersion&)>& visit);

/// A version as the server had it: read where its files are kept, else rebuilt. NotFound when
/// neither is possible any more; Corrupt when what is rebuilt is not what was recorded.
Result<std::vector<ServerFragment>> stateOf(Store& store, BlobStore& blobs, const RunRecord& run,
                                            std::uint64_t version);

} // namespace commonweight::server
