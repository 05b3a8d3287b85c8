#include "engine/transfer/url.h"

#include <curl/curl.h>

#include <memory>

namespace commonweight::transfer {

namespace {

struct UrlCloser {
    void operator()(CURLU* handle) const { curl_url_cleanup(handle); }
};
using UrlHandle = std::unique_ptr<CURLU, UrlCloser>;

Error malformed(const std::string& text)
{
    return {ErrorKind::Protocol, "'" + text.substr(0, 200) + "' is not an http or https address"};
}

/// Empty when the URL has no such part.
std::string part(const UrlHandle& handle, CURLUPart which)
{
    char* text = nullptr;
    if (curl_url_get(handle.get(), which, &text, 0) != CURLUE_OK)
        return {};
    std::string result = text;
    curl_free(text);
    return result;
}

Result<UrlHandle> open(const std::string& text)
{
    UrlHandle handle(curl_url());
    if (!handle || curl_url_set(handle.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK)
        return malformed(text);
    const auto scheme = part(handle, CURLUPART_SCHEME);
    if (scheme != "http" && scheme != "https")
        return malformed(text);
    return handle;
}

} // namespace

Result<Url> parseUrl(const std::string& text)
{
    CW_TRY(const auto handle, open(text));
    Url url{part(handle, CURLUPART_SCHEME), part(handle, CURLUPART_HOST),
            part(handle, CURLUPART_PATH)};
    if (url.host.empty())
        return malformed(text);
    return url;
}

Result<std::string> resolveUrl(const std::string& base, const std::string& reference)
{
    CW_TRY(const auto handle, open(base));
    const auto scheme = part(handle, CURLUPART_SCHEME);
    if (reference.empty() ||
        curl_url_set(handle.get(), CURLUPART_URL, reference.c_str(), 0) != CURLUE_OK)
        return malformed(reference);
    const auto resolved = part(handle, CURLUPART_URL);
    CW_TRY(const auto url, parseUrl(resolved));
    if (scheme == "https" && url.scheme != "https")
        return Error{ErrorKind::Protocol,
                     "the server leads from https to the unprotected address " + resolved};
    return resolved;
}

bool isLoopback(const Url& url)
{
    return url.host == "localhost" || url.host == "[::1]" || url.host.starts_with("127.");
}

} // namespace commonweight::transfer
