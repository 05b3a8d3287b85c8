#include "server/sync/merge_settings.h"

#include "server/sync/merge_log.h"

namespace commonweight::server {

exchange::OuterSettings mergeSettings(const work::RunConfig& config,
                                      const std::vector<exchange::Contribution>& contributions,
                                      const std::vector<double>& weights)
{
    auto settings = outerSettings(config);
    const bool asItComes = config.round.target == 1;
    // With delayed-nesterov contributions come one by one, and momentum moves with every few.
    if (config.fineTune || (asItComes && config.outer.rule != "delayed-nesterov"))
        settings.momentum = 0;
    return exchange::settingsOfMerge(contributions, weights, settings);
}

} // namespace commonweight::server
