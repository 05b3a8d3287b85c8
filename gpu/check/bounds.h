#pragma once
// How far a device's result may be from the right one, for each operation and numeric class. Used
// by the check device, the self-test and the conformance suite alike. Pure functions, any thread.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace commonweight::gpu {

enum class Operation {
    Write,
    Copy,
    Fill,
    MatMul,
    Embedding,
    EmbeddingBackward,
    RmsNorm,
    RmsNormBackward,
    Rope,
    Attention,
    AttentionBackward,
    SwiGlu,
    SwiGluBackward,
    SoftmaxCrossEntropy,
    Add,
    Difference,
    Scale,
    SquaredNorm,
    AdamW,
};
inline constexpr std::array kOperations{Operation::Write,
                                        Operation::Copy,
                                        Operation::Fill,
                                        Operation::MatMul,
                                        Operation::Embedding,
                                        Operation::EmbeddingBackward,
                                        Operation::RmsNorm,
                                        Operation::RmsNormBackward,
                                        Operation::Rope,
                                        Operation::Attention,
                                        Operation::AttentionBackward,
                                        Operation::SwiGlu,
                                        Operation::SwiGluBackward,
                                        Operation::SoftmaxCrossEntropy,
                                        Operation::Add,
                                        Operation::Difference,
                                        Operation::Scale,
                                        Operation::SquaredNorm,
                                        Operation::AdamW};

/// As device.h spells the call: "matmul", "rmsNormBackward".
const char* nameOf(Operation operation);

struct Bound {
    double rootMeanSquare = 0; ///< of the error, divided by that of the right values
    double largest = 0;        ///< of the error, divided by the largest right value
};

/// `depth` is how many terms a sum has: errors of fp32 sums grow with its root. Zero for what must
/// be exact.
Bound boundOf(Operation operation, const std::string& numericClass, std::int64_t depth = 1);

struct Mismatch {
    std::int64_t index = 0; ///< the first element beyond the bound, or the worst one
    double got = 0, wanted = 0;
    double rootMeanSquare = 0; ///< of the error, as in Bound
};

/// Nothing when `got` is within the bound of `wanted`. NaN answers NaN and infinity the same
/// infinity. Values below `floor` in size are compared as if they were of that size.
std::optional<Mismatch> compare(std::span<const float> got, std::span<const float> wanted,
                                Bound bound, double floor = 0);
std::optional<Mismatch> compare(std::span<const float> got, std::span<const double> wanted,
                                Bound bound, double floor = 0);

/// "element 12 is 1.5, not 1.25; root mean square error 0.002, at most 1e-05 is right"
std::string textOf(const Mismatch& mismatch, Bound bound);

} // namespace commonweight::gpu
