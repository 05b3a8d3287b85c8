#pragma once
// The loops of the CPU device that are not matrix products, over raw pointers. kernels.cpp is
// compiled once for each instruction set; bestKernels() picks what this processor has. Pure
// functions, any thread. Rows and elements are independent of each other, so that the caller may
// cut the work where it likes without changing a bit of the result; sums over rows go into the
// caller's partial results.

#include <cstdint>

namespace commonweight::gpu::cpu {

struct AdamWFactors {
    float decay; ///< 1 − learning rate · weight decay
    float beta1, beta2;
    float gradientScale;
    float step;      ///< learning rate / correction1
    float rootScale; ///< 1 / √correction2
    float epsilon;
};

struct SoftmaxRows {
    std::int64_t rows, columns; ///< of the block in memory
    std::int64_t firstQuery;    ///< row i may look at columns 0 … firstQuery + i
    float scale;
};

struct Kernels {
    const char* name;

    void (*rmsNorm)(const float* x, const float* weight, float* y, float* reciprocal,
                    std::int64_t rows, std::int64_t width, float epsilon);
    /// Adds to gradX and to partialGradWeight[width].
    void (*rmsNormBackward)(const float* x, const float* weight, const float* reciprocal,
                            const float* gradY, float* gradX, float* partialGradWeight,
                            std::int64_t rows, std::int64_t width);
    /// Turns `heads` heads of one row; sign −1 turns back.
    void (*rope)(float* row, const float* table, std::int64_t heads, std::int64_t headSize,
                 float sign);
    void (*swiGlu)(const float* gateUp, float* out, std::int64_t rows, std::int64_t width);
    void (*swiGluBackward)(const float* gateUp, const float* gradOut, float* gradGateUp,
                           std::int64_t rows, std::int64_t width);
    /// One row; returns the loss. gradientScale is used when `gradient`.
    float (*softmaxCrossEntropy)(float* logits, std::int32_t target, std::int64_t classes,
                                 float gradientScale, bool gradient);
    /// Causal softmax of a block of scores in place; zero where a row must not look.
    void (*attentionSoftmax)(float* scores, float* logSum, const SoftmaxRows& block);
    /// scores → probabilities, gradProbabilities → gradient of the unscaled scores, both in place.
    void (*attentionSoftmaxBackward)(float* scores, float* gradProbabilities, const float* logSum,
                                     const float* outDotGradOut, const SoftmaxRows& block);
    float (*dot)(const float* a, const float* b, std::int64_t count);

    /// To the nearest bf16, ties to even; NaN stays NaN.
    void (*roundToBf16)(const float* x, std::uint16_t* out, std::int64_t count);
    void (*add)(float* out, const float* a, const float* b, std::int64_t count);
    void (*difference)(float* out, const float* a, const float* b, std::int64_t count);
    void (*scale)(float* x, float factor, std::int64_t count);
    double (*squaredNorm)(const float* x, std::int64_t count);
    void (*adamW)(float* parameters, const float* gradient, float* first, float* second,
                  std::int64_t count, const AdamWFactors& factors);
};

const Kernels& bestKernels();

} // namespace commonweight::gpu::cpu
