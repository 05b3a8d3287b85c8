#include "server/sync/round_policy.h"

#include <algorithm>

namespace commonweight::server {

Seconds gatheringTime(const work::RoundPolicyConfig& policy)
{
    return std::min(Seconds{10}, Seconds{policy.seconds * 0.1});
}

Seconds graceWindow(const RoundView& view)
{
    const auto& policy = view.policy;
    const Seconds round{policy.seconds};
    const Seconds most = round * std::min(policy.graceShare, 0.5); // a unit takes about a round
    const Seconds least = std::min(most, round * policy.graceLeast);
    if (policy.graceGamma <= 0 || !view.clock.closesAt)
        return most;
    // Nobody has reported yet: nobody is kept from anything.
    if (!view.counts.firstReport)
        return most;
    const Seconds busyUntil =
        Seconds(*view.counts.firstReport - *view.clock.closesAt) + round * policy.overlapShare;
    const Seconds slack = std::max(Seconds{0}, busyUntil - view.mergeTime);
    return std::clamp(policy.graceGamma * slack, least, most);
}

RoundAction decideRound(const RoundView& view)
{
    const auto& counts = view.counts;
    const std::uint32_t results = counts.freshResults + counts.staleResults;
    const Seconds round{view.policy.seconds};
    const Seconds grace = graceWindow(view);
    const Seconds sinceOpened = view.now - view.clock.openedAt;

    // Late results join a round but never make one: alone they would carry the whole weight of a
    // version.
    if (counts.freshResults == 0) {
        const bool over = view.clock.closesAt && Seconds(view.now - *view.clock.closesAt) >= grace;
        return view.clock.closesAt && (over || counts.openUnits == 0) ? RoundAction::StopClock
                                                                      : RoundAction::Wait;
    }
    if (results >= view.policy.target)
        return RoundAction::Merge;
    const bool quorum = results >= view.policy.minimumQuorum;
    const bool gathering = sinceOpened < gatheringTime(view.policy);
    if (quorum && counts.openUnits == 0 && (!gathering || counts.returningHosts == 0))
        return RoundAction::Merge;
    // A clock that was stopped with units outstanding ran out before; what came in since then waits
    // for nobody.
    const Seconds overdue =
        view.clock.closesAt ? Seconds(view.now - *view.clock.closesAt) - grace : sinceOpened;
    const bool clockOver = !view.clock.closesAt || overdue >= Seconds{0};
    if (clockOver && quorum)
        return RoundAction::Merge;
    // The quorum is a preference: after one more round the training goes on without it.
    return clockOver && overdue >= round ? RoundAction::Merge : RoundAction::Wait;
}

} // namespace commonweight::server
