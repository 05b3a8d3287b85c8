#include "bench/fleet/lockstep.h"

#include <algorithm>
#include <limits>
#include <queue>

namespace commonweight::bench {

namespace {

struct Change {
    double time = 0;
    std::size_t host = 0;
    bool operator<(const Change& other) const { return time > other.time; }
};

struct Member {
    Random random{0};
    double speed = 0;
    bool up = true;
};

/// Tokens a second of all that step together; 0 when they may not.
double rateOf(const std::vector<Member>& members, bool elastic)
{
    double slowest = std::numeric_limits<double>::max();
    std::size_t count = 0;
    for (const auto& member : members)
        if (member.up) {
            slowest = std::min(slowest, member.speed);
            ++count;
        }
    if (count == 0 || (!elastic && count < members.size()))
        return 0;
    return slowest * static_cast<double>(count);
}

} // namespace

LockstepFigures lockstep(const Scenario& scenario, bool elastic, double changeSeconds)
{
    std::vector<Member> members(std::min(scenario.hosts, scenario.hostsPerRun));
    std::priority_queue<Change> changes;
    double allSpeed = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
        members[i].random = Random(scenario.seed, i);
        members[i].speed = scenario.host.speed.draw(members[i].random);
        allSpeed += members[i].speed;
        changes.push({scenario.host.up.draw(members[i].random), i});
    }
    double now = 0, steps = 0, whileUp = 0, resumesAt = 0;
    while (now < scenario.seconds) {
        const auto change = changes.top();
        changes.pop();
        const double until = std::min(change.time, scenario.seconds);
        double upSpeed = 0;
        for (const auto& member : members)
            upSpeed += member.up ? member.speed : 0;
        whileUp += upSpeed * (until - now);
        steps += rateOf(members, elastic) * std::max(0.0, until - std::max(now, resumesAt));
        now = until;
        auto& member = members[change.host];
        member.up = !member.up;
        resumesAt = now + changeSeconds;
        const auto& law = member.up ? scenario.host.up : scenario.host.down;
        changes.push({now + law.draw(member.random), change.host});
    }
    return {.goodput = steps / (allSpeed * scenario.seconds), .goodputWhileUp = steps / whileUp};
}

} // namespace commonweight::bench
