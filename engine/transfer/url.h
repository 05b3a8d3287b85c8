#pragma once
// Parts of http(s) URLs, by libcurl's own parser, so that what is shown, signed and compared is
// what is really asked. Pure functions, any thread.

#include "engine/base/result.h"

#include <string>

namespace commonweight::transfer {

struct Url {
    std::string scheme; ///< "http" | "https"
    std::string host;   ///< an IPv6 address with its brackets
    std::string path;   ///< as on the wire: percent-encoded, without the query, at least "/"
};

/// Protocol when it is not an absolute http or https URL.
Result<Url> parseUrl(const std::string& text);

/// A Location: relative to `base`, or absolute. Protocol when it is malformed, or leads from https
/// to http.
Result<std::string> resolveUrl(const std::string& base, const std::string& reference);

/// True for this computer's own addresses, to which no proxy leads.
bool isLoopback(const Url& url);

} // namespace commonweight::transfer
