#include "server/api/byte_range.h"
#include "server/api/transfer_routes.h"

namespace commonweight::server {

namespace {

std::string quoted(const Sha256& sha256)
{
    return "\"" + sha256.hex() + "\"";
}

/// If-None-Match compares weakly (RFC 9110 section 13.1.2): a list of tags, or "*".
bool isNamed(std::string_view list, const std::string& etag)
{
    while (!list.empty()) {
        const auto end = std::min(list.find(','), list.size());
        auto tag = list.substr(0, end);
        list.remove_prefix(std::min(end + 1, list.size()));
        while (tag.starts_with(' '))
            tag.remove_prefix(1);
        while (tag.ends_with(' '))
            tag.remove_suffix(1);
        if (tag.starts_with("W/"))
            tag.remove_prefix(2);
        if (tag == "*" || tag == etag)
            return true;
    }
    return false;
}

Response headOf(int status, const std::string& etag)
{
    auto response = Response::empty(status);
    response.headers = {{"ETag", etag},
                        {"Accept-Ranges", "bytes"},
                        {"Cache-Control", "public, max-age=31536000, immutable"},
                        {"Access-Control-Expose-Headers", "ETag, Content-Range, Accept-Ranges"},
                        {"Content-Type", "application/octet-stream"}};
    return response;
}

std::string contentRange(const ByteRange& range, std::uint64_t size)
{
    const auto total = "/" + std::to_string(size);
    if (range.kind == ByteRange::Kind::Unsatisfiable)
        return "bytes *" + total;
    return "bytes " + std::to_string(range.first) + "-" +
           std::to_string(range.first + range.length - 1) + total;
}

/// HEAD says what GET would without a range. An If-Range that names another version asks for all of
/// this one.
ByteRange rangeOf(const Request& request, const std::string& etag, std::uint64_t size)
{
    const auto condition = request.header("if-range");
    const bool counts = request.method == "GET" && (condition.empty() || condition == etag);
    return parseRange(counts ? request.header("range") : std::string(), size);
}

Response serveBlob(const Request& request, BlobStore& blobs)
{
    const auto sha256 = Sha256::parse(request.captures.at("sha256"));
    if (!sha256.ok())
        return problem(404, "not-found",
                       "a blob's name is the 64 hexadecimal digits of its SHA-256");
    const auto size = blobs.size(*sha256);
    const auto file = size.ok() ? blobs.file(*sha256) : size.error();
    if (!file.ok())
        return problem(file.error());
    const auto etag = quoted(*sha256);
    if (isNamed(request.header("if-none-match"), etag))
        return headOf(304, etag);
    const auto range = rangeOf(request, etag, *size);
    if (range.kind == ByteRange::Kind::Unsatisfiable) {
        auto response = problem(416, "range-not-satisfiable", "the blob has no such bytes");
        response.headers["Content-Range"] = contentRange(range, *size);
        return response;
    }
    auto response = headOf(range.kind == ByteRange::Kind::Part ? 206 : 200, etag);
    if (range.kind == ByteRange::Kind::Part)
        response.headers["Content-Range"] = contentRange(range, *size);
    response.body = FileBody{*file, range.first, range.length};
    return response;
}

} // namespace

void addBlobRoutes(Router& router, BlobStore& blobs)
{
    router.add({"GET", "/v1/blobs/{sha256}", Access::Anyone,
                Handler([&blobs](const Request& request) { return serveBlob(request, blobs); })});
}

} // namespace commonweight::server
