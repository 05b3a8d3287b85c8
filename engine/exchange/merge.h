#pragma once
// The merge of one fragment (docs: training page, "The merge"): admit, weight, clip, merge, outer
// step. Pure and deterministic: contributions are taken in the order given, reductions have a fixed
// order, so a merge log replays bit for bit.

#include "engine/base/bytes.h"
#include "engine/exchange/fragments.h"

#include <functional>
#include <string>

namespace commonweight::exchange {

struct OuterSettings {
    std::string rule = "decoupled"; ///< "decoupled" | "mean"
    double learningRate = 0.42;     ///< η
    double momentum = 0.9;          ///< μ
    std::uint32_t maxStaleness = 8; ///< S_max
    double accountCap = 0.25; ///< share of the weight that one account may have; ignored when fewer
                              ///< than four contribute
    bool clipToMedian = true; ///< clip each tensor's norm to the median of the buffer, when at
                              ///< least five contribute
};

/// σ(s) = ½ (1 + cos(π s / (S_max + 1))) e^(−0.1 s)
double stalenessWeight(std::uint64_t staleness, std::uint32_t maxStaleness);

struct Contribution {
    std::string result;  ///< id, for errors and logs
    std::string account; ///< whose
    std::uint64_t tokens = 0;
    std::uint64_t steps = 0;
    std::uint64_t staleness = 0;
    double trust = 1;
};

/// w = tokens²/steps · σ(s) · trust, capped per account, normalised to sum 1. Empty when nothing
/// has weight.
std::vector<double> mergeWeights(const std::vector<Contribution>& contributions,
                                 const OuterSettings& settings);

/// Admission (trust layer 1) of one decoded outer gradient: finite and norm within bounds of the
/// running median.
struct TensorNorms {
    std::vector<double> norms; ///< L2 of each tensor of the fragment
    double total = 0;
};
TensorNorms tensorNorms(const Fragment& fragment, std::span<const float> values);

/// Loads contribution i's decoded values into the span (fragment.elements() floats). Called once or
/// twice for each i that has weight, in order.
using ContributionSource = std::function<Result<void>(std::size_t i, std::span<float> out)>;

struct FragmentState {
    std::vector<float> parameters; ///< Θ
    std::vector<float> momentum;   ///< b; all zero at first
    std::uint32_t opposed = 0;     ///< merges in a row that opposed b; kept with the version
};

struct MergeReport {
    double mergedNorm = 0; ///< of the merged outer gradient
    /// Mean over the matrices of ‖Σ w φ(v)‖: 1 = all alike, ~1/√n = unrelated. With rule "mean",
    /// and over all tensors of a fragment without a matrix: of ‖Σ w v‖ / Σ w‖v‖.
    double agreement = 0;
    /// The merge opposed b (an angle above 120°) for the third time in a row, so b was set to zero
    /// first.
    bool momentumRestarted = false;
};

/// Merges in memory that does not grow with the number of contributions: two arrays of the
/// fragment's size, and at most a third for small tensors.
///
/// Matrices: radial–directional averaging (Decoupled DiLoCo §3.2):
///     r = Σ w‖v‖;  u = φ(Σ w φ(v));  v = r u;  weighted mean where ‖Σ w φ(v)‖ < 0.25 (they
///     cancel).
/// Embeddings, head, vectors and rule "mean": weighted mean. Then Nesterov:
///     b ← μ b + v;  Θ ← Θ − η (v + μ b).
///
/// `state` is changed only on success. Weights need not be normalised. Errors: the source's;
/// Protocol (nothing has weight, unknown rule); Corrupt (a value that is not finite or implausibly
/// large, or a state of another size); OutOfMemory.
Result<MergeReport> mergeFragment(const Fragment& fragment, FragmentState& state,
                                  const std::vector<double>& weights,
                                  const ContributionSource& source, const OuterSettings& settings);

} // namespace commonweight::exchange
