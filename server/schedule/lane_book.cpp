#include "server/schedule/lane_book.h"

#include "server/ledger/ledger.h"

#include <algorithm>

namespace commonweight::server {

LanePick pickLanes(const std::vector<LeaseRecord>& free, LeaseCursor cursor,
                   std::uint64_t lanesPerEpoch, std::uint64_t wanted)
{
    assert(lanesPerEpoch > 0);
    LanePick pick{.spans = {}, .cursor = cursor};
    for (const auto& range : free) {
        if (wanted == 0)
            return pick;
        const std::uint64_t taken = std::min(wanted, range.count);
        pick.spans.push_back({range.epoch, range.first, taken});
        wanted -= taken;
    }
    while (wanted > 0) {
        if (pick.cursor.position == lanesPerEpoch)
            pick.cursor = {pick.cursor.epoch + 1, 0};
        const std::uint64_t taken = std::min(wanted, lanesPerEpoch - pick.cursor.position);
        pick.spans.push_back({pick.cursor.epoch, pick.cursor.position, taken});
        pick.cursor.position += taken;
        wanted -= taken;
    }
    return pick;
}

/// What remains of the free range that `span` begins, when it was longer.
static Result<void> keepRest(Store& store, const std::vector<LeaseRecord>& free,
                             const LaneSpan& span)
{
    for (LeaseRecord range : free) {
        if (range.epoch != span.epoch || range.first != span.first || range.count == span.count)
            continue;
        range.first += span.count;
        range.count -= span.count;
        return store.putLease(range);
    }
    return {};
}

Result<void> takeLanes(Store& store, const UnitRecord& unit, const LanePick& pick)
{
    CW_TRY(const auto free, store.freeLeases(unit.run));
    std::vector<LeaseRecord> taken;
    for (const auto& span : pick.spans) {
        CW_CHECK(keepRest(store, free, span));
        taken.push_back({unit.run, span.epoch, span.first, span.count, LeaseState::Leased, unit.id,
                         unit.issued});
        CW_CHECK(store.putLease(taken.back()));
    }
    CW_CHECK(store.setCursor(unit.run, pick.cursor));
    return recordLease(store, unit, taken);
}

Result<void> returnLanes(Store& store, const UnitRecord& unit, std::uint64_t keep,
                         const std::string& reason, WallTime now)
{
    CW_TRY(const auto held, store.leasesOf(unit.id));
    std::vector<LeaseRecord> returned;
    for (LeaseRecord lease : held) {
        const std::uint64_t kept = std::min(keep, lease.count);
        keep -= kept;
        if (kept == lease.count)
            continue;
        LeaseRecord rest{
            lease.run, lease.epoch, lease.first + kept, lease.count - kept, LeaseState::Free,
            {},        now};
        lease.count = kept;
        if (kept > 0)
            CW_CHECK(store.putLease(lease));
        CW_CHECK(store.putLease(rest));
        returned.push_back(std::move(rest));
    }
    return recordReturn(store, unit, reason, returned, now);
}

Result<std::vector<LeaseRecord>> mergeLanes(Store& store, const std::string& unit, WallTime now)
{
    CW_TRY(auto held, store.leasesOf(unit));
    for (auto& lease : held) {
        lease.state = LeaseState::Merged;
        lease.changed = now;
        CW_CHECK(store.putLease(lease));
    }
    return held;
}

Result<int> expireUnits(Store& store, const std::string& run, WallTime now)
{
    CW_TRY(const auto overdue, store.expiredUnits(run, now));
    if (overdue.empty())
        return 0; // the usual case costs no write
    int expired = 0;
    CW_CHECK(store.atomically([&]() -> Result<void> {
        CW_TRY(const auto units, store.expiredUnits(run, now));
        for (const auto& unit : units) {
            CW_CHECK(store.endUnit(unit.id, UnitState::Expired, now));
            CW_CHECK(returnLanes(store, unit, 0, "its deadline passed", now));
        }
        expired = static_cast<int>(units.size());
        return {};
    }));
    return expired;
}

} // namespace commonweight::server
