#pragma once
// A request and an answer as plain values: what handlers see. Only http_server*.cpp knows
// Boost.Beast.

#include "engine/base/json.h"
#include "engine/base/sha256.h"

#include <filesystem>
#include <map>
#include <string>
#include <variant>

namespace commonweight::server {

struct Request {
    std::string method; ///< upper case
    std::string path;   ///< percent-decoded, starts with "/", no "..", no query
    std::map<std::string, std::string> query;
    std::map<std::string, std::string> headers;  ///< names in lower case
    std::map<std::string, std::string> captures; ///< from the route's pattern: "{sha256}"
    Bytes body;                                  ///< whole; at most Route::maxBodyBytes
    std::string host; ///< id of the host whose signature was verified; empty for Access::Anyone
    std::string remoteAddress;

    std::string header(const std::string& lowerCaseName) const; ///< empty when absent
};

/// Part of a file, sent without reading it into memory.
struct FileBody {
    std::filesystem::path path;
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
};
/// Server-sent events: the connection stays open and receives what EventHub publishes.
struct EventStreamBody {};

struct Response {
    int status = 200;
    std::map<std::string, std::string> headers;
    std::variant<Bytes, FileBody, EventStreamBody> body;

    static Response json(int status, const Json& value);
    static Response text(int status, const std::string& contentType, std::string_view text);
    static Response redirect(const std::string& location); ///< 302
    static Response empty(int status);
};

/// RFC 9457 application/problem+json. `type` is stable: "about:blank#unknown-codec" style slug
/// after "/problems/".
Response problem(int status, const std::string& type, const std::string& detail);
/// By ErrorKind: Protocol 400, Denied 403, NotFound 404, Conflict 409, Full 507,
/// OutOfMemory/Io/Timeout 503, Corrupt 422 …
Response problem(const Error& error);

} // namespace commonweight::server
