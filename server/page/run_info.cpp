#include "server/page/run_info.h"

namespace commonweight::server {

static constexpr int kContributorsShown = 100;

Result<work::ProjectInfo> projectInfo(Store& store, const PublicKey& key, std::uint64_t uploadLimit)
{
    CW_TRY(const auto project, store.project());
    CW_TRY(const auto runs, store.runs());
    work::ProjectInfo info;
    info.name = project.name;
    info.description = project.description;
    info.terms = project.terms;
    info.key = key;
    info.uploadLimit = uploadLimit;
    for (const auto& run : runs)
        info.runs.push_back({run.id(), run.config().name, run.status.state});
    return info;
}

Result<work::RunInfo> runInfo(Store& store, const std::string& id)
{
    work::RunInfo info;
    // One transaction, so that the version and what is said about it fit together.
    CW_CHECK(store.atomically([&]() -> Result<void> {
        CW_TRY(const auto run, store.run(id));
        CW_TRY(const auto version, store.version(id, run.status.newestVersion));
        CW_TRY(const auto counts, store.roundCounts(id, {}));
        info.id = id;
        info.name = run.config().name;
        info.state = run.status.state;
        info.model = run.config().model;
        for (const auto& fragment : run.definition->fragments)
            info.parameters += static_cast<std::uint64_t>(fragment.elements());
        info.newest.version = version.version;
        for (std::size_t i = 0; i < version.fragments.size(); ++i)
            info.newest.fragments.push_back(
                {static_cast<std::uint32_t>(i), version.fragments[i].parameters});
        info.newest.secondMoments = version.secondMoments;
        CW_TRY(info.newest.chain, store.chainTo(id, version.version));
        info.tokensMerged = version.tokensMerged;
        info.tokensTotal = run.config().totalTokens;
        info.resultsMerged = version.resultsMerged;
        info.activeHosts = counts.activeHosts;
        CW_TRY(info.losses, store.losses(id));
        CW_TRY(info.contributors, store.contributors(id, kContributorsShown));
        return {};
    }));
    return info;
}

} // namespace commonweight::server
