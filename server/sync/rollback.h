#pragma once
// Back to an earlier version: a new version gets the old content, and what honest hosts did since
// then is merged again on top of it, in one transaction. Used by the evaluator when a version's
// held-out loss is far too high, and by the operator's tool. The caller's thread.

#include "server/store/store.h"
#include "server/sync/fragment_merge.h"

namespace commonweight::server {

struct RollbackOrder {
    std::uint64_t good = 0;            ///< the version to return to
    std::vector<std::string> suspects; ///< hosts: into quarantine, and not merged again
    bool keepOthers = true;            ///< merge again what the other hosts did since then
    std::string reason;                ///< a sentence for the operator and the ledger
};

struct RollbackReport {
    VersionRecord restored;               ///< the new version with the old content
    std::optional<VersionRecord> rebuilt; ///< and the one with the others' work, if there was any
    std::uint64_t firstReverted = 0;
    std::uint64_t lastReverted = 0;
    std::size_t resultsKept = 0;
    std::size_t resultsDropped = 0;
};

/// Protocol: `good` is not an earlier, sound version. Timeout: the server publishes at this moment.
/// NotFound: the version is neither kept nor can it be rebuilt. Io, Full.
Result<RollbackReport> rollBack(Store& store, BlobStore& blobs, const Clock& clock,
                                const RunRecord& run, const RollbackOrder& order);

} // namespace commonweight::server
