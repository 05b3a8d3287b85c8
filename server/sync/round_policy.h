#pragma once
// When a round closes: a pure function of what the round looks like. docs: training page, "Rounds
// that nobody waits for".

#include "server/store/store.h"

namespace commonweight::server {

struct RoundView {
    WallTime now{};
    RoundClock clock{};
    RoundCounts counts{};
    work::RoundPolicyConfig policy{};
};

enum class RoundAction {
    Wait,
    Merge,     ///< close the round with what is in
    StopClock, ///< nobody serves this round: it stays open, and the next unit starts its clock anew
};

/// Contributors to the last merge are waited for this long to fetch their next unit, before a round
/// counts as complete.
Seconds gatheringTime(const work::RoundPolicyConfig& policy);

RoundAction decideRound(const RoundView& view);

} // namespace commonweight::server
