#pragma once
// The loops of the merge over flat arrays: one pass each, at memory speed, with a fixed order of
// summation, so that the bits of a result depend on its input only. Pure, any thread.

#include "engine/base/result.h"

#include <cstddef>

namespace commonweight::exchange {

/// No outer gradient is that long: something is broken.
inline constexpr double kImplausibleNorm = 1e18;

/// Σ v², in double. Not finite when a value is not.
double squaredNorm(const float* values, std::size_t count);

/// sum += factor · values
void accumulate(float* sum, const float* values, float factor, std::size_t count);

/// values ← factor · values
void scaleBy(float* values, float factor, std::size_t count);

/// ‖values‖ of contribution `index`; Corrupt when a value is not finite or implausibly large.
Result<double> plausibleNorm(const float* values, std::size_t count, std::size_t index);

struct Products {
    double squares = 0; ///< Σ a²
    double dot = 0;     ///< Σ a b
};
Products productsOf(const float* a, const float* b, std::size_t count);

struct NesterovStep {
    float scale = 1; ///< v = scale · merged
    float learningRate = 0;
    float momentum = 0;
};
/// b ← μ b + v;  Θ ← Θ − η (v + μ b)
void nesterov(float* parameters, float* momentum, const float* merged, NesterovStep step,
              std::size_t count);

} // namespace commonweight::exchange
