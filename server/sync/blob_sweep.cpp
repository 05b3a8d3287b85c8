#include "server/sync/blob_sweep.h"

#include <algorithm>

namespace commonweight::server {

Result<SweepReport> sweepBlobs(Store& store, BlobStore& blobs, std::chrono::hours age)
{
    CW_TRY(const auto used, store.referencedBlobs());
    const auto oldest = std::filesystem::file_time_type::clock::now() - age;
    std::vector<Sha256> unused;
    SweepReport report;
    CW_CHECK(blobs.forEach(
        [&](const Sha256& blob, std::uint64_t bytes, std::filesystem::file_time_type changed) {
            if (changed > oldest || std::binary_search(used.begin(), used.end(), blob))
                return;
            unused.push_back(blob);
            report.bytes += bytes;
        }));
    for (const auto& blob : unused)
        CW_CHECK(blobs.remove(blob));
    report.blobs = unused.size();
    return report;
}

} // namespace commonweight::server
