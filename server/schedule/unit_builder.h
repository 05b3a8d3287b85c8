#pragma once
// Writes a training unit from what the scheduler decided: a pure function, so that the operator's
// warm-up and a simulator make the very same units. Any thread.

#include "server/schedule/lane_book.h"

namespace commonweight::server {

struct UnitPlan {
    std::string id;
    std::uint64_t number = 0; ///< of the run's units; makes the seed
    std::vector<LaneSpan> lanes;
    std::uint64_t stepsAtMost = 1;
    std::uint64_t stepsAtLeast = 1;
    WallTime closesAt{};
    WallTime deadline{};
    std::uint64_t activeHosts =
        1; ///< how many train this round: the learning rate goes by the tokens of all
    std::vector<work::FragmentChain> chain{}; ///< to the anchor; may be empty
    bool reportSecondMoments = false;
    bool mayShift = false;
    std::uint64_t tokensAhead = 0; ///< that will be merged before the unit's round begins
};

work::WorkUnit buildUnit(const RunDefinition& run, const VersionRecord& anchor,
                         const UnitPlan& plan);

} // namespace commonweight::server
