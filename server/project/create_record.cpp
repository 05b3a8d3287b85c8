#include "server/ledger/ledger.h"
#include "server/project/create.h"
#include "server/schedule/scheduler_routes.h"

namespace commonweight::server {

namespace {

/// The warm-up was done by the project itself, which therefore appears as a host.
HostRecord projectAsHost(const PublicKey& key, WallTime now)
{
    HostRecord host;
    host.id = hostIdOf(key);
    host.key = key;
    host.name = "The project (warm-up)";
    host.devices = Json::array();
    host.registered = now;
    host.seen = now;
    host.isProject = true;
    return host;
}

ResultRecord resultRecord(const WarmUp& warmUp, const UnitRecord& unit, const SigningKey& key,
                          WallTime now)
{
    auto result = warmUp.result;
    result.host = unit.host;
    return {.id = result.id,
            .unit = unit.id,
            .run = unit.run,
            .host = unit.host,
            .baseVersion = unit.baseVersion,
            .number = 0,
            .state = ResultState::Accepted,
            .steps = result.stepsDone,
            .tokens = result.tokens,
            .received = now,
            .seconds = result.seconds,
            .normRate = 0,
            .mergedVersion = 0,
            .outerGradients = result.outerGradients,
            .secondMoments = result.secondMoments,
            .content = {},
            .envelope = dumpJson(signJson("result", work::toJson(result), key))};
}

/// The same steps as for a volunteer's unit, from the lease to the merge.
Result<void> recordWarmUp(Store& store, const WarmUp& warmUp, const SigningKey& key, WallTime now)
{
    const auto host = projectAsHost(key.publicKey(), now);
    CW_CHECK(store.putHost(host));
    const UnitRecord unit{.id = warmUp.unit.id,
                          .run = warmUp.unit.run,
                          .host = host.id,
                          .baseVersion = warmUp.unit.anchor.version,
                          .state = UnitState::Open,
                          .issued = now,
                          .ended = {},
                          .closesAt = warmUp.unit.closesAt,
                          .deadline = warmUp.unit.deadline,
                          .envelope = dumpJson(signJson("unit", work::toJson(warmUp.unit), key))};
    CW_CHECK(store.addUnit(unit));
    CW_CHECK(takeLanes(store, unit, warmUp.lanes));
    const auto result = resultRecord(warmUp, unit, key, now);
    CW_CHECK(store.addResult(result));
    CW_CHECK(store.endUnit(unit.id, UnitState::Reported, now));
    CW_CHECK(store.addVersion(warmUp.version));
    for (std::size_t i = 0; i < warmUp.log.size(); ++i)
        CW_CHECK(store.addMerge({unit.run, warmUp.version.version, i, toJson(warmUp.log[i])}));
    CW_CHECK(store.markResult(result.id, ResultState::Merged, warmUp.version.version));
    CW_TRY(auto lanes, mergeLanes(store, unit.id, now));
    return recordMerge(store, warmUp.version, {{&result, 0, 1.0, std::move(lanes)}});
}

} // namespace

Result<void> recordProject(Store& store, const ProjectDraft& draft, const SigningKey& key,
                           WallTime now)
{
    return store.atomically([&]() -> Result<void> {
        CW_CHECK(store.addProject(draft.project));
        CW_CHECK(store.addRun(draft.run, draft.first));
        return draft.warmUp ? recordWarmUp(store, *draft.warmUp, key, now) : Result<void>();
    });
}

} // namespace commonweight::server
