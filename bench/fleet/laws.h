#pragma once
// The random laws of a simulated fleet. Values; any thread. Numbers are counter-based (Philox), so
// a scenario repeats bit for bit from its seed.

#include "engine/base/random.h"

namespace commonweight::bench {

/// A stream of uniform numbers in (0, 1).
class Random {
public:
    explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : m_seed(seed), m_stream(stream)
    {}
    double uniform();

private:
    std::uint64_t m_seed;
    std::uint64_t m_stream;
    std::uint64_t m_next = 0;
};

/// A law of positive durations or factors, in seconds where it is a time.
class Law {
public:
    static Law constant(double value);
    static Law exponential(double mean);
    /// ln X is normal with deviation `sigma` around ln `median`.
    static Law logNormal(double median, double sigma);
    /// F(x) = (1 − exp(−(x/λ)^shape))^power, λ chosen for the mean: repair times of computers
    /// (Mudholkar and Srivastava 1993; the law of Decoupled DiLoCo's failure simulation).
    static Law exponentiatedWeibull(double mean, double shape, double power);

    double draw(Random& random) const { return quantile(random.uniform()); }
    double quantile(double share) const;

private:
    enum class Kind { Constant, Exponential, LogNormal, ExponentiatedWeibull };
    Law(Kind kind, double scale, double shape, double power)
        : m_kind(kind), m_scale(scale), m_shape(shape), m_power(power)
    {}

    Kind m_kind;
    double m_scale;
    double m_shape;
    double m_power;
};

} // namespace commonweight::bench
