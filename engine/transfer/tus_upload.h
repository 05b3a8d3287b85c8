#pragma once
// Resumable uploads by tus 1.0.0 (tus.io): creation, HEAD to find the offset, PATCH with
// Upload-Checksum (sha256), chunks that adapt to the link (256 KiB to 8 MiB). Goes on after the
// death of either side: the upload's URL is handed to the caller to keep.

#include "engine/transfer/download.h"

namespace commonweight::transfer {

/// Adds what the server wants on each request: signature headers. Called once a request with
/// everything set.
using RequestSigner = std::function<void(HttpRequest& request)>;

struct TusUpload {
    std::string endpoint; ///< absolute URL of the collection, for example "https://…/v1/uploads"
    std::filesystem::path file;
    work::BlobRef blob; ///< of the file; sent as Upload-Metadata "sha256"
    std::string url;    ///< of this upload if it was created before; else empty
};

/// Uploads all of the file. `created` is called with the URL before the first byte goes out. A
/// vanished upload (404, 410) is created anew, at most twice. 409: asks for the offset again. A
/// connection that breaks: asks again with smaller chunks, a few times. Errors: Network/Timeout
/// (try again later with the same url), Denied, Conflict, Full (server says 413/507), Corrupt (460
/// three times), NotFound (the local file). `retryAfter`: as for downloadBlob.
Result<void> uploadFile(Transport& transport, TusUpload upload, const RequestSigner& sign,
                        const std::function<Result<void>(const std::string& url)>& created,
                        const Progress& progress, const CancelFlag& cancel,
                        Seconds* retryAfter = nullptr);

} // namespace commonweight::transfer
