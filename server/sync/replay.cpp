#include "server/sync/replay.h"

#include "engine/exchange/codec.h"
#include "server/sync/retention.h"
#include "server/sync/second_moment_merge.h"

#include <algorithm>
#include <set>

namespace commonweight::server {

namespace {

/// Every fragment's state, carried from version to version without looking at what was published in
/// between.
class Replay {
public:
    Replay(Store& store, BlobStore& blobs, const RunRecord& run)
        : m_store(store), m_blobs(blobs), m_run(run)
    {}

    Result<void> start(const VersionRecord& first, std::uint64_t last)
    {
        CW_TRY(m_states, read(first));
        m_table = first.secondMoments;
        for (std::uint64_t version = first.version + 1; version <= last; ++version) {
            CW_TRY(const auto record, m_store.version(m_run.id(), version));
            if (record.restored)
                m_wanted.insert(*record.restored);
        }
        remember(first.version);
        return {};
    }

    Result<ReplayedVersion> step(std::uint64_t version)
    {
        CW_TRY(const auto log, m_store.merges(m_run.id(), version));
        if (log.size() != m_states.size())
            return Error{ErrorKind::NotFound,
                         "the merge log of version " + std::to_string(version) + " is incomplete"};
        ReplayedVersion replayed{.version = version, .results = 0, .equal = true};
        for (std::size_t i = 0; i < log.size(); ++i) {
            CW_TRY(const auto entry, mergeLogEntryFromJson(log[i].body));
            CW_TRY(const bool equal,
                   entry.restored ? restore(i, entry, version) : mergeOne(i, entry, version));
            CW_TRY(const bool sameTable, mergeTable(entry));
            replayed.results = entry.inputs.size();
            for (const auto& more : entry.more)
                replayed.results += more.inputs.size();
            replayed.equal = replayed.equal && equal && sameTable;
        }
        CW_TRY(const auto record, m_store.version(m_run.id(), version));
        if (!m_table)
            m_table = record.secondMoments; // the first one comes with the warm-up, nothing made it
        replayed.equal = replayed.equal && record.secondMoments == m_table;
        remember(version);
        return replayed;
    }

    std::vector<ServerFragment> takeStates() { return std::move(m_states); }

private:
    struct Remembered {
        std::vector<ServerFragment> states;
        std::optional<work::BlobRef> table;
    };

    Result<std::vector<ServerFragment>> read(const VersionRecord& version)
    {
        std::vector<ServerFragment> states;
        for (const auto& fragment : m_run.definition->fragments) {
            CW_TRY(auto state,
                   readServerFragment(m_blobs, fragment, version.fragments[fragment.index]));
            states.push_back(std::move(state));
        }
        return states;
    }

    void remember(std::uint64_t version)
    {
        if (m_wanted.contains(version))
            m_remembered[version] = {m_states, m_table};
    }

    /// What was restored is a version of this replay, or one from before its start.
    Result<const Remembered*> remembered(std::uint64_t version)
    {
        if (const auto known = m_remembered.find(version); known != m_remembered.end())
            return &known->second;
        CW_TRY(const auto record, m_store.version(m_run.id(), version));
        CW_TRY(auto states, read(record));
        return &(m_remembered[version] = {std::move(states), record.secondMoments});
    }

    Result<bool> restore(std::size_t index, const MergeLogEntry& entry, std::uint64_t version)
    {
        CW_TRY(const auto* old, remembered(*entry.restored));
        m_states[index] = old->states[index];
        m_table = old->table;
        CW_TRY(const auto record, m_store.version(m_run.id(), *entry.restored));
        auto expected = record.fragments[index];
        expected.delta.reset();
        CW_TRY(const auto now, m_store.version(m_run.id(), version));
        return entry.after == expected && now.fragments[index] == expected;
    }

    Result<bool> mergeOne(std::size_t index, const MergeLogEntry& entry, std::uint64_t version)
    {
        const auto& fragment = m_run.definition->fragments[index];
        auto& server = m_states[index];
        CW_CHECK(mergeInputs(m_blobs, fragment, entry.inputs, entry.settings, server.state));
        for (const auto& more : entry.more)
            CW_CHECK(mergeInputs(m_blobs, fragment, more.inputs, more.settings, server.state));
        if (!entry.after.momentum) {
            // Dropped after the merge: the warm-up's.
            server.state.momentum.assign(server.state.momentum.size(), 0);
            server.state.opposed = 0;
        }
        if (entry.after.delta)
            CW_CHECK(publishStep(m_run.config(), fragment, version, server));
        else
            server.published = server.state.parameters;
        const auto hashOf = [&](std::span<const float> values) {
            return sha256(exchange::writeParameters(fragment, values, m_run.id(), version));
        };
        const auto fits = [&](const std::optional<work::BlobRef>& ref,
                              std::span<const float> values) {
            return !ref || ref->sha256 == hashOf(values);
        };
        return hashOf(server.published) == entry.after.parameters.sha256 &&
               fits(entry.after.exact, server.state.parameters) &&
               fits(entry.after.momentum, server.state.momentum) &&
               server.state.opposed == entry.after.opposed;
    }

    Result<bool> mergeTable(const MergeLogEntry& entry)
    {
        if (!entry.table)
            return true;
        if (m_table != entry.table->before)
            return false;
        CW_TRY(const auto table, mergeTables(m_blobs, m_run.definition->fragments,
                                             entry.table->before, entry.table->inputs));
        m_table = work::BlobRef{sha256(table), table.size()};
        return m_table == entry.table->after;
    }

    Store& m_store;
    BlobStore& m_blobs;
    const RunRecord& m_run;
    std::vector<ServerFragment> m_states;
    std::optional<work::BlobRef> m_table;
    std::set<std::uint64_t> m_wanted; ///< versions that a later one restores
    std::map<std::uint64_t, Remembered> m_remembered;
};

/// Whether everything that the merge of a version took is still kept.
Result<bool> hasInputs(Store& store, BlobStore& blobs, const std::string& run,
                       std::uint64_t version)
{
    CW_TRY(const auto log, store.merges(run, version));
    for (const auto& line : log) {
        CW_TRY(const auto entry, mergeLogEntryFromJson(line.body));
        std::vector<MergeInput> inputs = entry.inputs;
        for (const auto& more : entry.more)
            inputs.insert(inputs.end(), more.inputs.begin(), more.inputs.end());
        for (const auto& input : inputs)
            if (!blobs.size(input.outerGradient.sha256).ok())
                return false;
    }
    return true;
}

/// The newest start at or before `version` whose files are kept.
Result<VersionRecord> startBefore(Store& store, BlobStore& blobs, const RunRecord& run,
                                  std::uint64_t version)
{
    for (std::uint64_t start = version;; --start) {
        CW_TRY(auto record, store.version(run.id(), start));
        if (isStored(blobs, record))
            return record;
        if (start == 0)
            return Error{ErrorKind::NotFound, "version " + std::to_string(version) +
                                                  " was removed, and nothing is kept that it could "
                                                  "be rebuilt from"};
    }
}

} // namespace

Result<std::uint64_t> replayStart(Store& store, BlobStore& blobs, const RunRecord& run)
{
    // Down from the newest for as long as every merge can be made again.
    std::optional<std::uint64_t> start;
    for (std::uint64_t version = run.status.newestVersion;; --version) {
        CW_TRY(const auto record, store.version(run.id(), version));
        const bool newest = version == run.status.newestVersion;
        if ((newest || isSnapshot(run.config(), version)) && isStored(blobs, record))
            start = version;
        if (version == 0)
            break;
        CW_TRY(const bool goesOn, hasInputs(store, blobs, run.id(), version));
        if (!goesOn)
            break;
    }
    if (start)
        return *start;
    return Error{ErrorKind::NotFound, "no version is kept from which the others can be rebuilt"};
}

Result<void> replayRun(Store& store, BlobStore& blobs, const RunRecord& run, std::uint64_t last,
                       const std::function<void(const ReplayedVersion&)>& visit)
{
    CW_TRY(const auto start, replayStart(store, blobs, run));
    CW_TRY(const auto first, store.version(run.id(), start));
    Replay replay(store, blobs, run);
    CW_CHECK(replay.start(first, last));
    for (std::uint64_t version = first.version + 1; version <= last; ++version) {
        CW_TRY(const auto replayed, replay.step(version));
        visit(replayed);
        if (!replayed.equal)
            return {};
    }
    return {};
}

Result<std::vector<ServerFragment>> stateOf(Store& store, BlobStore& blobs, const RunRecord& run,
                                            std::uint64_t version)
{
    CW_TRY(const auto first, startBefore(store, blobs, run, version));
    Replay replay(store, blobs, run);
    CW_CHECK(replay.start(first, version));
    for (std::uint64_t next = first.version + 1; next <= version; ++next) {
        CW_TRY(const auto replayed, replay.step(next));
        if (!replayed.equal)
            return Error{ErrorKind::Corrupt,
                         "version " + std::to_string(next) + " does not follow from its merge log"};
    }
    return replay.takeStates();
}

} // namespace commonweight::server
