#pragma once
// What each device operation should give, by LibTorch's autograd in double precision. LibTorch
// stays behind this header.

#include <cstdint>
#include <vector>

namespace commonweight::test {

using Doubles = std::vector<double>;

struct NormResult {
    Doubles y, reciprocal, gradX, gradWeight;
};
NormResult rmsNorm(const Doubles& x, const Doubles& weight, const Doubles& gradY, double epsilon);

/// Rows of [rows, vocabulary] picked by token, and the gradient of the table.
struct EmbeddingResult {
    Doubles out, gradTable;
};
EmbeddingResult embedding(const Doubles& table, std::int64_t width,
                          const std::vector<std::int32_t>& tokens, const Doubles& gradOut);

struct HeadShape {
    std::int64_t sequences, length, heads, kvHeads, headSize;
};
/// Rotates queries and keys of packed rows, as a product of complex numbers.
Doubles rope(const Doubles& qkv, const HeadShape& shape, double theta);

struct AttentionResult {
    Doubles out, logSum, gradQkv;
};
AttentionResult attention(const Doubles& qkv, const HeadShape& shape, const Doubles& gradOut);

struct GateResult {
    Doubles out, gradGateUp;
};
GateResult swiGlu(const Doubles& gateUp, std::int64_t width, const Doubles& gradOut);

struct LossResult {
    Doubles losses, gradLogits; ///< of the sum of losses times gradientScale
};
LossResult softmaxCrossEntropy(const Doubles& logits, const std::vector<std::int32_t>& targets,
                               double gradientScale);

/// Row-major [m, k] · [k, n].
Doubles product(const Doubles& a, const Doubles& b, std::int64_t m, std::int64_t n, std::int64_t k);
Doubles transposed(const Doubles& a, std::int64_t rows, std::int64_t columns);

/// Parameters after `gradients.size()` steps of LibTorch's AdamW.
Doubles adamW(const Doubles& parameters, const std::vector<Doubles>& gradients, double learningRate,
              double weightDecay, double epsilon);

} // namespace commonweight::test
