#pragma once
// With which settings a merge is done: those of the run, brought down to what came in. Pure; the
// merge log keeps the outcome, so that a replay need not know it.

#include "engine/exchange/merge.h"
#include "engine/work/run_config.h"

namespace commonweight::server {

/// No momentum for fine-tunes, and where every contribution makes a version of its own (a target of
/// one): it would point to where the model went already. Else exchange::settingsOfMerge(): the
/// staler the contributions, the less momentum.
exchange::OuterSettings mergeSettings(const work::RunConfig& config,
                                      const std::vector<exchange::Contribution>& contributions,
                                      const std::vector<double>& weights);

} // namespace commonweight::server
