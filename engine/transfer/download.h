#pragma once
// Downloads of content-addressed blobs: Range resume of "<destination>.part", hash while streaming,
// fsync, rename.

#include "engine/transfer/http.h"
#include "engine/work/unit.h"

#include <filesystem>

namespace commonweight::transfer {

using Progress = std::function<void(std::uint64_t doneBytes, std::uint64_t totalBytes)>;

/// Fetches `<blobsUrl>/<sha256>` to `destination`. Returns at once when it is there with the right
/// size and hash. A part left by a dead process is continued (If-Range with the ETag; a server that
/// answers 200 starts over). Corrupt: the bytes do not fit the hash (the part is removed); Full;
/// Network and Timeout: the part is kept, try again; Conflict: another process is at it.
/// `retryAfter`, where given, is set when the server says how long to wait (see Backoff::failed).
Result<void> downloadBlob(Transport& transport, const std::string& blobsUrl,
                          const work::BlobRef& ref, const std::filesystem::path& destination,
                          const Progress& progress, const CancelFlag& cancel,
                          Seconds* retryAfter = nullptr);

} // namespace commonweight::transfer
