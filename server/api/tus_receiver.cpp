#include "server/api/tus_receiver.h"

#include "server/api/response_head.h"
#include "server/api/tus_headers.h"

namespace commonweight::server {

Result<void> settleUpload(const Upload& upload, UploadStore& uploads, BlobStore& blobs)
{
    CW_TRY(const auto file, uploads.dataFile(upload.id));
    CW_TRY(const auto found, sha256OfFile(file));
    if (found != upload.sha256) {
        CW_CHECK(uploads.remove(upload.id));
        return Error{ErrorKind::Corrupt,
                     "the upload does not fit the SHA-256 that was promised, and was removed"};
    }
    CW_CHECK(blobs.adopt(file, found));
    return uploads.markFinished(upload.id);
}

TusReceiver::TusReceiver(std::unique_ptr<UploadStore::Chunk> chunk, UploadStore& uploads,
                         BlobStore& blobs, Options options)
    : m_chunk(std::move(chunk)), m_uploads(uploads), m_blobs(blobs), m_options(std::move(options))
{}

Result<void> TusReceiver::write(ByteView piece)
{
    if (m_options.checksum)
        m_options.checksum->update(piece);
    return m_chunk->write(piece);
}

Response TusReceiver::finish()
{
    if (m_options.checksum && !m_options.checksum->fits())
        return tusProblem(460, "checksum-mismatch", "the chunk does not fit its Upload-Checksum");
    const auto upload = m_chunk->commit();
    if (!upload.ok())
        return uploadProblem(upload.error());
    if (upload->offset == upload->length) {
        if (const auto settled = settleUpload(*upload, m_uploads, m_blobs); !settled.ok())
            return uploadProblem(settled.error());
    }
    return uploadAnswer(m_options.status, *upload);
}

void TusReceiver::abort()
{
    // Should this fail, the bytes are as if they had never come, which is always allowed.
    if (m_options.keepsPart)
        (void)m_chunk->commit();
}

Response TusReceiver::refuse(Response answer)
{
    return withTusHeaders(std::move(answer));
}

Response uploadAnswer(int status, const Upload& upload)
{
    auto response = withTusHeaders(Response::empty(status));
    response.headers["Upload-Offset"] = std::to_string(upload.offset);
    response.headers["Upload-Expires"] = httpDate(upload.expires);
    if (status == 201)
        response.headers["Location"] = "/v1/uploads/" + upload.id;
    return response;
}

Response uploadProblem(const Error& error)
{
    if (error.kind == ErrorKind::Corrupt)
        return tusProblem(460, "checksum-mismatch", error.message);
    return withTusHeaders(problem(error));
}

} // namespace commonweight::server
