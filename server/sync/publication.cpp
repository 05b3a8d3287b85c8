#include "server/sync/publication.h"

#include "engine/base/log.h"
#include "server/ledger/ledger.h"
#include "server/schedule/lane_book.h"

namespace commonweight::server {

/// The version as it comes about.
struct Publisher::Draft {
    const RunRecord& run;
    VersionRecord before;
    std::vector<ResultRecord> results;
    std::vector<exchange::Contribution> contributions;
    std::vector<double> weights;
    std::vector<MergeLogEntry> log; ///< of each fragment
    VersionRecord after{};
    bool runFinished = false;

    std::vector<MergeInput> inputs(std::size_t fragment) const
    {
        std::vector<MergeInput> list;
        for (std::size_t i = 0; i < results.size(); ++i)
            list.push_back({results[i].id, weights[i], contributions[i].staleness,
                            results[i].outerGradients[fragment].blob});
        return list;
    }
};

Result<Publication> Publisher::publish(const RunRecord& run)
{
    CW_TRY(auto before, m_store.version(run.id(), run.status.newestVersion));
    Draft draft{.run = run,
                .before = std::move(before),
                .results = {},
                .contributions = {},
                .weights = {},
                .log = {}};
    CW_CHECK(admitWaiting(draft));
    if (draft.weights.empty())
        return Publication{};
    if (const auto merged = mergeFragments(draft); !merged.ok()) {
        const auto kind = merged.error().kind;
        if (kind != ErrorKind::Corrupt && kind != ErrorKind::NotFound &&
            kind != ErrorKind::Protocol)
            return merged.error();
        CW_TRY(const bool found, setAsideDamaged(draft));
        return found ? Result<Publication>(Publication{}) : merged.error();
    }
    CW_CHECK(record(draft));
    Publication publication{.version = draft.after,
                            .results = draft.results.size(),
                            .tokens = 0,
                            .runFinished = draft.runFinished};
    publication.tokens = draft.after.tokensMerged - draft.before.tokensMerged;
    return publication;
}

/// Fills results, contributions and weights; what came too late leaves the buffer here.
Result<void> Publisher::admitWaiting(Draft& draft)
{
    const auto settings = outerSettings(draft.run.config());
    CW_TRY(auto waiting, m_store.waitingResults(draft.run.id()));
    for (auto& result : waiting) {
        const std::uint64_t staleness = draft.before.version - result.baseVersion;
        if (staleness > settings.maxStaleness) {
            CW_CHECK(setAside(draft.run, result, "it came too many versions late"));
            continue;
        }
        draft.contributions.push_back({.result = result.id,
                                       .account = result.host,
                                       .tokens = result.tokens,
                                       .steps = result.steps,
                                       .staleness = staleness});
        draft.results.push_back(std::move(result));
    }
    draft.weights = exchange::mergeWeights(draft.contributions, settings);
    return {};
}

Result<void> Publisher::mergeFragments(Draft& draft)
{
    const auto& run = draft.run;
    draft.after.version = draft.before.version + 1;
    for (const auto& fragment : run.definition->fragments) {
        MergeLogEntry entry;
        entry.settings = exchange::settingsOfMerge(draft.contributions, draft.weights,
                                                   outerSettings(run.config()));
        entry.inputs = draft.inputs(fragment.index);
        entry.before = draft.before.fragments[fragment.index];
        CW_TRY(auto state, readFragmentState(m_blobs, fragment, entry.before));
        CW_TRY(entry.report, mergeInputs(m_blobs, fragment, entry.inputs, entry.settings, state));
        CW_TRY(entry.after,
               storeFragment(m_blobs, fragment, state, run.id(), draft.after.version, true));
        draft.after.fragments.push_back(entry.after);
        draft.log.push_back(std::move(entry));
    }
    return {};
}

/// Credits a result that no version will contain, and returns its lanes.
Result<void> Publisher::setAside(const RunRecord& run, const ResultRecord& result,
                                 const std::string& reason)
{
    spdlog::warn("A result is not merged: {} (run {}, result {}, host {})", reason, run.id(),
                 result.id, result.host);
    const auto now = m_clock.wall();
    return m_store.atomically([&]() -> Result<void> {
        CW_TRY(const auto unit, m_store.unit(result.unit));
        CW_CHECK(m_store.markResult(result.id, ResultState::Credited, 0));
        CW_CHECK(returnLanes(m_store, unit, 0, reason, now));
        return recordCredit(m_store, result, reason, now);
    });
}

/// Whether a damaged result was found; then the others can be merged next time.
Result<bool> Publisher::setAsideDamaged(const Draft& draft)
{
    bool found = false;
    for (std::size_t i = 0; i < draft.results.size(); ++i)
        for (const auto& fragment : draft.run.definition->fragments) {
            const auto checked = checkInput(m_blobs, fragment, draft.inputs(fragment.index)[i]);
            if (checked.ok())
                continue;
            CW_CHECK(setAside(draft.run, draft.results[i],
                              "its files no longer read: " + checked.error().message));
            found = true;
            break;
        }
    return found;
}

Result<void> Publisher::record(Draft& draft)
{
    const auto& config = draft.run.config();
    draft.after.run = config.id;
    draft.after.created = m_clock.wall();
    draft.after.tokensMerged = draft.before.tokensMerged;
    for (const auto& result : draft.results)
        draft.after.tokensMerged += result.tokens;
    draft.after.resultsMerged = draft.before.resultsMerged + draft.results.size();
    draft.after.secondMoments = draft.before.secondMoments;
    draft.runFinished = draft.after.tokensMerged >= config.totalTokens;
    return m_store.atomically([&]() -> Result<void> {
        CW_CHECK(m_store.addVersion(draft.after));
        for (std::size_t i = 0; i < draft.log.size(); ++i)
            CW_CHECK(m_store.addMerge({config.id, draft.after.version, i, toJson(draft.log[i])}));
        CW_CHECK(recordResults(draft));
        CW_CHECK(m_store.setRound(config.id, {.openedAt = draft.after.created, .closesAt = {}}));
        if (draft.runFinished)
            CW_CHECK(m_store.setRunState(config.id, "finished"));
        return {};
    });
}

Result<void> Publisher::recordResults(Draft& draft)
{
    std::vector<MergedResult> merged;
    for (std::size_t i = 0; i < draft.results.size(); ++i) {
        const auto& result = draft.results[i];
        CW_CHECK(m_store.markResult(result.id, ResultState::Merged, draft.after.version));
        CW_TRY(auto lanes, mergeLanes(m_store, result.unit, draft.after.created));
        merged.push_back(
            {&result, draft.contributions[i].staleness, draft.weights[i], std::move(lanes)});
    }
    return recordMerge(m_store, draft.after, merged);
}

} // namespace commonweight::server
