#include "server/schedule/scheduler.h"

#include "engine/base/http_signature.h"
#include "server/ledger/ledger.h"
#include "server/schedule/lane_order.h"
#include "server/schedule/trust.h"
#include "server/schedule/unit_builder.h"

#include <algorithm>
#include <cmath>

namespace commonweight::server {

namespace {

constexpr std::size_t kDevicesAtMost = 8;
constexpr std::uint64_t kLanesAtMost = 100'000;
constexpr Seconds kCallAgain{30};
constexpr std::chrono::hours kFailureMemory{1};
/// Parameters, gradient and two moments in fp32; activations come on top.
constexpr std::uint64_t kBytesPerParameter = 16;

std::uint64_t tokensPerStep(const work::RunConfig& config)
{
    return groupLanes(config) * config.sequenceLength;
}

std::uint64_t trainingBytes(const RunDefinition& run)
{
    std::uint64_t elements = 0;
    for (const auto& fragment : run.fragments)
        elements += static_cast<std::uint64_t>(fragment.elements());
    return elements * kBytesPerParameter;
}

std::chrono::milliseconds milliseconds(Seconds time)
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(time);
}

} // namespace

UnitSize unitSize(const RunDefinition& run, const VersionRecord& anchor, std::uint64_t activeHosts,
                  double tokensPerSecond, Seconds timeLeft)
{
    const auto& config = run.config;
    const std::uint64_t stepsPerGroup = config.sequencesPerLane;
    const std::uint64_t groups =
        std::max<std::uint64_t>(1, std::min(run.lanes(), kLanesAtMost) / groupLanes(config));
    const std::uint64_t needed =
        config.totalTokens - std::min(config.totalTokens, anchor.tokensMerged);
    const std::uint64_t perStep = tokensPerStep(config) * std::max<std::uint64_t>(1, activeHosts);
    UnitSize size;
    size.stepsAtMost = std::min({config.stepsAtMost, groups * stepsPerGroup,
                                 std::max<std::uint64_t>(1, (needed + perStep - 1) / perStep)});
    if (tokensPerSecond <= 0)
        return size;
    const double expected = std::min(1e9, tokensPerSecond * std::max(0.0, timeLeft.count()) /
                                              static_cast<double>(tokensPerStep(config)));
    constexpr std::uint64_t kFewest = 8;
    size.stepsAtMost = std::min(
        size.stepsAtMost, std::max(kFewest, static_cast<std::uint64_t>(std::ceil(2 * expected))));
    const auto counted = std::min(static_cast<std::uint64_t>(expected), size.stepsAtMost);
    size.stepsAtLeast = std::max<std::uint64_t>(1, counted / 4);
    return size;
}

WallTime leaseDeadline(const work::RunConfig& config, WallTime closesAt)
{
    const Seconds round{config.round.seconds};
    return closesAt + milliseconds(std::max(round * (1 + config.round.graceShare), Seconds{60}));
}

/// One call: who asks, what is known, and the answer as it grows.
struct Scheduler::Call {
    const std::string& host;
    const work::SchedulerRequest& request;
    WallTime now;
    RunRecord run;
    HostRecord record;
    work::SchedulerReply reply;
    std::vector<std::string> given; ///< units that this answer brings

    void give(const std::string& unit, Json envelope)
    {
        given.push_back(unit);
        reply.units.push_back(std::move(envelope));
    }
    /// Its result is on its way.
    bool isSending(const std::string& unit) const
    {
        return std::any_of(request.running.begin(), request.running.end(), [&](const auto& report) {
            return report.unit == unit && report.sending;
        });
    }
    /// The host works on it, or is just getting it.
    bool inHand(const std::string& unit) const
    {
        return std::find(given.begin(), given.end(), unit) != given.end() ||
               std::any_of(request.running.begin(), request.running.end(),
                           [&](const auto& report) { return report.unit == unit; });
    }
};

Result<work::SchedulerReply> Scheduler::answer(const std::string& host,
                                               const work::SchedulerRequest& request)
{
    if (request.host != host)
        return Error{ErrorKind::Denied, "the request is signed by host '" + host +
                                            "' but speaks for '" + request.host + "'"};
    if (request.protocol != 1)
        return Error{ErrorKind::Protocol, "this server speaks version 1 of the protocol, not " +
                                              std::to_string(request.protocol)};
    Call call{.host = host,
              .request = request,
              .now = m_clock.wall(),
              .run = {},
              .record = {},
              .reply = {},
              .given = {}};
    call.reply.retryAfter = kCallAgain;
    CW_CHECK(m_store.atomically([&] { return serve(call); }));
    return std::move(call.reply);
}

Result<void> Scheduler::serve(Call& call)
{
    CW_TRY(call.record, m_store.host(call.host));
    CW_CHECK(m_store.noteSeen(call.host, call.now));
    CW_CHECK(takeBackFailures(call));
    CW_TRY(auto runs, m_store.runs());
    const auto chosen = std::find_if(runs.begin(), runs.end(), [&](const RunRecord& run) {
        return call.request.run.empty() ? run.status.state == "running"
                                        : run.id() == call.request.run;
    });
    if (chosen == runs.end() && !call.request.run.empty())
        return Error{ErrorKind::NotFound, "this project has no run '" + call.request.run + "'"};
    CW_CHECK(withdraw(call));
    if (chosen == runs.end()) {
        call.reply.reason = "This project has nothing to train at the moment";
        return {};
    }
    call.run = *chosen;
    CW_TRY(const int expired, expireUnits(m_store, call.run.id(), call.now));
    static_cast<void>(expired);
    std::size_t asked = 0;
    for (const auto& device : call.request.devices)
        if (device.wantsWork && asked++ < kDevicesAtMost)
            CW_CHECK(offerTo(call, device));
    return {};
}

Result<void> Scheduler::takeBackFailures(Call& call)
{
    for (const auto& failure : call.request.failed) {
        const auto unit = m_store.unit(failure.unit);
        if (!unit.ok() || unit->host != call.host || unit->state != UnitState::Open)
            continue; // nothing of ours to take back; a repeated report ends here
        // The host gave it back of its own will: that says nothing about its ability.
        const auto state = failure.reason == "declined" ? UnitState::Lost : UnitState::Failed;
        CW_CHECK(m_store.endUnit(unit->id, state, call.now));
        CW_CHECK(
            returnLanes(m_store, *unit, 0, "the host gave it back: " + failure.reason, call.now));
    }
    return {};
}

Result<bool> Scheduler::isWanted(const Call& call, const std::string& id)
{
    const auto unit = m_store.unit(id);
    if (!unit.ok() && unit.error().kind != ErrorKind::NotFound)
        return unit.error();
    if (!unit.ok() || unit->host != call.host)
        return false;
    if (unit->state == UnitState::Reported)
        return true;
    CW_TRY(const auto run, m_store.run(unit->run));
    CW_TRY(const auto base, m_store.version(unit->run, unit->baseVersion));
    return !base.reverted && unit->state == UnitState::Open && run.status.state != "finished" &&
           unit->baseVersion + run.config().round.maxStaleness >= run.status.newestVersion;
}

Result<void> Scheduler::withdraw(Call& call)
{
    for (const auto& report : call.request.running) {
        CW_TRY(const bool wanted, isWanted(call, report.unit));
        if (!wanted)
            call.reply.withdrawn.push_back(report.unit);
    }
    return {};
}

Result<OfferView> Scheduler::viewOf(Call& call, const work::DeviceReport& device)
{
    CW_TRY(call.run, m_store.run(call.run.id()));
    const auto& config = call.run.config();
    const auto& status = call.run.status;
    CW_TRY(const auto counts, m_store.roundCounts(config.id, call.host));
    CW_TRY(const auto units, m_store.unitsOfHost(config.id, call.host, status.newestVersion));
    CW_TRY(const auto failed, m_store.failedUnits(call.host, call.now - kFailureMemory));
    OfferView view{.now = call.now,
                   .state = status.state,
                   .clock = status.round,
                   .round = Seconds{config.round.seconds},
                   .grace = Seconds{config.round.seconds * config.round.graceShare},
                   .openUnits = counts.openUnits,
                   .freshResults = counts.freshResults,
                   .tokensPerStep = tokensPerStep(config),
                   .bytesNeeded = trainingBytes(*call.run.definition),
                   .memoryBytes = call.request.memoryBytes,
                   .quarantined = !call.record.quarantine.empty(),
                   .recentFailures = failed.size(),
                   .devices = std::min(call.request.devices.size(), kDevicesAtMost),
                   .tokensPerSecond = device.tokensPerSecond > 0 ? device.tokensPerSecond
                                                                 : call.record.tokensPerSecond,
                   .shifts = config.round.shiftOnArrival};
    for (const auto& unit : units) {
        const bool inHand = unit.state == UnitState::Open && call.inHand(unit.id);
        bool contributed = false;
        if (unit.state == UnitState::Reported) {
            // Who was only credited may try again: it could be the only one there.
            CW_TRY(const auto result, m_store.resultOfUnit(unit.id));
            contributed = result.state == ResultState::Accepted;
        }
        view.unitsThisRound += inHand || contributed;
        view.lostUnit |= unit.state == UnitState::Open && !inHand;
        view.sendingUnits += inHand && call.isSending(unit.id);
    }
    CW_TRY(const auto ahead, m_store.unitsOfHost(config.id, call.host, status.newestVersion + 1));
    view.unitsAhead = ahead.size();
    return view;
}

Result<void> Scheduler::offerTo(Call& call, const work::DeviceReport& device)
{
    CW_TRY(const auto view, viewOf(call, device));
    const auto offer = decideOffer(view);
    switch (offer.kind) {
    case OfferKind::Wait:
        if (call.reply.units.empty()) {
            call.reply.reason = offer.reason;
            call.reply.retryAfter = offer.retryAfter;
        }
        return {};
    case OfferKind::Resend: {
        CW_TRY(const auto units,
               m_store.unitsOfHost(call.run.id(), call.host, call.run.status.newestVersion));
        for (const auto& unit : units)
            if (unit.state == UnitState::Open && !call.inHand(unit.id))
                call.give(unit.id, Json::parse(unit.envelope, nullptr, false));
        break;
    }
    case OfferKind::NewUnit:
        if (!offer.ahead)
            CW_CHECK(giveUpLostUnits(call));
        CW_CHECK(giveUnit(call, offer, view.tokensPerSecond));
        break;
    }
    call.reply.reason.clear();
    call.reply.retryAfter = kCallAgain;
    return {};
}

/// Units of this round that the host no longer knows while their round has run out: nobody will
/// finish them.
Result<void> Scheduler::giveUpLostUnits(Call& call)
{
    CW_TRY(const auto units,
           m_store.unitsOfHost(call.run.id(), call.host, call.run.status.newestVersion));
    for (const auto& unit : units) {
        if (unit.state != UnitState::Open || call.inHand(unit.id))
            continue;
        CW_CHECK(m_store.endUnit(unit.id, UnitState::Lost, call.now));
        CW_CHECK(returnLanes(m_store, unit, 0, "the host no longer knows it", call.now));
    }
    return {};
}

/// What the round at hand will add, by what the one before it did.
Result<std::uint64_t> Scheduler::tokensOfLastRound(const VersionRecord& newest)
{
    if (newest.version == 0)
        return std::uint64_t{0};
    CW_TRY(const auto before, m_store.version(newest.run, newest.version - 1));
    return newest.tokensMerged - std::min(newest.tokensMerged, before.tokensMerged);
}

Result<void> Scheduler::giveUnit(Call& call, const Offer& offer, double tokensPerSecond)
{
    const auto& definition = *call.run.definition;
    const auto& config = definition.config;
    RoundClock clock = call.run.status.round;
    if (offer.startsClock) {
        clock.closesAt = call.now + milliseconds(Seconds{config.round.seconds});
        CW_CHECK(m_store.setRound(config.id, clock));
    }
    CW_TRY(const auto anchor, m_store.version(config.id, call.run.status.newestVersion));
    CW_TRY(const auto counts, m_store.roundCounts(config.id, call.host));
    CW_TRY(const auto free, m_store.freeLeases(config.id));
    const auto size =
        unitSize(definition, anchor, counts.activeHosts, tokensPerSecond, offer.timeLeft);
    const auto pick = pickLanes(free, call.run.status.cursor, definition.lanes(),
                                lanesForSteps(config, size.stepsAtMost));

    CW_TRY(auto chain, m_store.chainTo(config.id, anchor.version));
    const std::uint64_t number = call.run.status.unitsIssued;
    WallTime closesAt = *clock.closesAt;
    std::uint64_t tokensAhead = 0;
    if (offer.ahead) {
        closesAt += milliseconds(Seconds{config.round.seconds});
        CW_TRY(tokensAhead, tokensOfLastRound(anchor));
    }
    const UnitPlan plan{.id = "u" + freshNonce(),
                        .number = number,
                        .lanes = pick.spans,
                        .stepsAtMost = size.stepsAtMost,
                        .stepsAtLeast = size.stepsAtLeast,
                        .closesAt = closesAt,
                        .deadline = leaseDeadline(config, closesAt),
                        .activeHosts = counts.activeHosts,
                        .chain = std::move(chain),
                        .reportSecondMoments =
                            anchor.secondMoments.has_value() &&
                            asksForSecondMoments(call.record.validatedUnits, counts.activeHosts,
                                                 config.seed, number),
                        .mayShift = offer.ahead,
                        .tokensAhead = tokensAhead};
    Json envelope = signJson("unit", work::toJson(buildUnit(definition, anchor, plan)), m_key);
    const UnitRecord unit{.id = plan.id,
                          .run = config.id,
                          .host = call.host,
                          .baseVersion = anchor.version,
                          .state = UnitState::Open,
                          .issued = call.now,
                          .ended = {},
                          .closesAt = plan.closesAt,
                          .deadline = plan.deadline,
                          .envelope = dumpJson(envelope),
                          .round = anchor.version + (offer.ahead ? 1 : 0)};
    CW_CHECK(m_store.addUnit(unit));
    CW_CHECK(takeLanes(m_store, unit, pick));
    call.give(unit.id, std::move(envelope));
    return {};
}

} // namespace commonweight::server
