#include "gpu/vulkan/pacer.h"

#include <algorithm>
#include <cmath>

namespace commonweight::gpu::vulkan {
namespace {

// A unit of work is a multiply-add or four bytes; lavapipe does about one in this time. Guessing a
// fast device slow costs a few short submissions, guessing a slow one fast would freeze a desktop.
constexpr double kFirstRate = 1.0;
constexpr double kLeastRate = 1e-6;
constexpr double kMostRate = 1e4;
constexpr std::uint32_t kMostParts = 4096;

} // namespace

double Pacer::rate(std::string_view kernel) const
{
    const auto found = m_rates.find(kernel);
    return found == m_rates.end() ? kFirstRate : found->second;
}

double Pacer::nanoseconds(std::string_view kernel, double work) const
{
    return work * rate(kernel);
}

std::uint32_t Pacer::parts(std::string_view kernel, double work) const
{
    const double parts = std::ceil(nanoseconds(kernel, work) / kTargetNanoseconds);
    return static_cast<std::uint32_t>(std::clamp(parts, 1.0, static_cast<double>(kMostParts)));
}

// The error of the estimate is shared out by how much each kernel had in it.
void Pacer::learn(const std::vector<Load>& submission, double measuredNanoseconds)
{
    double estimate = 0;
    for (const auto& load : submission)
        estimate += nanoseconds(load.kernel, load.work);
    if (estimate <= 0 || !(measuredNanoseconds > 0))
        return;
    const double wrong = measuredNanoseconds / estimate;
    std::unordered_map<std::string_view, double> shares;
    for (const auto& load : submission)
        shares[load.kernel] += nanoseconds(load.kernel, load.work) / estimate;
    for (const auto& [kernel, share] : shares)
        m_rates[kernel] = std::clamp(rate(kernel) * std::pow(wrong, share), kLeastRate, kMostRate);
}

} // namespace commonweight::gpu::vulkan
