#include "bench/fleet/fleet.h"

#include "server/schedule/lane_order.h"

#include <algorithm>
#include <cmath>

namespace commonweight::bench {

namespace {

constexpr double kCallSeconds = 0.1;     ///< a request and its answer
constexpr double kRetrySeconds = 5;      ///< mean, while the server does not answer
constexpr double kLookShare = 0.02;      ///< of a round: how often the syncer looks after its close
constexpr std::uint64_t kChainSteps = 3; ///< further behind, the whole file is fewer bytes
constexpr double kDay = 86'400;
constexpr double kMorning = 7 * 3600;
constexpr std::uint64_t kShardLanes = 1u << 20;

} // namespace

Fleet::Fleet(const Scenario& scenario) : m_scenario(scenario)
{
    m_definition.config = m_scenario.run;
    server::ShardRecord shard;
    shard.lanes = kShardLanes;
    m_definition.shards.assign(64, shard);
    m_stepTokens =
        static_cast<double>(server::groupLanes(m_scenario.run) * m_scenario.run.sequenceLength);
    makeHosts();
}

void Fleet::makeHosts()
{
    const auto& laws = m_scenario.host;
    m_hosts.resize(m_scenario.hosts);
    const std::uint64_t runs =
        (m_scenario.hosts + m_scenario.hostsPerRun - 1) / m_scenario.hostsPerRun;
    for (std::uint32_t i = 0; i < runs; ++i) {
        m_runs.emplace_back(m_definition).random = Random(m_scenario.seed, (1ull << 40) + i);
        if (m_scenario.server.meanSecondsToCrash > 0)
            m_events.add(
                Law::exponential(m_scenario.server.meanSecondsToCrash).draw(m_runs.back().random),
                EventKind::ServerDies, i);
    }
    for (std::uint32_t i = 0; i < m_hosts.size(); ++i) {
        auto& host = m_hosts[i];
        host.random = Random(m_scenario.seed, i);
        host.run = static_cast<std::uint32_t>(i / m_scenario.hostsPerRun);
        host.speed = laws.speed.draw(host.random);
        host.uploadSeconds = 8 * m_scenario.uploadBytes / laws.uplink.draw(host.random);
        const double down = laws.downlink.draw(host.random);
        host.downloadSeconds = 8 * m_scenario.stepBytes / down;
        host.snapshotSeconds = 8 * m_scenario.snapshotBytes / down;
        m_runs[host.run].allSpeed += host.speed;
        // In the middle of its life: up or down as the laws' medians have it.
        const double up = laws.up.quantile(0.5), away = laws.down.quantile(0.5);
        const bool starts = host.random.uniform() < up / (up + away);
        m_events.add(starts ? host.random.uniform() : away * host.random.uniform(),
                     EventKind::Returns, i);
    }
}

FleetFigures Fleet::run()
{
    while (!m_events.isEmpty()) {
        const auto event = m_events.take();
        if (event.time > m_scenario.seconds)
            break;
        ++m_figures.events;
        handle(event);
    }
    for (auto& run : m_runs) {
        const auto& totals = run.book.totals();
        auto& sum = m_figures.totals;
        sum.versions += totals.versions;
        sum.units += totals.units;
        sum.results += totals.results;
        sum.stale += totals.stale;
        sum.credited += totals.credited;
        sum.expired += totals.expired;
        sum.tokensMerged += totals.tokensMerged;
        sum.tokensCredited += totals.tokensCredited;
        sum.weightLost += totals.weightLost;
        m_figures.tokensWhileUp += run.tokensWhileUp;
        m_figures.tokensAlwaysUp += run.allSpeed * run.lastVersionAt;
        m_figures.lanesAddUp = m_figures.lanesAddUp && run.book.lanesAddUp();
    }
    return m_figures;
}

void Fleet::handle(const Event& event)
{
    const double now = event.time;
    switch (event.kind) {
    case EventKind::Posts:
        return post(event.subject, now);
    case EventKind::RoundLook:
        if (now >= m_runs[event.subject].looksAt)
            m_runs[event.subject].looksAt = -1;
        return look(event.subject, now);
    case EventKind::MergeEnds:
        if (event.serial == m_runs[event.subject].serial)
            publish(event.subject, now);
        return;
    case EventKind::ServerDies: {
        auto& run = m_runs[event.subject];
        ++run.serial;
        ++m_figures.serverCrashes;
        run.book.abandonMerge();
        run.backAt = now + m_scenario.server.repair.draw(run.random);
        m_events.add(run.backAt, EventKind::ServerBack, event.subject);
        return;
    }
    case EventKind::ServerBack: {
        auto& run = m_runs[event.subject];
        m_events.add(now + Law::exponential(m_scenario.server.meanSecondsToCrash).draw(run.random),
                     EventKind::ServerDies, event.subject);
        return look(event.subject, now);
    }
    default:
        return handleHost(event);
    }
}

void Fleet::handleHost(const Event& event)
{
    const auto id = event.subject;
    if (event.kind == EventKind::Returns)
        return comeBack(id, event.time);
    if (event.kind == EventKind::Interrupted)
        return interrupt(id, event.time);
    if (event.serial != m_hosts[id].serial)
        return;
    if (event.kind == EventKind::Asks)
        ask(id, event.time);
    else
        endUnit(id, event.time);
}

// A host's life

void Fleet::account(Run& run, double now)
{
    run.upTokens += run.upSpeed * (now - run.upUntil);
    run.upUntil = now;
}

void Fleet::comeBack(std::uint32_t id, double now)
{
    auto& host = m_hosts[id];
    auto& run = m_runs[host.run];
    account(run, now);
    run.upSpeed += host.speed;
    host.up = true;
    ++host.serial;
    m_events.add(now + m_scenario.host.up.draw(host.random), EventKind::Interrupted, id);
    if (host.unit.number == 0)
        return m_events.add(now + kCallSeconds, EventKind::Asks, id, host.serial);
    const double ends = host.unit.closesAt - host.uploadSeconds;
    if (now >= ends) { // the round is over: it posts what the checkpoint holds
        send(id, now);
        return m_events.add(now + kCallSeconds, EventKind::Asks, id, host.serial);
    }
    host.training = true;
    host.trainedFrom = now;
    m_events.add(std::min(ends, now +
                                    static_cast<double>(host.unit.stepsAtMost) * stepSeconds(host) -
                                    host.secondsDone),
                 EventKind::TrainEnds, id, host.serial);
}

void Fleet::interrupt(std::uint32_t id, double now)
{
    auto& host = m_hosts[id];
    auto& run = m_runs[host.run];
    const auto& laws = m_scenario.host;
    account(run, now);
    run.upSpeed -= host.speed;
    ++m_figures.interruptions;
    ++host.serial;
    host.up = false;
    if (host.training) {
        host.training = false;
        host.secondsDone += now - host.trainedFrom;
        if (host.random.uniform() < laws.saysGoodbye)
            send(id, now);
        else if (laws.checkpointSeconds > 0) // since the last checkpoint all is lost
            host.secondsDone =
                std::floor(host.secondsDone / laws.checkpointSeconds) * laws.checkpointSeconds;
    }
    if (host.random.uniform() < laws.leavesForGood) {
        host.unit = {}; // another computer takes its place; nobody gives this unit back
        host.secondsDone = 0;
        host.holds = 0;
        host.knownSpeed = 0;
    }
    double back = now + laws.down.draw(host.random);
    const double localTime = std::fmod(back + host.run * 977.0, kDay);
    if (localTime < kMorning && host.random.uniform() < laws.nightShare)
        back += kMorning - localTime;
    m_events.add(back, EventKind::Returns, id);
}

void Fleet::ask(std::uint32_t id, double now)
{
    auto& host = m_hosts[id];
    auto& run = m_runs[host.run];
    if (now < run.backAt)
        return m_events.add(now + kRetrySeconds * 2 * host.random.uniform(), EventKind::Asks, id,
                            host.serial);
    run.book.expire(now);
    IssuedUnit unit;
    const bool ran = run.book.closesAt().has_value();
    const RoundBook::Caller caller{id, host.knownSpeed != 0 ? host.speed : 0,
                                   now < host.sendsUntil ? host.sends : 0};
    const auto offer = run.book.offer(caller, now, unit);
    if (offer.kind == server::OfferKind::Wait)
        return park(id, offer.retryAfter.count(), now);
    if (!ran)
        planLook(host.run, *run.book.closesAt());
    begin(id, unit, now);
}

/// The server told it when to ask again. Nothing changes for it before the next version, so only
/// the first of its calls after that is simulated; these come at random within its interval.
void Fleet::park(std::uint32_t id, double retry, double now)
{
    auto& run = m_runs[m_hosts[id].run];
    if (!run.book.closesAt() && !run.book.isMerging())
        return m_events.add(now + retry, EventKind::Asks, id, m_hosts[id].serial);
    run.parked.push_back({id, m_hosts[id].serial, retry});
}

void Fleet::begin(std::uint32_t id, const IssuedUnit& unit, double now)
{
    auto& host = m_hosts[id];
    double arrives = now; // who may shift goes on from where it is
    if (unit.round == unit.version) {
        const bool near = host.holds != 0 && unit.version - host.holds <= kChainSteps;
        const double steps = near ? static_cast<double>(unit.version - host.holds) : 0;
        arrives += near ? steps * host.downloadSeconds : host.snapshotSeconds;
        host.holds = unit.version;
    }
    host.unit = unit;
    host.secondsDone = 0;
    host.training = true;
    host.trainedFrom = arrives;
    const double allSteps = arrives + static_cast<double>(unit.stepsAtMost) * stepSeconds(host);
    m_events.add(std::max(arrives, std::min(unit.closesAt - host.uploadSeconds, allSteps)),
                 EventKind::TrainEnds, id, host.serial);
}

/// The version that its outer gradient is against: a unit that may shift moves onto the newest one
/// when that has arrived.
std::uint64_t Fleet::baseOf(const Host& host, double now) const
{
    const auto& run = m_runs[host.run];
    const bool arrived = run.lastVersionAt + host.downloadSeconds <= now;
    const bool shifts = host.unit.round > host.unit.version && arrived;
    return shifts ? std::max(host.unit.version, run.book.version()) : host.unit.version;
}

std::uint64_t Fleet::stepsOf(const Host& host, double seconds) const
{
    return std::min(host.unit.stepsAtMost,
                    static_cast<std::uint64_t>(std::max(0.0, seconds) / stepSeconds(host)));
}

void Fleet::endUnit(std::uint32_t id, double now)
{
    auto& host = m_hosts[id];
    if (host.training)
        host.secondsDone += std::max(0.0, now - host.trainedFrom);
    host.training = false;
    send(id, now);
    m_events.add(now + kCallSeconds, EventKind::Asks, id, host.serial);
}

/// What it has goes out in the background, if it is enough to count.
void Fleet::send(std::uint32_t id, double now)
{
    auto& host = m_hosts[id];
    const auto steps = stepsOf(host, host.secondsDone);
    m_figures.trained += static_cast<double>(steps) * m_stepTokens;
    const auto unit = host.unit;
    const auto base = baseOf(host, now);
    host.holds = std::max(host.holds, base);
    host.unit = {};
    host.secondsDone = 0;
    if (steps < std::max<std::uint64_t>(1, unit.stepsAtLeast)) {
        m_runs[host.run].book.giveBack(unit.number);
        return;
    }
    const Upload upload{{id, base, unit.number, steps}, host.run};
    host.sendsUntil = now + host.uploadSeconds + kCallSeconds;
    host.sends = unit.number;
    std::uint32_t slot;
    if (m_freeUploads.empty()) {
        slot = static_cast<std::uint32_t>(m_uploads.size());
        m_uploads.push_back(upload);
    } else {
        slot = m_freeUploads.back();
        m_freeUploads.pop_back();
        m_uploads[slot] = upload;
    }
    m_events.add(host.sendsUntil, EventKind::Posts, slot);
}

void Fleet::post(std::uint32_t slot, double now)
{
    const auto upload = m_uploads[slot];
    auto& run = m_runs[upload.run];
    if (now < run.backAt) // tus: the upload goes on where it was
        return m_events.add(now + kRetrySeconds * 2 * run.random.uniform(), EventKind::Posts, slot);
    m_freeUploads.push_back(slot);
    run.book.expire(now);
    run.book.post(upload.result, now);
    m_hosts[upload.result.host].knownSpeed = 1;
    look(upload.run, now);
}

// A run's server

void Fleet::look(std::uint32_t id, double now)
{
    auto& run = m_runs[id];
    if (now < run.backAt || run.book.isMerging())
        return;
    run.book.expire(now);
    const auto action = run.book.decide(now);
    if (action == server::RoundAction::Merge)
        return merge(id, now);
    if (action == server::RoundAction::StopClock) {
        run.book.stopClock();
        return wake(run, now);
    }
    const auto closes = run.book.closesAt();
    if (closes && now >= *closes)
        planLook(id, now + kLookShare * m_scenario.run.round.seconds);
}

void Fleet::planLook(std::uint32_t id, double time)
{
    auto& run = m_runs[id];
    if (run.looksAt >= 0 && run.looksAt <= time)
        return;
    run.looksAt = time;
    m_events.add(time, EventKind::RoundLook, id);
}

void Fleet::merge(std::uint32_t id, double now)
{
    auto& run = m_runs[id];
    const auto results = static_cast<double>(run.book.beginMerge(now));
    const auto& laws = m_scenario.server;
    m_events.add(now + laws.mergeSeconds + results * laws.mergeSecondsPerResult,
                 EventKind::MergeEnds, id, run.serial);
}

void Fleet::publish(std::uint32_t id, double now)
{
    auto& run = m_runs[id];
    run.book.publish(now);
    account(run, now);
    run.lastVersionAt = now;
    run.tokensWhileUp = run.upTokens;
    if (const auto closes = run.book.closesAt())
        planLook(id, *closes);
    wake(run, now);
    look(id, now);
}

void Fleet::wake(Run& run, double now)
{
    for (const auto& parked : run.parked)
        m_events.add(now + parked.retry * m_hosts[parked.host].random.uniform(), EventKind::Asks,
                     parked.host, parked.serial);
    run.parked.clear();
}

} // namespace commonweight::bench
