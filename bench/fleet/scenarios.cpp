#include "bench/fleet/scenarios.h"

namespace commonweight::bench {

namespace {

constexpr double kYear = 365.0 * 86'400;
constexpr double kHour = 3600;
/// Means that bring the baselines to 27 % and 58 % at 1.2 M chips (a stop every 26.3 s).
constexpr double kRepairSeconds = 71;
constexpr double kElasticStopSeconds = 19;
constexpr double kWeibullShape = 0.8, kWeibullPower = 2;
constexpr double kHomeParameters = 125e6;

} // namespace

Scenario chipFleet(std::uint64_t chips, std::uint64_t learners, bool elastic)
{
    Scenario fleet;
    fleet.name = std::to_string(chips) + " chips, M = " + std::to_string(learners);
    fleet.hosts = fleet.hostsPerRun = learners;
    fleet.seconds = 48 * kHour;
    fleet.host.speed = Law::constant(1024 * 1024); // a step of 2^20 tokens each second
    fleet.host.up =
        Law::exponential(kYear * static_cast<double>(learners) / static_cast<double>(chips));
    fleet.host.down = Law::exponentiatedWeibull(elastic ? kElasticStopSeconds : kRepairSeconds,
                                                kWeibullShape, kWeibullPower);
    fleet.host.uplink = fleet.host.downlink = Law::constant(10e9);
    fleet.host.checkpointSeconds = 1; // the step at hand is lost; its other replicas hold the state
    fleet.uploadBytes = 2.5e9;        // 5 B parameters, int4
    fleet.stepBytes = 5e9;            // int8
    fleet.snapshotBytes = 20e9;
    fleet.server.mergeSeconds = 1;
    fleet.server.mergeSecondsPerResult = 0.1;
    fleet.run.microBatch = 16;
    fleet.run.sequenceLength = 65'536;
    fleet.run.stepsAtMost = 5000;
    fleet.run.round.seconds = 120;
    fleet.run.round.shiftOnArrival = true;
    fleet.run.totalTokens = 1ull << 52;
    return fleet;
}

Scenario homeFleet(std::uint64_t hosts)
{
    Scenario fleet;
    fleet.name = "homes";
    fleet.hosts = hosts;
    fleet.hostsPerRun = 50;
    fleet.seconds = 24 * kHour;
    fleet.host.speed = Law::logNormal(4000, 0.7);
    fleet.host.up = Law::logNormal(3 * kHour, 1);
    fleet.host.down = Law::logNormal(6 * kHour, 1);
    fleet.host.uplink = Law::logNormal(20e6, 0.5);
    fleet.host.downlink = Law::logNormal(100e6, 0.5);
    fleet.host.leavesForGood = 0.1;
    fleet.host.saysGoodbye = 0.7; // the owner needs it back; else it is switched off
    fleet.host.checkpointSeconds = 120;
    fleet.host.nightShare = 0.7;
    fleet.server.meanSecondsToCrash = 24 * kHour;
    fleet.server.repair = Law::logNormal(60, 0.5);
    fleet.server.mergeSeconds = 1;
    fleet.server.mergeSecondsPerResult = 0.2;
    fleet.uploadBytes = kHomeParameters * 4.06 / 8;
    fleet.stepBytes = kHomeParameters * 8.06 / 8;
    fleet.snapshotBytes = kHomeParameters * 4;
    fleet.run.microBatch = 4;
    fleet.run.accumulation = 8;
    fleet.run.sequenceLength = 1024;
    fleet.run.stepsAtMost = 2000; // the fastest are busy for a whole round
    fleet.run.round.shiftOnArrival = true;
    fleet.run.round.target = static_cast<std::uint32_t>(fleet.hostsPerRun);
    fleet.run.totalTokens = 1ull << 52;
    return fleet;
}

} // namespace commonweight::bench
