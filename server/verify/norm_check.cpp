#include "server/verify/norm_check.h"

#include <algorithm>
#include <cmath>

namespace commonweight::server {

static constexpr std::size_t kFewestToCompare = 8;
static constexpr double kFactor = 10;

double normRate(double norm, std::uint64_t steps)
{
    return norm / std::pow(static_cast<double>(std::max<std::uint64_t>(1, steps)), 0.75);
}

double normAtMost(const work::WorkUnit& unit, std::uint64_t steps, std::uint64_t elements)
{
    const double beta1 = unit.optimizer.beta1, beta2 = unit.optimizer.beta2;
    const double unbalanced = beta2 > 0 ? 1 - beta1 * beta1 / beta2 : 0;
    const double ratio = unbalanced > 0 ? (1 - beta1) / std::sqrt((1 - beta2) * unbalanced)
                                        : 1 / std::sqrt(1 - beta2);
    return kFactor * static_cast<double>(steps) * unit.learningRate.peak * std::max(1.0, ratio) *
           std::sqrt(static_cast<double>(elements));
}

bool isPlausible(double rate, std::vector<double> recent)
{
    if (!std::isfinite(rate))
        return false;
    if (recent.size() < kFewestToCompare)
        return true;
    const auto middle = recent.begin() + static_cast<std::ptrdiff_t>(recent.size() / 2);
    std::nth_element(recent.begin(), middle, recent.end());
    return rate >= *middle / kFactor && rate <= *middle * kFactor;
}

} // namespace commonweight::server
