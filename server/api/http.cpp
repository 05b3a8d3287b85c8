#include "server/api/http.h"

#include "engine/base/log.h"
#include "server/api/response_head.h"

namespace commonweight::server {

namespace {

constexpr const char* kRetryAfterSeconds = "30";

struct ProblemKind {
    int status;
    const char* type;
};

ProblemKind problemKind(ErrorKind kind)
{
    switch (kind) {
    case ErrorKind::Protocol:
        return {400, "bad-request"};
    case ErrorKind::Denied:
        return {403, "denied"};
    case ErrorKind::NotFound:
        return {404, "not-found"};
    case ErrorKind::Conflict:
        return {409, "conflict"};
    case ErrorKind::Corrupt:
        return {422, "corrupt"};
    case ErrorKind::Full:
        return {507, "disk-full"};
    case ErrorKind::Io:
    case ErrorKind::Network:
    case ErrorKind::Timeout:
    case ErrorKind::Device:
    case ErrorKind::OutOfMemory:
    case ErrorKind::Cancelled:
        break;
    }
    return {503, "unavailable"};
}

Bytes toBytes(std::string_view text)
{
    const auto view = asBytes(text);
    return {view.begin(), view.end()};
}

} // namespace

std::string Request::header(const std::string& lowerCaseName) const
{
    const auto found = headers.find(lowerCaseName);
    return found == headers.end() ? std::string() : found->second;
}

Response Response::json(int status, const Json& value)
{
    return text(status, "application/json", dumpJson(value));
}

Response Response::text(int status, const std::string& contentType, std::string_view text)
{
    return {status, {{"Content-Type", contentType}}, toBytes(text)};
}

Response Response::redirect(const std::string& location)
{
    return {302, {{"Location", location}}, Bytes()};
}

Response Response::empty(int status)
{
    return {status, {}, Bytes()};
}

Response problem(int status, const std::string& type, const std::string& detail)
{
    const Json body{{"type", "/problems/" + type},
                    {"title", reasonPhrase(status)},
                    {"status", status},
                    {"detail", detail}};
    return Response::text(status, "application/problem+json", dumpJson(body));
}

Response problem(const Error& error)
{
    const auto [status, type] = problemKind(error.kind);
    if (status < 500)
        return problem(status, type, error.message);
    // What the system says names paths and is of no use to the client.
    spdlog::warn("A request could not be served: {}", error.message);
    auto response = problem(status, type,
                            status == 507 ? "the server's disk is full; the operator must make room"
                                          : "the server cannot do this now; try again later");
    response.headers["Retry-After"] = kRetryAfterSeconds;
    return response;
}

} // namespace commonweight::server
