#include "engine/exchange/merge.h"

#include "engine/exchange/averaged_merge.h"
#include "engine/exchange/delayed_nesterov.h"
#include "engine/exchange/merge_kernels.h"

#include <cmath>

namespace commonweight::exchange {

namespace {

Result<std::vector<Contributor>> contributorsOf(const std::vector<double>& weights)
{
    std::vector<Contributor> contributors;
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (!(weights[i] >= 0) || !std::isfinite(weights[i]))
            return Error{ErrorKind::Protocol, "a weight of a merge is negative or not finite"};
        if (weights[i] > 0)
            contributors.push_back({i, weights[i]});
        sum += weights[i];
    }
    if (contributors.empty() || !std::isfinite(sum))
        return Error{ErrorKind::Protocol, "there is nothing to merge: no contribution has weight"};
    for (Contributor& contributor : contributors)
        contributor.weight /= sum;
    return contributors;
}

} // namespace

TensorNorms tensorNorms(const Fragment& fragment, std::span<const float> values)
{
    assert(values.size() == static_cast<std::size_t>(fragment.elements()));
    TensorNorms result;
    std::size_t first = 0;
    double squares = 0;
    for (const TensorSpec& spec : fragment.tensors) {
        const auto count = static_cast<std::size_t>(spec.elements());
        const double own = squaredNorm(values.data() + first, count);
        result.norms.push_back(std::sqrt(own));
        squares += own;
        first += count;
    }
    result.total = std::sqrt(squares);
    return result;
}

Result<MergeReport> mergeFragment(const Fragment& fragment, FragmentState& state,
                                  const std::vector<double>& weights,
                                  const ContributionSource& source, const OuterSettings& settings)
{
    CW_TRY(const MergeRule rule, mergeRuleByName(settings.rule));
    const auto elements = static_cast<std::size_t>(fragment.elements());
    if (state.parameters.size() != elements || state.momentum.size() != elements)
        return Error{ErrorKind::Corrupt, "the state of fragment " + std::to_string(fragment.index) +
                                             " has not the fragment's size"};
    CW_TRY(auto contributors, contributorsOf(weights));
    if (rule.outer == OuterStep::DelayedNesterov)
        return mergeDelayed(fragment, state, contributors, source, settings);
    auto sums = FloatArray::make(elements);
    auto values = FloatArray::make(elements);
    if (!sums || !values)
        return Error{ErrorKind::OutOfMemory,
                     "merging fragment " + std::to_string(fragment.index) + " needs " +
                         std::to_string(2 * elements * sizeof(float) >> 20) + " MiB of memory"};
    AveragedMerge merge(fragment, std::move(contributors), settings, std::move(*sums),
                        std::move(*values));
    CW_CHECK(merge.run(source));
    return merge.apply(state);
}

} // namespace commonweight::exchange
