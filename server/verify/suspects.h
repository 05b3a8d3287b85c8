#pragma once
// Whose contributions made a version bad? Each merged result is tried alone on held-out text: the
// model of its host is Θ_base − Δ, which after honest training is about as good as Θ_base (trust
// layer 2 of the training page). One thread.

#include "gpu/registry.h"
#include "server/store/store.h"
#include "server/verify/held_out.h"

namespace commonweight::server {

/// What a version's parameters, or these without an outer gradient, lose on held-out text.
class ResultTrial {
public:
    virtual ~ResultTrial() = default;
    virtual Result<double> lossOfVersion(std::uint64_t version) = 0;
    virtual Result<double> lossAfter(const ResultRecord& result) = 0;
};

/// The hosts whose own model is worse than what it began from by more than `margin`, sorted. A
/// result that cannot be tried (any more) says nothing about its host.
std::vector<std::string> findSuspects(const std::vector<ResultRecord>& results, double margin,
                                      ResultTrial& trial);

/// Tries with the real model, on fewer tokens than an evaluation.
std::unique_ptr<ResultTrial> makeResultTrial(Store& store, BlobStore& blobs, const RunRecord& run,
                                             const gpu::Registry& devices,
                                             const EvaluationOptions& options);

} // namespace commonweight::server
