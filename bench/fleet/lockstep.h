#pragma once
// The baselines of a fleet: synchronous data-parallel training, which stands still while anything
// is down, and elastic data-parallel training, which goes on with what is left after each change.
// Pure functions of the scenario.

#include "bench/fleet/scenario.h"

namespace commonweight::bench {

struct LockstepFigures {
    double goodput = 0;        ///< of what an always-up fleet trains, each host at its own speed
    double goodputWhileUp = 0; ///< of what hosts could have trained while they were up
};

/// All hosts of one run step together, as fast as the slowest. Every change of who is up costs
/// `changeSeconds`; without `elastic` there is no step while a host is down.
LockstepFigures lockstep(const Scenario& scenario, bool elastic, double changeSeconds);

} // namespace commonweight::bench
