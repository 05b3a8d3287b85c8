#include "bench/fleet/round_book.h"

#include "engine/exchange/merge.h"
#include "server/schedule/lane_order.h"

#include <algorithm>

namespace commonweight::bench {

namespace {

WallTime wall(double seconds)
{
    return WallTime{std::chrono::milliseconds{static_cast<std::int64_t>(seconds * 1000)}};
}

double virtualSeconds(WallTime time)
{
    return Seconds(time.time_since_epoch()).count();
}

std::uint64_t lanesIn(const std::vector<server::LaneSpan>& spans)
{
    std::uint64_t sum = 0;
    for (const auto& span : spans)
        sum += span.count;
    return sum;
}

} // namespace

std::optional<double> RoundBook::closesAt() const
{
    if (!m_clock.closesAt)
        return {};
    return virtualSeconds(*m_clock.closesAt);
}

server::RoundCounts RoundBook::counts() const
{
    server::RoundCounts counts;
    counts.openUnits = m_openNow;
    counts.freshResults = m_fresh;
    counts.staleResults = static_cast<std::uint32_t>(m_waiting.size()) - m_fresh;
    counts.returningHosts = static_cast<std::uint32_t>(m_returning.size());
    counts.activeHosts = static_cast<std::uint32_t>(m_active.size());
    if (m_firstReport)
        counts.firstReport = wall(*m_firstReport);
    return counts;
}

server::OfferView RoundBook::viewFor(const Caller& caller, double now)
{
    const auto& config = m_run.config;
    server::OfferView view;
    view.now = wall(now);
    view.clock = m_clock;
    view.round = Seconds{config.round.seconds};
    view.grace = Seconds{config.round.seconds * config.round.graceShare};
    view.openUnits = m_openNow;
    view.freshResults = m_fresh;
    view.tokensPerStep = server::groupLanes(config) * config.sequenceLength;
    view.shifts = config.round.shiftOnArrival;
    view.tokensPerSecond = caller.tokensPerSecond;
    auto& units = m_unitsOf[caller.host];
    std::erase_if(units, [&](const HostUnit& unit) { return unit.round < m_version; });
    for (const auto& unit : units) {
        view.unitsAhead += unit.round > m_version;
        if (unit.round > m_version || unit.state == HostUnitState::Gone)
            continue;
        ++view.unitsThisRound;
        view.sendingUnits +=
            unit.state == HostUnitState::Open && unit.number == caller.sending ? 1 : 0;
    }
    return view;
}

server::Offer RoundBook::offer(const Caller& caller, double now, IssuedUnit& unit)
{
    const auto offer = server::decideOffer(viewFor(caller, now));
    if (offer.kind == server::OfferKind::NewUnit)
        unit = issue(caller, offer, now);
    return offer;
}

IssuedUnit RoundBook::issue(const Caller& caller, const server::Offer& offer, double now)
{
    const auto& config = m_run.config;
    if (offer.startsClock)
        m_clock.closesAt = wall(now + config.round.seconds);
    if (!offer.ahead) {
        m_active.insert(caller.host);
        m_returning.erase(caller.host);
    }
    server::VersionRecord anchor;
    anchor.version = m_version;
    anchor.tokensMerged = m_tokens;
    const auto size =
        server::unitSize(m_run, anchor, m_active.size(), caller.tokensPerSecond, offer.timeLeft);
    const WallTime closesAt = offer.ahead
                                  ? wall(virtualSeconds(*m_clock.closesAt) + config.round.seconds)
                                  : *m_clock.closesAt;
    Open open;
    open.host = caller.host;
    open.unit = {.version = m_version,
                 .round = m_version + (offer.ahead ? 1 : 0),
                 .number = ++m_number,
                 .closesAt = virtualSeconds(closesAt),
                 .stepsAtMost = size.stepsAtMost,
                 .stepsAtLeast = size.stepsAtLeast};
    open.deadline = virtualSeconds(server::leaseDeadline(config, closesAt));
    open.lanes = lease(server::lanesForSteps(config, size.stepsAtMost));
    m_unitsOf[caller.host].push_back({m_number, open.unit.round, HostUnitState::Open});
    m_openNow += offer.ahead ? 0 : 1;
    ++m_totals.units;
    const auto issued = open.unit;
    m_open.emplace(m_number, std::move(open));
    return issued;
}

std::vector<server::LaneSpan> RoundBook::lease(std::uint64_t wanted)
{
    const auto pick = server::pickLanes(m_free, m_cursor, m_run.lanes(), wanted);
    m_cursor = pick.cursor;
    // The picked spans begin the free ranges, in order; what is beyond them is new.
    std::size_t used = 0;
    for (const auto& span : pick.spans) {
        if (used == m_free.size() || m_free[used].epoch != span.epoch ||
            m_free[used].first != span.first)
            break;
        m_free[used].first += span.count;
        m_free[used].count -= span.count;
        if (m_free[used].count > 0)
            break;
        ++used;
    }
    m_free.erase(m_free.begin(), m_free.begin() + static_cast<std::ptrdiff_t>(used));
    return pick.spans;
}

void RoundBook::returnLanes(std::vector<server::LaneSpan>& held, std::uint64_t keep)
{
    std::vector<server::LaneSpan> kept;
    for (const auto& span : held) {
        const std::uint64_t own = std::min(keep, span.count);
        keep -= own;
        if (own > 0)
            kept.push_back({span.epoch, span.first, own});
        if (own == span.count)
            continue;
        server::LeaseRecord rest;
        rest.epoch = span.epoch;
        rest.first = span.first + own;
        rest.count = span.count - own;
        const auto place = std::upper_bound(
            m_free.begin(), m_free.end(), rest, [](const auto& left, const auto& right) {
                return std::tie(left.epoch, left.first) < std::tie(right.epoch, right.first);
            });
        m_free.insert(place, std::move(rest));
    }
    held = std::move(kept);
}

void RoundBook::end(OpenUnits::iterator open, HostUnitState state)
{
    for (auto& unit : m_unitsOf[open->second.host])
        if (unit.number == open->first)
            unit.state = state;
    m_openNow -= open->second.unit.round == m_version;
    m_open.erase(open);
}

bool RoundBook::post(const PostedResult& result, double now)
{
    const auto open = m_open.find(result.number);
    const auto& policy = m_run.config.round;
    const bool late = m_version - result.version > policy.maxStaleness;
    const bool merges =
        open != m_open.end() && !late && result.steps >= open->second.unit.stepsAtLeast;
    if (open != m_open.end()) {
        auto lanes = std::move(open->second.lanes);
        returnLanes(lanes, merges ? server::lanesForSteps(m_run.config, result.steps) : 0);
        if (merges)
            m_waiting.push_back({result, std::move(lanes)});
        // Who was only credited may try again.
        end(open, merges ? HostUnitState::Accepted : HostUnitState::Gone);
    }
    const double tokens = static_cast<double>(result.steps * server::groupLanes(m_run.config) *
                                              m_run.config.sequenceLength);
    ++m_totals.results;
    if (!merges) {
        ++m_totals.credited;
        m_totals.tokensCredited += tokens;
        return false;
    }
    m_fresh += result.version == m_version;
    if (result.version == m_version && !m_firstReport)
        m_firstReport = now;
    return true;
}

void RoundBook::giveBack(std::uint64_t number)
{
    const auto open = m_open.find(number);
    if (open == m_open.end())
        return;
    returnLanes(open->second.lanes, 0);
    end(open, HostUnitState::Gone);
}

void RoundBook::expire(double now)
{
    while (!m_open.empty() && m_open.begin()->second.deadline <= now) {
        ++m_totals.expired;
        giveBack(m_open.begin()->first);
    }
}

server::RoundAction RoundBook::decide(double now) const
{
    server::RoundView view;
    view.now = wall(now);
    view.clock = m_clock;
    view.counts = counts();
    view.policy = m_run.config.round;
    view.mergeTime = Seconds{m_mergeTook};
    return server::decideRound(view);
}

std::size_t RoundBook::beginMerge(double now)
{
    m_mergeBegan = now;
    m_merging = m_waiting.size();
    return m_merging;
}

void RoundBook::publish(double now)
{
    const auto& config = m_run.config;
    const double stepTokens =
        static_cast<double>(server::groupLanes(config) * config.sequenceLength);
    exchange::OuterSettings settings;
    settings.maxStaleness = config.round.maxStaleness;
    std::vector<exchange::Contribution> contributions;
    m_active.clear();
    for (std::size_t i = 0; i < m_merging; ++i) {
        const auto& result = m_waiting[i].result;
        // What is merged before its own round even began leaves its host free for that round.
        for (auto& unit : m_unitsOf[result.host])
            if (unit.number == result.number)
                unit.state = HostUnitState::Gone;
        const auto name = std::to_string(result.host);
        const auto tokens = static_cast<std::uint64_t>(stepTokens) * result.steps;
        const std::uint64_t staleness = m_version - result.version;
        contributions.push_back({.result = std::to_string(result.number),
                                 .account = name,
                                 .tokens = tokens,
                                 .steps = result.steps,
                                 .staleness = staleness});
        if (staleness > config.round.maxStaleness) {
            ++m_totals.credited;
            continue;
        }
        m_active.insert(result.host);
        m_totals.stale += staleness > 0;
        m_totals.tokensMerged += static_cast<double>(tokens);
        m_tokens += tokens;
        m_totals.weightLost += static_cast<double>(tokens) *
                               (1 - exchange::stalenessWeight(staleness, settings.maxStaleness));
        m_merged.insert(m_merged.end(), m_waiting[i].lanes.begin(), m_waiting[i].lanes.end());
    }
    const auto weights = exchange::mergeWeights(contributions, settings);
    static_cast<void>(weights);
    m_waiting.erase(m_waiting.begin(), m_waiting.begin() + static_cast<std::ptrdiff_t>(m_merging));
    m_merging = 0;
    m_mergeTook = now - m_mergeBegan;
    ++m_version;
    ++m_totals.versions;
    openRound(now);
}

/// As the publication leaves it: hosts that went on while they sent are in the new round already.
void RoundBook::openRound(double now)
{
    m_returning = m_active;
    m_openNow = 0;
    for (const auto& [number, open] : m_open) {
        if (open.unit.round != m_version)
            continue;
        ++m_openNow;
        m_active.insert(open.host);
        m_returning.erase(open.host);
    }
    m_fresh = 0;
    m_firstReport.reset();
    for (const auto& waiting : m_waiting)
        m_fresh += waiting.result.version == m_version;
    m_clock = {.openedAt = wall(now), .closesAt = {}};
    if (m_openNow > 0)
        m_clock.closesAt = wall(now + m_run.config.round.seconds);
}

bool RoundBook::lanesAddUp() const
{
    std::vector<server::LaneSpan> all = m_merged;
    for (const auto& range : m_free)
        all.push_back({range.epoch, range.first, range.count});
    for (const auto& [number, open] : m_open)
        all.insert(all.end(), open.lanes.begin(), open.lanes.end());
    for (const auto& waiting : m_waiting)
        all.insert(all.end(), waiting.lanes.begin(), waiting.lanes.end());
    std::sort(all.begin(), all.end(), [](const auto& left, const auto& right) {
        return std::tie(left.epoch, left.first) < std::tie(right.epoch, right.first);
    });
    const bool overlaps =
        std::adjacent_find(all.begin(), all.end(), [](const auto& left, const auto& right) {
            return left.epoch == right.epoch && left.first + left.count > right.first;
        }) != all.end();
    return !overlaps && lanesIn(all) == m_cursor.epoch * m_run.lanes() + m_cursor.position;
}

} // namespace commonweight::bench
