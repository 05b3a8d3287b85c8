#include "bench/fleet/laws.h"

#include <cmath>

namespace commonweight::bench {

namespace {

/// Inverse of the standard normal's distribution function (Acklam's rational approximation would
/// do; bisection over erfc is exact enough and needs no table).
double normalQuantile(double share)
{
    double low = -9, high = 9;
    for (int i = 0; i < 60; ++i) {
        const double middle = 0.5 * (low + high);
        (0.5 * std::erfc(-middle / std::sqrt(2.0)) < share ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

} // namespace

double Random::uniform()
{
    const auto block = philox(m_seed, m_next++, m_stream);
    const std::uint64_t bits = (std::uint64_t{block[1]} << 32 | block[0]) >> 11;
    return (static_cast<double>(bits) + 0.5) * 0x1.0p-53;
}

Law Law::constant(double value)
{
    return {Kind::Constant, value, 1, 1};
}

Law Law::exponential(double mean)
{
    return {Kind::Exponential, mean, 1, 1};
}

Law Law::logNormal(double median, double sigma)
{
    return {Kind::LogNormal, median, sigma, 1};
}

Law Law::exponentiatedWeibull(double mean, double shape, double power)
{
    constexpr int kPoints = 20'000;
    const Law unit{Kind::ExponentiatedWeibull, 1, shape, power};
    double sum = 0;
    for (int i = 0; i < kPoints; ++i)
        sum += unit.quantile((i + 0.5) / kPoints);
    return {Kind::ExponentiatedWeibull, mean * kPoints / sum, shape, power};
}

double Law::quantile(double share) const
{
    switch (m_kind) {
    case Kind::Constant:
        break;
    case Kind::Exponential:
        return -m_scale * std::log(1 - share);
    case Kind::LogNormal:
        return m_shape == 0 ? m_scale : m_scale * std::exp(m_shape * normalQuantile(share));
    case Kind::ExponentiatedWeibull:
        return m_scale * std::pow(-std::log(1 - std::pow(share, 1 / m_power)), 1 / m_shape);
    }
    return m_scale;
}

} // namespace commonweight::bench
