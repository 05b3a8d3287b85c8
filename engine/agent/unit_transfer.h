#pragma once
// Moving a unit's files, as blocking functions for worker threads: what it reads comes down, what
// it delivers goes up. They touch a task only through what is named here.

#include "engine/agent/blob_cache.h"
#include "engine/agent/project_client.h"
#include "engine/agent/task_queue.h"

namespace commonweight::agent {

struct TransferItem {
    work::BlobRef blob;
    std::shared_ptr<TransferProgress> progress;
};

/// What has to come, with words for people. What is there already is left out.
std::vector<TransferItem> itemsToFetch(const work::WorkUnit& unit,
                                       const std::vector<work::BlobRef>& blobs,
                                       const BlobCache& cache);
std::vector<TransferItem> itemsToSend(const work::UnitResult& result);

/// Every blob of the unit that is not there; with `verify` also those that are, and their hashes
/// are compared: the trainer found one that is damaged. Errors are downloadBlob's.
struct FetchJob {
    std::string blobsUrl;
    std::vector<work::BlobRef> blobs;
    std::vector<TransferItem> items; ///< to count on
    bool verify = false;
};
/// `retryAfter`: as for transfer::downloadBlob.
Result<void> fetchBlobs(transfer::Transport& transport, const FetchJob& job, const BlobCache& cache,
                        const transfer::CancelFlag& cancel, Seconds& retryAfter);

struct SendJob {
    TaskRow task;
    work::UnitResult result;
    std::string host;
    std::vector<TransferItem> items;
    std::filesystem::path slot;
};

struct SendOutcome {
    Result<void> result;
    int commitStatus =
        0; ///< HTTP status of the server's word on the result itself; 0 when it did not come so far
    Seconds retryAfter{-1};
    std::uint64_t bytesSent = 0;
    Seconds time{0}; ///< that they took
};

/// Uploads what was not uploaded before, each upload's place noted in the store before its first
/// byte, then commits.
SendOutcome sendResult(const AgentContext& context, ProjectClient& client, const SendJob& job,
                       const transfer::CancelFlag& cancel);

} // namespace commonweight::agent
