#include "engine/exchange/delayed_nesterov.h"

#include "engine/exchange/float_array.h"
#include "engine/exchange/merge_kernels.h"

#include <algorithm>
#include <cmath>

namespace commonweight::exchange {

Result<MergeReport> mergeDelayed(const Fragment& fragment, FragmentState& state,
                                 const std::vector<Contributor>& contributors,
                                 const ContributionSource& source, const OuterSettings& settings)
{
    const std::size_t size = state.parameters.size();
    auto values = FloatArray::make(size);
    auto moved = FloatArray::make(size); // Θ before − Θ
    auto momentum = FloatArray::make(size);
    if (!values || !moved || !momentum)
        return Error{ErrorKind::OutOfMemory,
                     "merging fragment " + std::to_string(fragment.index) + " needs " +
                         std::to_string(3 * size * sizeof(float) >> 20) + " MiB of memory"};
    std::copy(state.momentum.begin(), state.momentum.end(), momentum->data());
    const auto n = static_cast<double>(contributors.size());
    const double period = std::max<double>(settings.period, 1);
    std::uint32_t pushes = state.opposed;
    double length = 0;
    for (const Contributor& contributor : contributors) {
        CW_CHECK(source(contributor.index, values->span()));
        CW_TRY(const double norm, plausibleNorm(values->data(), size, contributor.index));
        length += contributor.weight * norm;
        const double share = n * contributor.weight / period;
        accumulate(moved->data(), values->data(), static_cast<float>(settings.learningRate * share),
                   size);
        accumulate(momentum->data(), values->data(), static_cast<float>(share), size);
        if (++pushes < settings.period)
            continue;
        pushes = 0;
        accumulate(moved->data(), momentum->data(),
                   static_cast<float>(settings.learningRate * settings.momentum), size);
        scaleBy(momentum->data(), static_cast<float>(settings.momentum), size);
    }
    MergeReport report;
    report.mergedNorm = std::sqrt(squaredNorm(moved->data(), size));
    const double steps = settings.learningRate * n / period * length;
    report.agreement = steps > 0 ? std::min(report.mergedNorm / steps, 1.0) : 0;
    accumulate(state.parameters.data(), moved->data(), -1, size);
    std::copy_n(momentum->data(), size, state.momentum.begin());
    state.opposed = pushes;
    return report;
}

} // namespace commonweight::exchange
