#pragma once
// The merge of one fragment between blobs: the same steps for publishing, for the warm-up and for
// replaying the log. Pure apart from the blobs; the caller's thread. Corrupt or NotFound when a
// blob is damaged or gone, Io and Full from the disk.

#include "server/blobs/blob_store.h"
#include "server/sync/merge_log.h"

namespace commonweight::server {

/// Bytes that a file with the fragment's parameters takes at most.
std::uint64_t parameterBytesAtMost(const exchange::Fragment& fragment);

Result<std::vector<float>> readFragmentValues(BlobStore& blobs, const exchange::Fragment& fragment,
                                              const work::BlobRef& ref);
/// A fragment as the server has it.
struct ServerFragment {
    exchange::FragmentState state; ///< X, the server's own parameters; b; opposed
    std::vector<float> published;  ///< Θ, as volunteers have it
};
/// Momentum that is not stored is zero.
Result<ServerFragment> readServerFragment(BlobStore& blobs, const exchange::Fragment& fragment,
                                          const FragmentVersion& version);
/// Whether all files of a version are there, so that it can be read whole.
bool isStored(BlobStore& blobs, const VersionRecord& version);

/// Merges the inputs into `state`; one contribution is in memory at a time.
Result<exchange::MergeReport> mergeInputs(BlobStore& blobs, const exchange::Fragment& fragment,
                                          const std::vector<MergeInput>& inputs,
                                          const exchange::OuterSettings& settings,
                                          exchange::FragmentState& state);
/// The run's downlink: Θ takes the step from the version before towards the merged X, and what the
/// encoding loses stays in X for the next one. The delta; empty for whole files, where Θ becomes X.
Result<Bytes> publishStep(const work::RunConfig& config, const exchange::Fragment& fragment,
                          std::uint64_t version, ServerFragment& server);

/// Whether an outer gradient still reads: to find the culprit when a merge fails.
Result<void> checkInput(BlobStore& blobs, const exchange::Fragment& fragment,
                        const MergeInput& input);

/// A blob and its reference.
Result<work::BlobRef> putBlob(BlobStore& blobs, ByteView bytes);
/// Stores a state as the fragment of a version; without momentum when `keepMomentum` is false.
Result<FragmentVersion> storeFragment(BlobStore& blobs, const exchange::Fragment& fragment,
                                      const exchange::FragmentState& state, const std::string& run,
                                      std::uint64_t version, bool keepMomentum);
/// Publishes a merged fragment: takes the step of the downlink and stores everything.
Result<FragmentVersion> storeMerged(BlobStore& blobs, const work::RunConfig& config,
                                    const exchange::Fragment& fragment, std::uint64_t version,
                                    ServerFragment& server);

} // namespace commonweight::server
