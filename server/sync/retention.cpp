#include "server/sync/retention.h"

#include <algorithm>

namespace commonweight::server {

bool isSnapshot(const work::RunConfig& config, std::uint64_t version)
{
    return version % config.downlink.snapshotEvery == 0;
}

RetentionRule retentionOf(const RunRecord& run, const RetentionOptions& options,
                          std::optional<std::uint64_t> lastGood)
{
    if (options.snapshots == 0)
        return {};
    const std::uint64_t newest = run.status.newestVersion;
    const std::uint64_t every = run.config().downlink.snapshotEvery;
    const std::uint64_t used = std::uint64_t{run.config().round.maxStaleness} + 1;
    RetentionRule rule;
    rule.anchorsFrom = newest - std::min(newest, used);
    std::uint64_t snapshot = newest / every * every;
    for (std::uint32_t i = 0; i < options.snapshots; ++i, snapshot -= every) {
        rule.starts.push_back(snapshot);
        rule.replayFrom = snapshot;
        if (snapshot == 0)
            break;
    }
    if (lastGood)
        rule.starts.push_back(*lastGood);
    return rule;
}

} // namespace commonweight::server
