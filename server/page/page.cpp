#include "server/page/page.h"

namespace commonweight::server {

namespace {

/// What is between <tag> and </tag>; the page has one of each.
std::string_view contentOf(std::string_view page, const std::string& tag)
{
    const auto open = "<" + tag + ">";
    const auto begin = page.find(open);
    const auto end = page.find("</" + tag + ">");
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin)
        return {};
    return page.substr(begin + open.size(), end - begin - open.size());
}

std::string hashSource(std::string_view content)
{
    return "'sha256-" + toBase64(sha256(asBytes(content)).bytes) + "'";
}

} // namespace

std::string contentSecurityPolicy(std::string_view page)
{
    return "default-src 'none'; connect-src 'self'; img-src data:; base-uri 'none'; form-action "
           "'none'; frame-ancestors 'none'; "
           "script-src " +
           hashSource(contentOf(page, "script")) + "; style-src " +
           hashSource(contentOf(page, "style"));
}

void addPageRoute(Router& router)
{
    const auto policy = contentSecurityPolicy(pageText());
    router.add({.method = "GET",
                .pattern = "/",
                .access = Access::Anyone,
                .handler = Handler([policy](const Request&) {
                    auto response = Response::text(200, "text/html; charset=utf-8", pageText());
                    response.headers["Content-Security-Policy"] = policy;
                    response.headers["X-Content-Type-Options"] = "nosniff";
                    response.headers["Referrer-Policy"] = "no-referrer";
                    response.headers["Cache-Control"] = "no-cache";
                    return response;
                })});
}

} // namespace commonweight::server
