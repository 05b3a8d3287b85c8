#pragma once
// The headers of tus 1.0.0 (tus.io/protocols/resumable-upload), read with limits and written. Pure
// functions, any thread.

#include "server/api/http.h"
#include "server/api/transfer_routes.h"

#include <optional>

namespace commonweight::server {

constexpr const char* kTusVersion = "1.0.0";
constexpr const char* kOffsetStream = "application/offset+octet-stream";

/// The answer with Tus-Resumable and what lets a page of another site read it.
Response withTusHeaders(Response response);

/// A refusal in tus' form.
Response tusProblem(int status, const std::string& type, const std::string& detail);

Response tusOptions(const TusOptions& options);

/// Upload-Length or Upload-Offset; absent unless it is a whole number below 2^53.
std::optional<std::uint64_t> sizeHeader(const Request& request, const std::string& lowerCaseName);

/// The SHA-256 that Upload-Metadata promises under "sha256" (hexadecimal, in base64 as all its
/// values). Protocol.
Result<Sha256> promisedHash(const std::string& metadata);

/// What a request means: X-HTTP-Method-Override replaces the method.
std::string effectiveMethod(const Request& request);

} // namespace commonweight::server
