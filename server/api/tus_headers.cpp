#include "server/api/tus_headers.h"

#include "server/api/upload_checksum.h"

#include <algorithm>
#include <charconv>

namespace commonweight::server {

namespace {

constexpr std::size_t kMostMetadataBytes = 4096;
constexpr std::uint64_t kLargestSize = std::uint64_t{1} << 53;

Error badMetadata(const std::string& why)
{
    return {ErrorKind::Protocol, "Upload-Metadata " + why};
}

bool isPrintable(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

} // namespace

Response withTusHeaders(Response response)
{
    response.headers["Tus-Resumable"] = kTusVersion;
    response.headers["Access-Control-Allow-Origin"] = "*";
    response.headers["Access-Control-Expose-Headers"] =
        "Location, Tus-Extension, Tus-Max-Size, Tus-Resumable, Tus-Version, "
        "Tus-Checksum-Algorithm, "
        "Upload-Expires, Upload-Length, Upload-Metadata, Upload-Offset";
    return response;
}

Response tusProblem(int status, const std::string& type, const std::string& detail)
{
    auto response = problem(status, type, detail);
    if (status == 412)
        response.headers["Tus-Version"] = kTusVersion;
    return withTusHeaders(std::move(response));
}

Response tusOptions(const TusOptions& options)
{
    auto response = withTusHeaders(Response::empty(204));
    response.headers["Tus-Version"] = kTusVersion;
    response.headers["Tus-Max-Size"] = std::to_string(options.maxBytes);
    response.headers["Tus-Extension"] =
        "creation,creation-with-upload,checksum,expiration,termination";
    response.headers["Tus-Checksum-Algorithm"] = kChecksumAlgorithms;
    response.headers["Access-Control-Allow-Methods"] = "POST, HEAD, PATCH, DELETE, OPTIONS";
    response.headers["Access-Control-Allow-Headers"] =
        "Content-Type, Content-Digest, Signature, Signature-Input, Tus-Resumable, Upload-Checksum, "
        "Upload-Length, Upload-Metadata, Upload-Offset, X-HTTP-Method-Override";
    response.headers["Access-Control-Max-Age"] = "86400";
    return response;
}

std::optional<std::uint64_t> sizeHeader(const Request& request, const std::string& lowerCaseName)
{
    const auto text = request.header(lowerCaseName);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size() ||
        value >= kLargestSize)
        return std::nullopt;
    return value;
}

Result<Sha256> promisedHash(const std::string& metadata)
{
    if (metadata.size() > kMostMetadataBytes || !isPrintable(metadata))
        return badMetadata("is too long or holds characters that are not ASCII");
    std::optional<Sha256> promised;
    for (std::string_view rest = metadata; !rest.empty();) {
        const auto end = std::min(rest.find(','), rest.size());
        auto member = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        member.remove_prefix(std::min(member.find_first_not_of(' '), member.size()));
        constexpr std::string_view kKey = "sha256 ";
        if (!member.starts_with(kKey))
            continue;
        const auto hex = fromBase64(member.substr(kKey.size()));
        const auto sha256 = hex.ok() ? Sha256::parse(asText(*hex)) : hex.error();
        if (!sha256.ok() || promised)
            return badMetadata(
                "must hold 'sha256' once, 64 lower-case hexadecimal digits in base64");
        promised = *sha256;
    }
    if (!promised)
        return badMetadata("must hold 'sha256', the SHA-256 of the whole upload");
    return *promised;
}

std::string effectiveMethod(const Request& request)
{
    const auto override = request.header("x-http-method-override");
    return override.empty() ? request.method : override;
}

} // namespace commonweight::server
