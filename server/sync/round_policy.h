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
    Seconds mergeTime{0}; ///< what the last merge took
};

enum class RoundAction {
    Wait,
    Merge,     ///< close the round with what is in
    StopClock, ///< nobody serves this round: it stays open, and the next unit starts its clock anew
};

/// Contributors to the last merge are waited for this long to fetch their next unit, before a round
/// counts as complete.
Seconds gatheringTime(const work::RoundPolicyConfig& policy);

/// How long uploads in flight are waited for after the clock: γ · (slack − merge time), where slack
/// is what is left, at the clock's end, of the time that the fastest host is busy after its report
/// (`overlap_share` of a round) before it would start from an old anchor; within `grace_least` and
/// `grace_share` of a round, and at most half a unit's time (Decoupled DiLoCo, equation 3).
Seconds graceWindow(const RoundView& view);

RoundAction decideRound(const RoundView& view);

} // namespace commonweight::server
