#pragma once
// The target of a request line (RFC 9112 section 3.2) taken apart, and refused when it could mean
// two things. Pure functions, any thread.

#include "engine/base/result.h"

#include <map>
#include <string>
#include <string_view>

namespace commonweight::server {

struct RequestTarget {
    std::string rawPath; ///< as on the wire: what signatures cover
    std::string path;    ///< percent-decoded
    std::map<std::string, std::string> query;
};

/// Origin form ("/path?query") or absolute form ("http://host/path?query"). Protocol for anything
/// else, for bad percent-encoding, "." and
/// ".." segments, empty segments inside the path, encoded slashes, backslashes, control characters
/// and NUL.
Result<RequestTarget> parseTarget(std::string_view target);

} // namespace commonweight::server
