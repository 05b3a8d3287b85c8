#include "engine/transfer/tus_session.h"

#include <charconv>

namespace commonweight::transfer {

TusSession::TusSession(Transport& transport, const RequestSigner& sign, const CancelFlag& cancel)
    : m_transport(transport), m_sign(sign), m_cancel(cancel)
{}

Result<HttpResponse> TusSession::create(const std::string& endpoint, const work::BlobRef& blob)
{
    HttpRequest request;
    request.method = "POST";
    request.url = endpoint;
    request.headers["Upload-Length"] = std::to_string(blob.bytes);
    request.headers["Upload-Metadata"] = "sha256 " + toBase64(asBytes(blob.sha256.hex()));
    return exchange(std::move(request));
}

Result<HttpResponse> TusSession::find(const std::string& url)
{
    HttpRequest request;
    request.method = "HEAD";
    request.url = url;
    return exchange(std::move(request));
}

Result<HttpResponse> TusSession::send(const std::string& url, std::uint64_t offset, Bytes chunk)
{
    HttpRequest request;
    request.method = "PATCH";
    request.url = url;
    request.headers["Content-Type"] = "application/offset+octet-stream";
    request.headers["Upload-Offset"] = std::to_string(offset);
    request.headers["Upload-Checksum"] = "sha256 " + toBase64(sha256(chunk).bytes);
    request.body = std::move(chunk);
    return exchange(std::move(request));
}

Result<HttpResponse> TusSession::exchange(HttpRequest request)
{
    request.headers["Tus-Resumable"] = "1.0.0";
    if (m_sign)
        m_sign(request);
    return m_transport.send(request, m_cancel);
}

std::optional<std::uint64_t> sizeHeader(const HttpResponse& response,
                                        const std::string& lowerCaseName)
{
    const auto text = response.header(lowerCaseName);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

} // namespace commonweight::transfer
