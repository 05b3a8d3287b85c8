#include "server/verify/loss_watch.h"

#include <algorithm>
#include <cmath>

namespace commonweight::server {

namespace {

constexpr std::size_t kWindow = 10;
constexpr std::size_t kFewest = 3;
constexpr double kDeviations = 3;
/// Versions that hardly differ must not make every tremor a reason.
constexpr double kLeastMargin = 0.01;
constexpr double kVeryHigh = 1e5;

} // namespace

LossVerdict judgeLoss(const std::vector<work::LossPoint>& earlier, const work::LossPoint& point)
{
    std::vector<work::LossPoint> before;
    std::copy_if(earlier.begin(), earlier.end(), std::back_inserter(before),
                 [&](const auto& each) { return each.version < point.version; });
    LossVerdict verdict;
    if (!before.empty())
        verdict.lastGood = before.back().version;
    if (before.size() < kFewest)
        return verdict;
    const std::size_t count = std::min(kWindow, before.size());
    double sum = 0, squares = 0;
    for (auto each = before.end() - static_cast<std::ptrdiff_t>(count); each != before.end();
         ++each)
        sum += each->loss;
    const double mean = sum / static_cast<double>(count);
    for (auto each = before.end() - static_cast<std::ptrdiff_t>(count); each != before.end();
         ++each)
        squares += (each->loss - mean) * (each->loss - mean);
    const double deviation = std::sqrt(squares / static_cast<double>(count));
    verdict.margin = std::max(kDeviations * deviation, kLeastMargin * std::abs(mean));
    verdict.limit = mean + verdict.margin;
    verdict.bad = !(point.loss <= verdict.limit);
    return verdict;
}

double recordedLoss(double loss)
{
    return std::isfinite(loss) ? std::min(loss, kVeryHigh) : kVeryHigh;
}

} // namespace commonweight::server
