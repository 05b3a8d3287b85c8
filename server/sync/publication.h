#pragma once
// Makes the next version of a run out of the results that wait: blobs first, then one transaction
// with the version, its merge log, the merged results, their lanes and the ledger. Killed before
// the transaction, nothing has happened (and the same bytes come out next time); killed after it,
// nothing is left to do. One caller for a run at a time (a claim sees to it); fragments are merged
// on threads of their own.

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
    /// All must outlive the publisher. `threads`: fragments that are merged at once; each takes
    /// about six times its parameters' memory.
    Publisher(Store& store, BlobStore& blobs, const Clock& clock, int threads = 0);

    /// Io, Full, Timeout: try again later. Results that are too late, whose host is in quarantine,
    /// or that no longer read, are credited and leave the buffer. Nothing is published while
    /// another process holds the claim.
    Result<Publication> publish(const RunRecord& run);

private:
    struct Draft;
    Result<Publication> publishClaimed(const RunRecord& run);
    Result<void> admitWaiting(Draft& draft);
    Result<std::string> reasonAgainst(const Draft& draft, const ResultRecord& result,
                                      const HostRecord& host);
    Result<void> setAsideWeightless(Draft& draft);
    Result<void> mergeFragments(Draft& draft);
    Result<void> mergeFragment(Draft& draft, std::size_t index);
    Result<void> mergeTable(Draft& draft);
    Result<void> setAside(const RunRecord& run, const ResultRecord& result,
                          const std::string& reason);
    Result<bool> setAsideDamaged(const Draft& draft);
    Result<void> record(Draft& draft);
    Result<void> recordResults(Draft& draft);

    Store& m_store;
    BlobStore& m_blobs;
    const Clock& m_clock;
    const int m_threads;
};

/// Calls work(0) … work(count − 1) on at most `threads` threads; the first error by number.
Result<void> onThreads(std::size_t count, int threads,
                       const std::function<Result<void>(std::size_t)>& work);

} // namespace commonweight::server
