#include "server/sync/replay.h"

#include "engine/exchange/codec.h"

namespace commonweight::server {

namespace {

/// Every fragment's state, carried from version to version without looking at what was published in
/// between.
class Replay {
public:
    Replay(Store& store, BlobStore& blobs, const RunRecord& run)
        : m_store(store), m_blobs(blobs), m_run(run)
    {}

    Result<void> start(const VersionRecord& first)
    {
        for (const auto& fragment : m_run.definition->fragments) {
            CW_TRY(auto state,
                   readFragmentState(m_blobs, fragment, first.fragments[fragment.index]));
            m_states.push_back(std::move(state));
        }
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
            CW_TRY(const auto sha256, mergeOne(i, entry, version));
            replayed.results = entry.inputs.size();
            replayed.equal = replayed.equal && sha256 == entry.after.parameters.sha256;
        }
        return replayed;
    }

private:
    Result<Sha256> mergeOne(std::size_t index, const MergeLogEntry& entry, std::uint64_t version)
    {
        const auto& fragment = m_run.definition->fragments[index];
        auto& state = m_states[index];
        CW_TRY(const auto report,
               mergeInputs(m_blobs, fragment, entry.inputs, entry.settings, state));
        static_cast<void>(report);
        if (!entry.after.momentum) {
            state.momentum.assign(state.momentum.size(), 0);
            state.opposed = 0;
        }
        return sha256(exchange::writeParameters(fragment, state.parameters, m_run.id(), version));
    }

    Store& m_store;
    BlobStore& m_blobs;
    const RunRecord& m_run;
    std::vector<exchange::FragmentState> m_states;
};

} // namespace

Result<void> replayRun(Store& store, BlobStore& blobs, const RunRecord& run, std::uint64_t last,
                       const std::function<void(const ReplayedVersion&)>& visit)
{
    CW_TRY(const auto first, store.version(run.id(), 0));
    Replay replay(store, blobs, run);
    CW_CHECK(replay.start(first));
    for (std::uint64_t version = 1; version <= last; ++version) {
        CW_TRY(const auto replayed, replay.step(version));
        visit(replayed);
        if (!replayed.equal)
            return {};
    }
    return {};
}

} // namespace commonweight::server
