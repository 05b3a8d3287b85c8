#pragma once
// What the ledger says about data and contributions: who leased which lanes, what came back and
// why, what was merged into which version, what was credited. Free functions over the store; call
// them inside the transaction that does what they record.
//
// Lanes appear as [[epoch, first position, count], …]. Bodies by kind:
//   lease   {unit, host, version, lanes}          a unit was given out
//   return  {unit, reason, lanes}                 lanes went back to the pool
//   merge   {version, results: [{result, host, unit, tokens, steps, staleness, weight, lanes}],
//   fragments: [sha256]} credit  {result, host, unit, tokens, reason}  thanked for, but not merged
//   refuse  {unit, host, reason}                  a delivered result was not accepted
//   rollback {version, restored, reverted: [first, last], suspects, reason}  an old version is back

#include "server/store/store.h"

namespace commonweight::server {

Json lanesToJson(const std::vector<LeaseRecord>& leases);

Result<void> recordLease(Store& store, const UnitRecord& unit,
                         const std::vector<LeaseRecord>& leases);
Result<void> recordReturn(Store& store, const UnitRecord& unit, const std::string& reason,
                          const std::vector<LeaseRecord>& leases, WallTime now);
Result<void> recordCredit(Store& store, const ResultRecord& result, const std::string& reason,
                          WallTime now);
Result<void> recordRefusal(Store& store, const UnitRecord& unit, const std::string& reason,
                           WallTime now);

Result<void> recordRollback(Store& store, const RollbackRecord& rollback);

/// One merged result as the merge entry lists it.
struct MergedResult {
    const ResultRecord* result = nullptr;
    std::uint64_t staleness = 0;
    double weight = 0;
    std::vector<LeaseRecord> leases;
};
Result<void> recordMerge(Store& store, const VersionRecord& version,
                         const std::vector<MergedResult>& results);

} // namespace commonweight::server
