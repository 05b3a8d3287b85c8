#include "server/verify/result_routes.h"

namespace commonweight::server {

namespace {

constexpr std::uint64_t kResultBytes = 1u << 20;

Response answer(const Result<AdmittedResult>& admitted)
{
    if (!admitted.ok() && admitted.error().kind == ErrorKind::Timeout) {
        auto response = problem(425, "upload-missing", admitted.error().message);
        response.headers.emplace("Retry-After", "5");
        return response;
    }
    if (!admitted.ok())
        return problem(admitted.error());
    Json body{{"state", toString(admitted->state)}};
    if (!admitted->reason.empty())
        body["reason"] = admitted->reason;
    return Response::json(admitted->isNew ? 201 : 200, body);
}

Response postResult(ResultAdmission& admission, const std::function<void()>& arrived,
                    const EventSink& events, const Request& request)
{
    const auto envelope =
        parseJson(asText(request.body), {.bytes = kResultBytes, .depth = 16, .values = 100'000});
    if (!envelope.ok())
        return problem(envelope.error());
    const auto admitted = admission.admit(request.host, *envelope);
    if (admitted.ok() && admitted->isNew) {
        arrived();
        events("result", {{"host", request.host}, {"state", toString(admitted->state)}});
    }
    return answer(admitted);
}

} // namespace

void addResultRoutes(Router& router, ResultAdmission& admission, std::function<void()> arrived,
                     EventSink events)
{
    router.add({.method = "POST",
                .pattern = "/v1/results",
                .access = Access::Host,
                .handler = Handler([&admission, arrived = std::move(arrived),
                                    events = std::move(events)](const Request& request) {
                    return postResult(admission, arrived, events, request);
                }),
                .maxBodyBytes = kResultBytes});
}

} // namespace commonweight::server
