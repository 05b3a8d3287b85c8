#pragma once
// The loops of the merge over flat arrays: one pass each, at memory speed, with a fixed order of
// summation, so that the bits of a result depend on its input only. Pure, any thread.

#include <cstddef>

namespace commonweight::exchange {

/// Σ v², in double. Not finite when a value is not.
double squaredNorm(const float* values, std::size_t count);

/// sum += factor · values
void accumulate(float* sum, const float* values, float factor, std::size_t count);

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
