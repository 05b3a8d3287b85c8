#pragma once
// The routes that move bytes: blobs with Range and ETag, and tus 1.0.0 uploads (creation, checksum,
// expiration, termination).

#include "server/api/router.h"
#include "server/blobs/blob_store.h"
#include "server/blobs/upload_store.h"

namespace commonweight::server {

/// GET/HEAD /v1/blobs/{sha256}: immutable, strong ETag "<sha256>", single Range, If-Range,
/// If-None-Match.
void addBlobRoutes(Router& router, BlobStore& blobs);

struct TusOptions {
    std::uint64_t maxBytes = 1ull << 32;     ///< of one upload: Tus-Max-Size
    std::uint64_t bytesPerHost = 4ull << 30; ///< unfinished uploads of one host together
    Seconds expiration{3 * 86400};
    Access access = Access::Host; ///< Anyone only in tests against programs that cannot sign
};
/// OPTIONS/POST /v1/uploads, HEAD/PATCH/DELETE /v1/uploads/{id}; Access::Host. router, stores and
/// clock must outlive the server. Upload-Metadata must name "sha256" (hex). A finished upload whose
/// hash fits becomes a blob; one that does not is removed and answered 460.
void addTusRoutes(Router& router, UploadStore& uploads, BlobStore& blobs, const TusOptions& options,
                  const Clock& clock);

} // namespace commonweight::server
