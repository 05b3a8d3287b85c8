#include "server/sync/blob_sweep.h"

#include "server/sync/work_claim.h"

#include <algorithm>

namespace commonweight::server {

namespace {

Result<std::optional<std::uint64_t>> lastGoodVersion(Store& store, const std::string& run)
{
    CW_TRY(const auto losses, store.losses(run));
    return losses.empty() ? std::optional<std::uint64_t>() : std::optional(losses.back().version);
}

bool holds(const std::vector<Sha256>& sorted, const Sha256& blob)
{
    return std::binary_search(sorted.begin(), sorted.end(), blob);
}

/// What every run still needs, while no run is being published.
class Needs {
public:
    Result<bool> collect(Store& store, const Clock& clock, const RetentionOptions& retention)
    {
        CW_TRY(const auto runs, store.runs());
        for (const auto& run : runs) {
            CW_TRY(auto claim, WorkClaim::take(store, clock, publicationClaim(run.id())));
            if (!claim)
                return false;
            m_claims.push_back(std::move(*claim));
            CW_TRY(const auto current, store.run(run.id()));
            CW_TRY(const auto good, lastGoodVersion(store, run.id()));
            CW_TRY(const auto needed,
                   store.neededBlobs(run.id(), retentionOf(current, retention, good)));
            m_blobs.insert(m_blobs.end(), needed.begin(), needed.end());
        }
        std::sort(m_blobs.begin(), m_blobs.end());
        return true;
    }
    bool include(const Sha256& blob) const { return holds(m_blobs, blob); }

private:
    std::vector<WorkClaim> m_claims;
    std::vector<Sha256> m_blobs;
};

} // namespace

Result<SweepReport> sweepBlobs(Store& store, BlobStore& blobs, const Clock& clock,
                               const SweepOptions& options)
{
    // In this order: what a result names that comes in between is not known yet, and young.
    CW_TRY(const auto known, store.referencedBlobs());
    Needs needs;
    CW_TRY(const bool quiet, needs.collect(store, clock, options.retention));
    if (!quiet)
        return SweepReport{};
    const auto oldest = std::filesystem::file_time_type::clock::now() - options.unusedAge;
    std::vector<Sha256> unneeded;
    SweepReport report;
    CW_CHECK(blobs.forEach(
        [&](const Sha256& blob, std::uint64_t bytes, std::filesystem::file_time_type changed) {
            const bool unknown = !holds(known, blob);
            if (needs.include(blob) || (unknown && changed > oldest))
                return;
            unneeded.push_back(blob);
            report.bytes += bytes;
        }));
    for (const auto& blob : unneeded)
        CW_CHECK(blobs.remove(blob));
    report.blobs = unneeded.size();
    return report;
}

} // namespace commonweight::server
