#pragma once
// What a simulated fleet is made of. Plain values; any thread.

#include "bench/fleet/laws.h"
#include "engine/work/run_config.h"

namespace commonweight::bench {

struct HostLaws {
    Law speed = Law::constant(2000);        ///< tokens a second
    Law up = Law::exponential(4 * 3600);    ///< from a start to the next interruption
    Law down = Law::logNormal(6 * 3600, 1); ///< from an interruption to the return
    Law uplink = Law::constant(20e6);       ///< bit a second
    Law downlink = Law::constant(100e6);    ///< bit a second
    double leavesForGood = 0;      ///< share of the interruptions after which a host never returns;
                                   ///< another one joins in its place
    double saysGoodbye = 0;        ///< share of the interruptions that leave the time to post
    double checkpointSeconds = 60; ///< work since the last checkpoint is lost otherwise
    double nightShare = 0; ///< share of the returns between midnight and seven, local time, that
                           ///< happen in the morning instead
};

struct ServerLaws {
    double meanSecondsToCrash = 0; ///< 0 = never
    Law repair = Law::constant(30);
    double mergeSeconds = 0.5;           ///< of each version
    double mergeSecondsPerResult = 0.05; ///< decode and add one contribution
};

struct Scenario {
    std::string name;
    std::uint64_t hosts = 8;
    std::uint64_t hostsPerRun = 8; ///< hosts that merge together; each run has a server of its own
    double seconds = 86'400;       ///< of virtual time
    HostLaws host;
    ServerLaws server;
    work::RunConfig run;      ///< batch, H, lanes, round policy
    double uploadBytes = 0;   ///< of a result
    double stepBytes = 0;     ///< download from the version before
    double snapshotBytes = 0; ///< download for whoever missed some versions
    std::uint64_t seed = 1;
};

} // namespace commonweight::bench
