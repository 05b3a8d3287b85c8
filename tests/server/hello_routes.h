#pragma once
// Three plain routes to talk to: GET /hello, POST /echo, GET /echo/{word}?q=.

#include "tests/server/http_fixture.h"

namespace commonweight::server {

inline Route route(const std::string& method, const std::string& pattern, Handler handler,
                   std::uint64_t maxBody = 1 << 20)
{
    return {method, pattern, Access::Anyone, std::move(handler), maxBody};
}

inline Response echo(const Request& request)
{
    return Response::text(200, "text/plain", asText(request.body));
}

/// Not started yet.
inline std::unique_ptr<HttpFixture> fixtureWithRoutes()
{
    auto fixture = std::make_unique<HttpFixture>();
    fixture->router.add(route("GET", "/hello", [](const Request&) {
        return Response::text(200, "text/plain", "hello");
    }));
    fixture->router.add(route("POST", "/echo", echo, 100'000));
    fixture->router.add(route("GET", "/echo/{word}", [](const Request& request) {
        return Response::text(200, "text/plain",
                              request.captures.at("word") + "|" + request.query.at("q"));
    }));
    return fixture;
}

} // namespace commonweight::server
