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
