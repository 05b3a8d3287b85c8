#pragma once
// A whole model from its fragments' blobs. The caller's thread; Corrupt, NotFound from the blobs.

#include "engine/model/config.h"
#include "server/sync/fragment_merge.h"

namespace commonweight::server {

/// All parameters of a version in layout order. Corrupt when the fragments are not exactly the
/// model's tensors.
Result<std::vector<float>> readParameters(BlobStore& blobs, const RunDefinition& run,
                                          const VersionRecord& version,
                                          const model::ModelConfig& model);

/// A fragment's values out of (or into) parameters in layout order.
Result<std::vector<float>> fragmentOf(const exchange::Fragment& fragment,
                                      const std::vector<TensorSpec>& layout,
                                      std::span<const float> flat);
Result<void> putFragment(const exchange::Fragment& fragment, const std::vector<TensorSpec>& layout,
                         std::span<const float> values, std::span<float> flat);

} // namespace commonweight::server
