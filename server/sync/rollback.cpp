#include "server/sync/rollback.h"

#include "engine/base/log.h"
#include "engine/exchange/codec.h"
#include "server/ledger/ledger.h"
#include "server/schedule/lane_book.h"
#include "server/sync/replay.h"
#include "server/sync/work_claim.h"

#include <algorithm>
#include <map>

namespace commonweight::server {

namespace {

class Rollback {
public:
    Rollback(Store& store, BlobStore& blobs, const Clock& clock, RunRecord run,
             const RollbackOrder& order)
        : m_store(store), m_blobs(blobs), m_clock(clock), m_run(std::move(run)), m_order(order)
    {}

    Result<RollbackReport> make()
    {
        CW_CHECK(choose());
        CW_CHECK(restore());
        CW_CHECK(rebuild());
        CW_CHECK(m_store.atomically([this] { return record(); }));
        return m_report;
    }

private:
    bool isSuspect(const ResultRecord& result) const
    {
        return std::find(m_order.suspects.begin(), m_order.suspects.end(), result.host) !=
               m_order.suspects.end();
    }
    bool isKept(const ResultRecord& result) const
    {
        return m_order.keepOthers && !isSuspect(result);
    }

    Result<void> choose()
    {
        const std::uint64_t newest = m_run.status.newestVersion;
        if (m_order.good >= newest)
            return Error{ErrorKind::Protocol, "version " + std::to_string(m_order.good) +
                                                  " is not older than the newest one, " +
                                                  std::to_string(newest)};
        CW_TRY(m_good, m_store.version(m_run.id(), m_order.good));
        if (m_good.reverted)
            return Error{ErrorKind::Protocol, "version " + std::to_string(m_order.good) +
                                                  " was rolled back itself: choose another"};
        CW_TRY(m_newest, m_store.version(m_run.id(), newest));
        m_report.firstReverted = m_order.good + 1;
        m_report.lastReverted = newest;
        CW_TRY(m_results,
               m_store.mergedResults(m_run.id(), m_report.firstReverted, m_report.lastReverted));
        for (const auto& result : m_results)
            m_byId[result.id] = &result;
        return {};
    }

    /// The old version's files under a new number: nobody who has them downloads anything.
    Result<void> restore()
    {
        CW_TRY(m_states, stateOf(m_store, m_blobs, m_run, m_order.good));
        if (!isStored(m_blobs, m_good))
            CW_CHECK(storeAgain());
        VersionRecord& version = m_report.restored;
        version = m_good;
        version.version = m_newest.version + 1;
        version.created = m_clock.wall();
        version.restored = m_order.good;
        for (std::size_t i = 0; i < version.fragments.size(); ++i) {
            version.fragments[i].delta.reset();
            MergeLogEntry entry;
            entry.before = m_newest.fragments[i];
            entry.after = version.fragments[i];
            entry.restored = m_order.good;
            m_restoredLog.push_back(std::move(entry));
        }
        return {};
    }

    /// A version whose files were removed, from what it was rebuilt to.
    Result<void> storeAgain()
    {
        // The files bear the number under which their content was first published.
        std::uint64_t version = m_good.version;
        for (auto restored = m_good.restored; restored;) {
            version = *restored;
            CW_TRY(const auto older, m_store.version(m_run.id(), version));
            restored = older.restored;
        }
        for (const auto& fragment : m_run.definition->fragments) {
            const auto& server = m_states[fragment.index];
            const auto& known = m_good.fragments[fragment.index];
            for (const auto* values :
                 {&server.published, &server.state.parameters, &server.state.momentum})
                CW_CHECK(
                    m_blobs.put(exchange::writeParameters(fragment, *values, m_run.id(), version)));
            if (!m_blobs.size(known.parameters.sha256).ok())
                return Error{ErrorKind::Corrupt,
                             "version " + std::to_string(m_order.good) + " could not be rebuilt"};
        }
        return {};
    }

    /// The others' part of a merge, with the weights that it had among them.
    MergeStep withoutSuspects(const MergeStep& step) const
    {
        MergeStep rest{step.settings, {}, {}};
        for (const auto& input : step.inputs) {
            const auto result = m_byId.find(input.result);
            if (result != m_byId.end() && isKept(*result->second))
                rest.inputs.push_back(input);
        }
        const bool weighs = std::any_of(rest.inputs.begin(), rest.inputs.end(),
                                        [](const auto& input) { return input.weight > 0; });
        return weighs ? rest : MergeStep{};
    }

    /// What is left of the undone versions' merges of one fragment, in order.
    Result<std::vector<MergeStep>> stepsOf(std::size_t index)
    {
        std::vector<MergeStep> steps;
        for (auto v = m_report.firstReverted; v <= m_report.lastReverted; ++v) {
            CW_TRY(const auto log, m_store.merges(m_run.id(), v));
            if (index >= log.size())
                continue;
            CW_TRY(const auto entry, mergeLogEntryFromJson(log[index].body));
            std::vector<MergeStep> all{{entry.settings, entry.inputs, entry.report}};
            all.insert(all.end(), entry.more.begin(), entry.more.end());
            for (const auto& step : all)
                if (auto rest = withoutSuspects(step); !rest.inputs.empty())
                    steps.push_back(std::move(rest));
        }
        return steps;
    }

    Result<void> rebuild()
    {
        VersionRecord version = m_report.restored;
        version.version += 1;
        version.restored.reset();
        for (const auto& fragment : m_run.definition->fragments) {
            CW_TRY(auto steps, stepsOf(fragment.index));
            if (steps.empty())
                return {};
            auto& server = m_states[fragment.index];
            for (auto& step : steps) {
                CW_TRY(step.report,
                       mergeInputs(m_blobs, fragment, step.inputs, step.settings, server.state));
            }
            MergeLogEntry entry;
            entry.settings = steps.front().settings;
            entry.inputs = steps.front().inputs;
            entry.report = steps.front().report;
            entry.more.assign(steps.begin() + 1, steps.end());
            entry.before = m_report.restored.fragments[fragment.index];
            CW_TRY(entry.after,
                   storeMerged(m_blobs, m_run.config(), fragment, version.version, server));
            version.fragments[fragment.index] = entry.after;
            m_rebuiltLog.push_back(std::move(entry));
        }
        for (const auto& result : m_results)
            if (isKept(result)) {
                version.tokensMerged += result.tokens;
                version.resultsMerged += 1;
            }
        m_report.rebuilt = version;
        return {};
    }

    Result<void> record()
    {
        CW_CHECK(recordVersion(m_report.restored, m_restoredLog));
        if (m_report.rebuilt)
            CW_CHECK(recordVersion(*m_report.rebuilt, m_rebuiltLog));
        CW_CHECK(m_store.markReverted(m_run.id(), m_report.firstReverted, m_report.lastReverted));
        for (const auto& result : m_results)
            CW_CHECK(m_report.rebuilt && isKept(result) ? keep(result) : drop(result));
        for (const auto& host : m_order.suspects)
            CW_CHECK(m_store.setQuarantine(host, m_order.reason));
        const RollbackRecord rollback{.run = m_run.id(),
                                      .version = m_report.restored.version,
                                      .restored = m_order.good,
                                      .firstReverted = m_report.firstReverted,
                                      .lastReverted = m_report.lastReverted,
                                      .suspects = m_order.suspects,
                                      .reason = m_order.reason,
                                      .created = m_report.restored.created};
        CW_CHECK(m_store.addRollback(rollback));
        CW_CHECK(recordRollback(m_store, rollback));
        CW_CHECK(
            m_store.setRound(m_run.id(), {.openedAt = m_report.restored.created, .closesAt = {}}));
        // The end of the run may have come with what was undone.
        const auto& newest = m_report.rebuilt.value_or(m_report.restored);
        if (m_run.status.state == "finished" && newest.tokensMerged < m_run.config().totalTokens)
            return m_store.setRunState(m_run.id(), "running");
        return {};
    }

    Result<void> recordVersion(const VersionRecord& version, const std::vector<MergeLogEntry>& log)
    {
        CW_CHECK(m_store.addVersion(version));
        for (std::size_t i = 0; i < log.size(); ++i)
            CW_CHECK(m_store.addMerge({m_run.id(), version.version, i, toJson(log[i])}));
        return {};
    }

    Result<void> keep(const ResultRecord& result)
    {
        ++m_report.resultsKept;
        return m_store.remarkResult(result.id, ResultState::Merged, m_report.rebuilt->version);
    }

    /// Its text goes to others.
    Result<void> drop(const ResultRecord& result)
    {
        ++m_report.resultsDropped;
        CW_CHECK(m_store.remarkResult(result.id, ResultState::Reverted, result.mergedVersion));
        CW_TRY(const auto unit, m_store.unit(result.unit));
        return returnLanes(m_store, unit, 0, "its version was rolled back",
                           m_report.restored.created);
    }

    Store& m_store;
    BlobStore& m_blobs;
    const Clock& m_clock;
    const RunRecord m_run;
    const RollbackOrder& m_order;
    VersionRecord m_good;
    VersionRecord m_newest;
    std::vector<ResultRecord> m_results; ///< merged since the good version
    std::map<std::string, const ResultRecord*> m_byId;
    std::vector<ServerFragment> m_states;
    std::vector<MergeLogEntry> m_restoredLog;
    std::vector<MergeLogEntry> m_rebuiltLog;
    RollbackReport m_report;
};

} // namespace

Result<RollbackReport> rollBack(Store& store, BlobStore& blobs, const Clock& clock,
                                const RunRecord& run, const RollbackOrder& order)
{
    CW_TRY(const auto claim, WorkClaim::take(store, clock, publicationClaim(run.id())));
    if (!claim)
        return Error{ErrorKind::Timeout,
                     "the server publishes a version at this moment; try again"};
    CW_TRY(auto current, store.run(run.id()));
    CW_TRY(auto report, Rollback(store, blobs, clock, std::move(current), order).make());
    spdlog::warn("{} is back at version {}, now called {}: {} ({} contribution(s) dropped, {} "
                 "merged again, {} host(s) in quarantine)",
                 run.config().name, order.good, report.restored.version, order.reason,
                 report.resultsDropped, report.resultsKept, order.suspects.size());
    return report;
}

} // namespace commonweight::server
