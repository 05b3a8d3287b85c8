#include "server/ledger/ledger.h"

namespace commonweight::server {

namespace {

Result<void> append(Store& store, const std::string& run, const char* kind, WallTime time,
                    Json body)
{
    LedgerEntry entry;
    entry.time = time;
    entry.kind = kind;
    entry.run = run;
    entry.body = std::move(body);
    return store.appendLedger(std::move(entry));
}

} // namespace

Json lanesToJson(const std::vector<LeaseRecord>& leases)
{
    Json lanes = Json::array();
    for (const auto& lease : leases)
        lanes.push_back(Json::array({lease.epoch, lease.first, lease.count}));
    return lanes;
}

Result<void> recordLease(Store& store, const UnitRecord& unit,
                         const std::vector<LeaseRecord>& leases)
{
    return append(store, unit.run, "lease", unit.issued,
                  {{"unit", unit.id},
                   {"host", unit.host},
                   {"version", unit.baseVersion},
                   {"lanes", lanesToJson(leases)}});
}

Result<void> recordReturn(Store& store, const UnitRecord& unit, const std::string& reason,
                          const std::vector<LeaseRecord>& leases, WallTime now)
{
    if (leases.empty())
        return {};
    return append(store, unit.run, "return", now,
                  {{"unit", unit.id}, {"reason", reason}, {"lanes", lanesToJson(leases)}});
}

Result<void> recordCredit(Store& store, const ResultRecord& result, const std::string& reason,
                          WallTime now)
{
    return append(store, result.run, "credit", now,
                  {{"result", result.id},
                   {"host", result.host},
                   {"unit", result.unit},
                   {"tokens", result.tokens},
                   {"reason", reason}});
}

Result<void> recordRefusal(Store& store, const UnitRecord& unit, const std::string& reason,
                           WallTime now)
{
    return append(store, unit.run, "refuse", now,
                  {{"unit", unit.id}, {"host", unit.host}, {"reason", reason}});
}

Result<void> recordRollback(Store& store, const RollbackRecord& rollback)
{
    return append(store, rollback.run, "rollback", rollback.created,
                  {{"version", rollback.version},
                   {"restored", rollback.restored},
                   {"reverted", Json::array({rollback.firstReverted, rollback.lastReverted})},
                   {"suspects", rollback.suspects},
                   {"reason", rollback.reason}});
}

Result<void> recordMerge(Store& store, const VersionRecord& version,
                         const std::vector<MergedResult>& results)
{
    Json list = Json::array();
    for (const auto& each : results)
        list.push_back({{"result", each.result->id},
                        {"host", each.result->host},
                        {"unit", each.result->unit},
                        {"tokens", each.result->tokens},
                        {"steps", each.result->steps},
                        {"staleness", each.staleness},
                        {"weight", each.weight},
                        {"lanes", lanesToJson(each.leases)}});
    Json fragments = Json::array();
    for (const auto& fragment : version.fragments)
        fragments.push_back(fragment.parameters.sha256.hex());
    return append(store, version.run, "merge", version.created,
                  {{"version", version.version},
                   {"results", std::move(list)},
                   {"fragments", std::move(fragments)}});
}

} // namespace commonweight::server
