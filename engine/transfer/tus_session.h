#pragma once
// The three requests of tus 1.0.0 (tus.io/protocols/resumable-upload) that an upload needs, each
// signed and sent once; what to do about the answers is decided in tus_upload.cpp. Lives on the
// stack of uploadFile.

#include "engine/transfer/tus_upload.h"

#include <optional>

namespace commonweight::transfer {

class TusSession {
public:
    /// All arguments must outlive this object.
    TusSession(Transport& transport, const RequestSigner& sign, const CancelFlag& cancel);

    /// POST: any status is a success here.
    Result<HttpResponse> create(const std::string& endpoint, const work::BlobRef& blob);
    /// HEAD: any status is a success here.
    Result<HttpResponse> find(const std::string& url);
    /// PATCH with Upload-Checksum: any status is a success here.
    Result<HttpResponse> send(const std::string& url, std::uint64_t offset, Bytes chunk);

private:
    Result<HttpResponse> exchange(HttpRequest request);

    Transport& m_transport;
    const RequestSigner& m_sign;
    const CancelFlag& m_cancel;
};

/// Upload-Offset or Upload-Length; absent when the header is missing or not a whole number.
std::optional<std::uint64_t> sizeHeader(const HttpResponse& response,
                                        const std::string& lowerCaseName);

} // namespace commonweight::transfer
