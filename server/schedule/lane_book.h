#pragma once
// Who holds which lanes. A lane position of an epoch is free, leased by one unit, or merged; a unit
// gets what came back first, then the positions that nobody had yet. Free functions over the store;
// each that changes something runs inside the caller's transaction.

#include "server/store/store.h"

namespace commonweight::server {

struct LaneSpan {
    std::uint64_t epoch = 0;
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    bool operator==(const LaneSpan&) const = default;
};

struct LanePick {
    std::vector<LaneSpan>
        spans;          ///< ascending by (epoch, first): the order in which the unit uses them
    LeaseCursor cursor; ///< where the run's untouched positions begin afterwards
};

/// Pure: `wanted` lanes from the free ranges (ascending), then from the cursor on, into the next
/// epoch where one ends.
LanePick pickLanes(const std::vector<LeaseRecord>& free, LeaseCursor cursor,
                   std::uint64_t lanesPerEpoch, std::uint64_t wanted);

/// Gives the picked lanes to a unit that the store already knows, and notes it in the ledger.
Result<void> takeLanes(Store& store, const UnitRecord& unit, const LanePick& pick);

/// Gives the unit's lanes after its first `keep` back to the pool.
Result<void> returnLanes(Store& store, const UnitRecord& unit, std::uint64_t keep,
                         const std::string& reason, WallTime now);

/// Marks the lanes that the unit still holds as merged, for good; returns them.
Result<std::vector<LeaseRecord>> mergeLanes(Store& store, const std::string& unit, WallTime now);

/// Ends units whose deadline passed and returns their lanes; how many there were.
Result<int> expireUnits(Store& store, const std::string& run, WallTime now);

} // namespace commonweight::server
