#pragma once
// The first part of an answer as bytes on the wire (RFC 9112). Pure functions, any thread.

#include "engine/base/clock.h"
#include "server/api/http.h"

#include <optional>

namespace commonweight::server {

const char* reasonPhrase(int status);

/// IMF-fixdate of RFC 9110, for example "Sun, 06 Nov 1994 08:49:37 GMT".
std::string httpDate(WallTime time);

struct HeadOptions {
    WallTime now;
    bool keepAlive = true;
    std::optional<std::uint64_t> length; ///< of the body; absent: it ends with the connection
};

/// Status line and headers with Date, Connection and Content-Length (none for 1xx, 204 and 304).
/// Line breaks in values become spaces.
std::string responseHead(const Response& response, const HeadOptions& options);

} // namespace commonweight::server
