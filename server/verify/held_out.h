#pragma once
// The loss on text that nobody trains on, in nats per byte. Opens a compute device and a model each
// time; one thread at a time.

#include "gpu/registry.h"
#include "server/verify/parameters.h"

namespace commonweight::server {

struct EvaluationOptions {
    std::string device = "cpu";
    int threads = 1;
    std::uint64_t tokensAtMost = 65'536; ///< windows are spread evenly over the held-out text
    std::uint64_t every = 1;             ///< one version in so many is measured
    bool rollBack = true;                ///< a loss far too high returns to the last good version
};

/// The held-out shards' tokens, one after another. Corrupt.
Result<std::vector<std::int32_t>> readHeldOut(BlobStore& blobs, const RunDefinition& run);

/// Of any parameters in layout order. `tokens`: the held-out text. As heldOutLossOf().
Result<double> lossOfParameters(const RunDefinition& run, std::span<const float> parameters,
                                const std::vector<std::int32_t>& tokens,
                                const gpu::Registry& devices, const EvaluationOptions& options);

/// NotFound, Device, OutOfMemory, Corrupt.
Result<double> heldOutLossOf(BlobStore& blobs, const RunDefinition& run,
                             const VersionRecord& version, const gpu::Registry& devices,
                             const EvaluationOptions& options);

} // namespace commonweight::server
