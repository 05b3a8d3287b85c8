#include "server/page/public_routes.h"

#include "server/page/run_info.h"

namespace commonweight::server {

namespace {

template <class T> Response jsonOrProblem(const Result<T>& info)
{
    return info.ok() ? Response::json(200, work::toJson(*info)) : problem(info.error());
}

Response run(Store& store, const Request& request)
{
    const auto id = request.captures.find("run");
    return jsonOrProblem(runInfo(store, id == request.captures.end() ? std::string() : id->second));
}

} // namespace

void addPublicRoutes(Router& router, Store& store, const PublicKey& projectKey,
                     std::uint64_t uploadLimit)
{
    router.add({.method = "GET",
                .pattern = "/v1/project",
                .access = Access::Anyone,
                .handler = Handler([&store, projectKey, uploadLimit](const Request&) {
                    return jsonOrProblem(projectInfo(store, projectKey, uploadLimit));
                })});
    router.add(
        {.method = "GET",
         .pattern = "/v1/runs/{run}",
         .access = Access::Anyone,
         .handler = Handler([&store](const Request& request) { return run(store, request); })});
    router.add({.method = "GET",
                .pattern = "/v1/events",
                .access = Access::Anyone,
                .handler = Handler([](const Request&) {
                    return Response{
                        200,
                        {{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-cache"}},
                        EventStreamBody{}};
                })});
}

} // namespace commonweight::server
