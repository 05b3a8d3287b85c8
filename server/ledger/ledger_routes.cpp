#include "server/ledger/ledger_routes.h"

#include <charconv>

namespace commonweight::server {

namespace {

constexpr int kEntriesAtMost = 500;

Json toJson(const LedgerEntry& entry)
{
    return {{"sequence", entry.sequence}, {"time", toRfc3339(entry.time)},
            {"kind", entry.kind},         {"run", entry.run},
            {"body", entry.body},         {"leaf", entry.leaf.hex()}};
}

std::string queryValue(const Request& request, const char* name)
{
    const auto found = request.query.find(name);
    return found == request.query.end() ? std::string() : found->second;
}

Response entries(Store& store, const Request& request)
{
    const std::string run = queryValue(request, "run");
    if (const auto known = store.run(run); !known.ok())
        return problem(known.error());
    const std::string text = queryValue(request, "after");
    std::uint64_t after = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), after);
    if (!text.empty() && (failure != std::errc() || end != text.data() + text.size() ||
                          after > (std::uint64_t{1} << 53)))
        return problem(400, "bad-query", "'after' must be the sequence number of an entry");
    const auto found = store.ledger(run, after, kEntriesAtMost);
    if (!found.ok())
        return problem(found.error());
    Json list = Json::array();
    for (const auto& entry : *found)
        list.push_back(toJson(entry));
    return Response::json(200, {{"entries", std::move(list)}});
}

} // namespace

void addLedgerRoutes(Router& router, Store& store)
{
    router.add(
        {.method = "GET",
         .pattern = "/v1/ledger/entries",
         .access = Access::Anyone,
         .handler = Handler([&store](const Request& request) { return entries(store, request); })});
}

} // namespace commonweight::server
