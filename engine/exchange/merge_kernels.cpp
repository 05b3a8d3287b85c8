#include "engine/exchange/merge_kernels.h"

#include "engine/exchange/cpu_dispatch.h"

#include <cmath>

namespace commonweight::exchange {

namespace {

/// Partial sums, added up in one order whatever the width of the registers.
constexpr std::size_t kSums = 16;

CW_LOOP double total(const double* sums)
{
    double sum = 0;
    for (std::size_t lane = 0; lane < kSums; ++lane)
        sum += sums[lane];
    return sum;
}

CW_LOOP double squaredNormLoop(const float* values, std::size_t count)
{
    double sums[kSums] = {};
    const std::size_t whole = count / kSums * kSums;
    for (std::size_t i = 0; i < whole; i += kSums)
        for (std::size_t lane = 0; lane < kSums; ++lane)
            sums[lane] += static_cast<double>(values[i + lane]) * values[i + lane];
    for (std::size_t i = whole; i < count; ++i)
        sums[i - whole] += static_cast<double>(values[i]) * values[i];
    return total(sums);
}

CW_LOOP Products productsLoop(const float* a, const float* b, std::size_t count)
{
    double squares[kSums] = {};
    double dots[kSums] = {};
    const std::size_t whole = count / kSums * kSums;
    for (std::size_t i = 0; i < whole; i += kSums)
        for (std::size_t lane = 0; lane < kSums; ++lane) {
            const double value = a[i + lane];
            squares[lane] += value * value;
            dots[lane] += value * b[i + lane];
        }
    for (std::size_t i = whole; i < count; ++i) {
        const double value = a[i];
        squares[i - whole] += value * value;
        dots[i - whole] += value * b[i];
    }
    return {total(squares), total(dots)};
}

CW_LOOP void accumulateLoop(float* __restrict sum, const float* __restrict values, float factor,
                            std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
        sum[i] += factor * values[i];
}

CW_LOOP void scaleLoop(float* values, float factor, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
        values[i] *= factor;
}

CW_LOOP void nesterovLoop(float* __restrict parameters, float* __restrict momentum,
                          const float* __restrict merged, NesterovStep step, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i) {
        const float v = step.scale * merged[i];
        const float b = step.momentum * momentum[i] + v;
        momentum[i] = b;
        parameters[i] -= step.learningRate * (v + step.momentum * b);
    }
}

} // namespace

double squaredNorm(const float* values, std::size_t count)
{
    return runFastest<squaredNormLoop>(values, count);
}

void accumulate(float* sum, const float* values, float factor, std::size_t count)
{
    runFastest<accumulateLoop>(sum, values, factor, count);
}

void scaleBy(float* values, float factor, std::size_t count)
{
    runFastest<scaleLoop>(values, factor, count);
}

Result<double> plausibleNorm(const float* values, std::size_t count, std::size_t index)
{
    const double norm = std::sqrt(squaredNorm(values, count));
    if (!(norm < kImplausibleNorm))
        return Error{ErrorKind::Corrupt,
                     "contribution " + std::to_string(index) +
                         " holds values that are not finite or implausibly large"};
    return norm;
}

Products productsOf(const float* a, const float* b, std::size_t count)
{
    return runFastest<productsLoop>(a, b, count);
}

void nesterov(float* parameters, float* momentum, const float* merged, NesterovStep step,
              std::size_t count)
{
    runFastest<nesterovLoop>(parameters, momentum, merged, step, count);
}

} // namespace commonweight::exchange
