#pragma once
// Makes the next version of a run out of the results that wait: blobs first, then one transaction
// with the version, its merge log, the merged results, their lanes and the ledger. Killed before
// the transaction, nothing has happened (and the same bytes come out next time); killed after it,
// nothing is left to do. One thread for a run.

#include "server/store/store.h"
#include "server/sync/fragment_merge.h"

namespace commonweight::server {

struct Publication {
    std::optional<VersionRecord> version; ///< not set when nothing could be merged
    std::size_t results = 0;
    std::uint64_t tokens = 0;
    bool runFinished = false;
};

class Publisher {
public:
    /// All must outlive the publisher.
    Publisher(Store& store, BlobStore& blobs, const Clock& clock)
        : m_store(store), m_blobs(blobs), m_clock(clock)
    {}

    /// Io, Full, Timeout: try again later. Results that are too late, or that no longer read, are
    /// credited and leave the buffer.
    Result<Publication> publish(const RunRecord& run);

private:
    struct Draft;
    Result<void> admitWaiting(Draft& draft);
    Result<void> mergeFragments(Draft& draft);
    Result<void> setAside(const RunRecord& run, const ResultRecord& result,
                          const std::string& reason);
    Result<bool> setAsideDamaged(const Draft& draft);
    Result<void> record(Draft& draft);
    Result<void> recordResults(Draft& draft);

    Store& m_store;
    BlobStore& m_blobs;
    const Clock& m_clock;
};

} // namespace commonweight::server
