#include "server/schedule/offer.h"

#include <algorithm>

namespace commonweight::server {

namespace {

constexpr std::size_t kFailuresAtMost = 3;
constexpr Seconds kShortly{0.5};
constexpr double kCallsPerSecond = 16;
constexpr double kLatestStart = 0.25; ///< share of a round that must be left for a late joiner

Offer wait(Seconds retryAfter, std::string reason)
{
    return {.kind = OfferKind::Wait, .retryAfter = retryAfter, .reason = std::move(reason)};
}

Seconds timeLeft(const OfferView& view)
{
    return view.clock.closesAt ? Seconds(*view.clock.closesAt - view.now) : view.round;
}

/// A round may close long before its clock, when everybody has reported, so nobody is sent away for
/// long: all who wait together ask about sixteen times a second.
Offer waitForNextRound(const OfferView& view, std::string reason)
{
    const Seconds left = timeLeft(view);
    if (view.openUnits == 0 || left <= Seconds{2})
        return wait(kShortly, std::move(reason));
    const Seconds share{(view.openUnits + view.freshResults) / kCallsPerSecond};
    return wait(std::min(std::clamp(share, Seconds{1}, Seconds{30}), left), std::move(reason));
}

std::string sizeText(std::uint64_t bytes)
{
    return std::to_string((bytes + (1u << 20) - 1) >> 20) + " MiB";
}

/// Reasons that have nothing to do with the round.
std::optional<Offer> obstacle(const OfferView& view)
{
    if (view.state == "paused")
        return wait(Seconds{120}, "The project is paused by its operator");
    if (view.state != "running")
        return wait(Seconds{600}, "This training is finished");
    if (view.quarantined)
        return wait(Seconds{3600}, "Contributions from this computer made the model worse; the "
                                   "project's operator looks into it");
    if (view.memoryBytes != 0 && view.memoryBytes < view.bytesNeeded)
        return wait(Seconds{600}, "Training this model takes about " + sizeText(view.bytesNeeded) +
                                      " of memory, you allow " + sizeText(view.memoryBytes));
    if (view.recentFailures >= kFailuresAtMost)
        return wait(
            Seconds{900},
            "Several work units failed on this computer within an hour; the next one comes later");
    return {};
}

} // namespace

Offer decideOffer(const OfferView& view)
{
    if (auto found = obstacle(view))
        return *found;
    const Seconds left = timeLeft(view);
    if (view.lostUnit && left > Seconds{0})
        return {.kind = OfferKind::Resend};
    const bool running = view.clock.closesAt.has_value() && left > -view.grace;
    if (view.unitsThisRound >= view.devices && view.shifts && running &&
        view.sendingUnits > view.unitsAhead)
        return {.kind = OfferKind::NewUnit,
                .timeLeft = std::max(left, Seconds{0}) + view.round,
                .ahead = true};
    if (view.unitsThisRound >= view.devices)
        return waitForNextRound(
            view,
            "Your part of this round is done; the next one begins when the others have finished");
    if (!running && view.freshResults > 0)
        return wait(kShortly, "The round is being merged");
    if (!running)
        return {.kind = OfferKind::NewUnit, .timeLeft = view.round, .startsClock = true};
    const double steps =
        view.tokensPerSecond * left.count() / static_cast<double>(view.tokensPerStep);
    if (left < kLatestStart * view.round || (view.tokensPerSecond > 0 && steps < 1))
        return waitForNextRound(view, "The current round ends soon; you take part in the next one");
    return {.kind = OfferKind::NewUnit, .timeLeft = left};
}

} // namespace commonweight::server
