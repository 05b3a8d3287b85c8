#pragma once
// Transport over libcurl: HTTP/1.1 and 2, TLS verified, redirects of GET and HEAD (never from
// https to http), proxies, rate limits, stall time-outs.

#include "engine/transfer/http.h"

#include <memory>

namespace commonweight::transfer {

std::unique_ptr<Transport> makeCurlTransport(const std::string& userAgent);

} // namespace commonweight::transfer
