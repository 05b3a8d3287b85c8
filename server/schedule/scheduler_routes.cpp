#include "server/schedule/scheduler_routes.h"

#include "server/schedule/rate_limit.h"

namespace commonweight::server {

namespace {

constexpr std::uint64_t kHostBytes = 16u << 10;
constexpr std::uint64_t kSchedulerBytes = 256u << 10;

std::string clippedName(std::string name)
{
    constexpr std::size_t kNameBytes = 80;
    std::size_t end = std::min(name.size(), kNameBytes);
    while (end > 0 && end < name.size() && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80)
        --end; // not in the middle of a character
    name.resize(end);
    return name;
}

Result<HostRecord> hostFromBody(const Request& request, WallTime now)
{
    CW_TRY(const Json body,
           parseJson(asText(request.body), {.bytes = kHostBytes, .depth = 8, .values = 2000}));
    CW_TRY(const auto key, textMember(body, "key", 64));
    HostRecord host;
    CW_TRY(host.key, PublicKey::parse(key));
    host.id = hostIdOf(host.key);
    if (body.contains("name")) {
        CW_TRY(auto name, textMember(body, "name", 1000));
        host.name = clippedName(std::move(name));
    }
    host.devices = Json::array();
    if (body.contains("devices")) {
        CW_TRY(host.devices, arrayMember(body, "devices", 64));
    }
    host.registered = now;
    host.seen = now;
    return host;
}

Response registerHost(Store& store, const Request& request, WallTime now)
{
    const auto host = hostFromBody(request, now);
    if (!host.ok())
        return problem(host.error());
    const auto known = store.host(host->id);
    if (known.ok() && known->banned)
        return problem(Error{ErrorKind::Denied,
                             "this project no longer accepts work from host '" + host->id + "'"});
    if (const auto stored = store.putHost(*host); !stored.ok())
        return problem(stored.error());
    return Response::json(known.ok() ? 200 : 201, {{"host", host->id}, {"id", host->id}});
}

Result<work::SchedulerReply> callScheduler(Scheduler& scheduler, const Request& request)
{
    CW_TRY(const Json body, parseJson(asText(request.body),
                                      {.bytes = kSchedulerBytes, .depth = 8, .values = 20'000}));
    CW_TRY(const auto call, work::schedulerRequestFromJson(body));
    return scheduler.answer(request.host, call);
}

} // namespace

std::string hostIdOf(const PublicKey& key)
{
    return "h" + sha256(key.bytes).hex().substr(0, 32);
}

void addSchedulerRoutes(Router& router, Store& store, Scheduler& scheduler, const Clock& clock)
{
    // Many hosts may share an address; one host has no reason to ask more than about once a second.
    const auto registrations = std::make_shared<RateLimit>(clock, 200, 5);
    const auto calls = std::make_shared<RateLimit>(clock, 60, 4);
    router.add({.method = "POST",
                .pattern = "/v1/hosts",
                .access = Access::NewHost,
                .handler = Handler([&store, &clock, registrations](const Request& request) {
                    if (auto refused = registrations->refusal(request.remoteAddress))
                        return *refused;
                    return registerHost(store, request, clock.wall());
                }),
                .maxBodyBytes = kHostBytes});
    router.add({.method = "POST",
                .pattern = "/v1/scheduler",
                .access = Access::Host,
                .handler = Handler([&scheduler, calls](const Request& request) {
                    if (auto refused = calls->refusal(request.host))
                        return *refused;
                    const auto reply = callScheduler(scheduler, request);
                    return reply.ok() ? Response::json(200, work::toJson(*reply))
                                      : problem(reply.error());
                }),
                .maxBodyBytes = kSchedulerBytes});
}

} // namespace commonweight::server
