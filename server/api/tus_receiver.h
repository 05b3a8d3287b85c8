#pragma once
// Takes in the bytes of one PATCH (or of a creation with upload), commits them, and turns a
// complete upload into a blob. Owned by the exchange that it belongs to; worker threads, one call
// at a time.

#include "server/api/transfer_routes.h"
#include "server/api/upload_checksum.h"

#include <optional>

namespace commonweight::server {

/// Hashes a complete upload and adopts its file. The caller holds the upload's chunk, so nobody
/// else is at it. Corrupt when the bytes are not what was promised: then the upload is gone.
Result<void> settleUpload(const Upload& upload, UploadStore& uploads, BlobStore& blobs);

class TusReceiver final : public BodyReceiver {
public:
    struct Options {
        int status = 204; ///< of the answer when all went well
        std::optional<UploadChecksum> checksum;
        /// What came before the connection broke counts too: for bytes that no checksum and no
        /// signature covers.
        bool keepsPart = false;
    };
    /// The stores must outlive this object.
    TusReceiver(std::unique_ptr<UploadStore::Chunk> chunk, UploadStore& uploads, BlobStore& blobs,
                Options options);

    Result<void> write(ByteView piece) override;
    Response finish() override;
    void abort() override;
    Response refuse(Response answer) override;

private:
    std::unique_ptr<UploadStore::Chunk> m_chunk;
    UploadStore& m_uploads;
    BlobStore& m_blobs;
    Options m_options;
};

/// 204 or 201 with Upload-Offset, Upload-Expires and, for 201, Location.
Response uploadAnswer(int status, const Upload& upload);
/// An error of the stores in tus' form.
Response uploadProblem(const Error& error);

} // namespace commonweight::server
