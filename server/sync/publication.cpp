#include "server/sync/publication.h"

#include "engine/base/log.h"
#include "server/ledger/ledger.h"
#include "server/schedule/lane_book.h"
#include "server/schedule/trust.h"
#include "server/sync/merge_settings.h"
#include "server/sync/second_moment_merge.h"
#include "server/sync/work_claim.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace commonweight::server {

/// The version as it comes about.
struct Publisher::Draft {
    const RunRecord& run;
    VersionRecord before;
    std::vector<ResultRecord> results;
    std::vector<exchange::Contribution> contributions;
    std::vector<double> weights;
    exchange::OuterSettings settings{};
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

Result<void> onThreads(std::size_t count, int threads,
                       const std::function<Result<void>(std::size_t)>& work)
{
    std::vector<std::optional<Error>> errors(count);
    std::atomic<std::size_t> next = 0;
    const auto run = [&] {
        for (std::size_t i = next++; i < count; i = next++)
            if (const auto done = work(i); !done.ok())
                errors[i] = done.error();
    };
    {
        std::vector<std::jthread> others;
        for (std::size_t i = 1; i < std::min(count, static_cast<std::size_t>(threads)); ++i)
            others.emplace_back(run);
        run();
    }
    for (const auto& error : errors)
        if (error)
            return *error;
    return {};
}

static int threadsOr(int threads)
{
    constexpr unsigned kAtMost = 8;
    return threads > 0
               ? threads
               : static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, kAtMost));
}

Publisher::Publisher(Store& store, BlobStore& blobs, const Clock& clock, int threads)
    : m_store(store), m_blobs(blobs), m_clock(clock), m_threads(threadsOr(threads))
{}

Result<Publication> Publisher::publish(const RunRecord& run)
{
    CW_TRY(const auto claim, WorkClaim::take(m_store, m_clock, publicationClaim(run.id())));
    if (!claim)
        return Publication{};
    CW_TRY(const auto current, m_store.run(run.id()));
    return publishClaimed(current);
}

Result<Publication> Publisher::publishClaimed(const RunRecord& run)
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
    CW_CHECK(mergeTable(draft));
    CW_CHECK(record(draft));
    Publication publication{.version = draft.after,
                            .results = draft.results.size(),
                            .tokens = 0,
                            .runFinished = draft.runFinished};
    publication.tokens = draft.after.tokensMerged - draft.before.tokensMerged;
    return publication;
}

/// Empty when it can be merged.
Result<std::string> Publisher::reasonAgainst(const Draft& draft, const ResultRecord& result,
                                             const HostRecord& host)
{
    if (draft.before.version - result.baseVersion > draft.settings.maxStaleness)
        return std::string("it came too many versions late");
    if (!host.quarantine.empty())
        return "its host is in quarantine: " + host.quarantine;
    CW_TRY(const auto base, m_store.version(draft.run.id(), result.baseVersion));
    return base.reverted ? std::string("the version that it starts from was rolled back")
                         : std::string();
}

/// Fills results, contributions, weights and settings; what must not be merged leaves the buffer
/// here.
Result<void> Publisher::admitWaiting(Draft& draft)
{
    const auto& config = draft.run.config();
    draft.settings = outerSettings(config);
    CW_TRY(auto waiting, m_store.waitingResults(draft.run.id()));
    for (auto& result : waiting) {
        CW_TRY(const auto host, m_store.host(result.host));
        CW_TRY(const auto reason, reasonAgainst(draft, result, host));
        if (!reason.empty()) {
            CW_CHECK(setAside(draft.run, result, reason));
            continue;
        }
        draft.contributions.push_back({.result = result.id,
                                       .account = result.host,
                                       .tokens = result.tokens,
                                       .steps = result.steps,
                                       .staleness = draft.before.version - result.baseVersion,
                                       .trust = trustOf(host.validatedUnits)});
        draft.results.push_back(std::move(result));
    }
    draft.weights = exchange::mergeWeights(draft.contributions, draft.settings);
    CW_CHECK(setAsideWeightless(draft));
    draft.settings = mergeSettings(config, draft.contributions, draft.weights);
    return {};
}

/// Contributions of no weight: late ones, where the rule takes only fresh ones.
Result<void> Publisher::setAsideWeightless(Draft& draft)
{
    for (std::size_t i = draft.results.size(); i-- > 0;) {
        if (!draft.weights.empty() && draft.weights[i] > 0)
            continue;
        CW_CHECK(setAside(draft.run, draft.results[i],
                          "it has no weight in a merge of the rule '" + draft.settings.rule + "'"));
        const auto at = static_cast<std::ptrdiff_t>(i);
        draft.results.erase(draft.results.begin() + at);
        draft.contributions.erase(draft.contributions.begin() + at);
        if (!draft.weights.empty())
            draft.weights.erase(draft.weights.begin() + at);
    }
    return {};
}

Result<void> Publisher::mergeFragments(Draft& draft)
{
    const auto count = draft.run.definition->fragments.size();
    draft.after.version = draft.before.version + 1;
    draft.after.fragments.resize(count);
    draft.log.resize(count);
    return onThreads(count, m_threads,
                     [&](std::size_t index) { return mergeFragment(draft, index); });
}

/// Touches nothing of the draft but this fragment's places.
Result<void> Publisher::mergeFragment(Draft& draft, std::size_t index)
{
    const auto& fragment = draft.run.definition->fragments[index];
    MergeLogEntry& entry = draft.log[index];
    entry.settings = draft.settings;
    entry.inputs = draft.inputs(index);
    entry.before = draft.before.fragments[index];
    CW_TRY(auto server, readServerFragment(m_blobs, fragment, entry.before));
    CW_TRY(entry.report,
           mergeInputs(m_blobs, fragment, entry.inputs, entry.settings, server.state));
    CW_TRY(entry.after,
           storeMerged(m_blobs, draft.run.config(), fragment, draft.after.version, server));
    draft.after.fragments[index] = entry.after;
    return {};
}

/// The anchor's second moments: as they were, or refreshed where hosts reported theirs. A table
/// that no longer reads costs the refresh, not the version.
Result<void> Publisher::mergeTable(Draft& draft)
{
    draft.after.secondMoments = draft.before.secondMoments;
    if (!draft.before.secondMoments)
        return {};
    TableStep step{.before = *draft.before.secondMoments, .after = {}, .inputs = {}};
    for (std::size_t i = 0; i < draft.results.size(); ++i)
        if (draft.results[i].secondMoments && draft.weights[i] > 0)
            step.inputs.push_back(
                {draft.results[i].id, draft.weights[i], *draft.results[i].secondMoments});
    if (step.inputs.empty())
        return {};
    const auto table =
        mergeTables(m_blobs, draft.run.definition->fragments, step.before, step.inputs);
    if (!table.ok()) {
        spdlog::warn("The second moments were not refreshed: {}", table.error().message);
        return {};
    }
    CW_TRY(step.after, putBlob(m_blobs, *table));
    draft.after.secondMoments = step.after;
    draft.log.front().table = std::move(step);
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
    // The one average at the end of a fine-tune is its end.
    draft.runFinished =
        draft.after.tokensMerged >= config.totalTokens || config.outer.rule == "once";
    return m_store.atomically([&]() -> Result<void> {
        CW_CHECK(m_store.addVersion(draft.after));
        for (std::size_t i = 0; i < draft.log.size(); ++i)
            CW_CHECK(m_store.addMerge({config.id, draft.after.version, i, toJson(draft.log[i])}));
        CW_CHECK(recordResults(draft));
        CW_CHECK(m_store.setRound(config.id, {.openedAt = draft.after.created, .closesAt = {}}));
        // Hosts that went on while they sent are in the next round already.
        CW_TRY(const auto counts, m_store.roundCounts(config.id, {}));
        if (counts.openUnits > 0)
            CW_CHECK(m_store.setRound(
                config.id, {.openedAt = draft.after.created,
                            .closesAt = draft.after.created +
                                        std::chrono::duration_cast<std::chrono::milliseconds>(
                                            Seconds{config.round.seconds})}));
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
        CW_CHECK(m_store.addValidatedUnit(result.host));
        CW_TRY(auto lanes, mergeLanes(m_store, result.unit, draft.after.created));
        merged.push_back(
            {&result, draft.contributions[i].staleness, draft.weights[i], std::move(lanes)});
    }
    return recordMerge(m_store, draft.after, merged);
}

} // namespace commonweight::server
