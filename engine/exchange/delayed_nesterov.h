#pragma once
// The rule delayed-nesterov (Async Local-SGD, Liu et al. 2024, algorithm 3): contributions are
// taken one after another as they came. Internal to the merge, one thread.

#include "engine/exchange/contributors.h"
#include "engine/exchange/merge.h"

namespace commonweight::exchange {

/// With N = settings.period and Δ scaled by n · weight (1 when all n contributions weigh alike):
///     each Δ:        Θ ← Θ − η/N Δ;  B ← B + Δ
///     each N-th one: b ← μ b + B/N;  Θ ← Θ − η μ b;  B ← 0
/// Between these, `state.momentum` holds μ b + B/N (that is all the next N-th one needs), and
/// `state.opposed` counts the contributions since. Memory: three arrays of the fragment's size.
/// `state` is changed only on success. Errors: the source's, Corrupt, OutOfMemory.
Result<MergeReport> mergeDelayed(const Fragment& fragment, FragmentState& state,
                                 const std::vector<Contributor>& contributors,
                                 const ContributionSource& source, const OuterSettings& settings);

} // namespace commonweight::exchange
