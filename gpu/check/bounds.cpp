#include "gpu/check/bounds.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <vector>

namespace commonweight::gpu {
namespace {

// Root mean square errors of a correct implementation are about a third of these: measured with
// sums in fp32 in the order that costs most, over the shapes of tests/gpu.
struct Row {
    Operation operation;
    const char* name;
    double fp32;
    bool product; ///< its factors are rounded in "bf16" and "fp16"
};
constexpr std::array kRows{
    Row{Operation::Write, "write", 0, false},
    Row{Operation::Copy, "copy", 0, false},
    Row{Operation::Fill, "fill", 0, false},
    Row{Operation::MatMul, "matmul", 2e-6, true},
    Row{Operation::Embedding, "embedding", 0, false},
    Row{Operation::EmbeddingBackward, "embeddingBackward", 2e-6, false},
    Row{Operation::RmsNorm, "rmsNorm", 1e-6, false},
    Row{Operation::RmsNormBackward, "rmsNormBackward", 5e-6, false},
    Row{Operation::Rope, "rope", 1e-6, false},
    Row{Operation::Attention, "attention", 2e-6, true},
    Row{Operation::AttentionBackward, "attentionBackward", 5e-6, true},
    Row{Operation::SwiGlu, "swiGlu", 1e-6, false},
    Row{Operation::SwiGluBackward, "swiGluBackward", 1e-6, false},
    Row{Operation::SoftmaxCrossEntropy, "softmaxCrossEntropy", 2e-6, false},
    Row{Operation::Add, "add", 1e-7, false},
    Row{Operation::Difference, "difference", 1e-7, false},
    Row{Operation::Scale, "scale", 1e-7, false},
    Row{Operation::SquaredNorm, "squaredNorm", 1e-7, false},
    Row{Operation::AdamW, "adamW", 2e-6, false},
};

const Row& rowOf(Operation operation)
{
    const auto& row = kRows[static_cast<std::size_t>(operation)];
    assert(row.operation == operation);
    return row;
}

// Both factors are off by up to half a unit in the last place, uniformly: √2 · 2⁻⁸ / √12 for bf16;
// three times that is allowed.
double roundingOf(const std::string& numericClass)
{
    if (numericClass == "bf16")
        return 5e-3;
    return numericClass == "fp16" ? 6e-4 : 0;
}

template <class Wanted>
std::optional<Mismatch> compareWith(std::span<const float> got, std::span<const Wanted> wanted,
                                    Bound bound, double floor)
{
    assert(got.size() == wanted.size());
    double squaredError = 0;
    double squaredSize = 0;
    double largest = floor;
    double worst = 0;
    std::size_t worstAt = 0;
    std::vector<double> errors(got.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        const auto g = static_cast<double>(got[i]);
        const auto w = static_cast<double>(wanted[i]);
        const bool same = g == w || (std::isnan(g) && std::isnan(w));
        const double error = same ? 0 : std::abs(g - w);
        errors[i] = std::isfinite(error) ? error : HUGE_VAL;
        squaredError += errors[i] * errors[i];
        if (std::isfinite(w)) {
            squaredSize += w * w;
            largest = std::max(largest, std::abs(w));
        }
        if (errors[i] > worst) {
            worst = errors[i];
            worstAt = i;
        }
    }
    const double size =
        std::sqrt(std::max(squaredSize, floor * floor * static_cast<double>(got.size())));
    const double rootMeanSquare = worst > 0 ? std::sqrt(squaredError) / std::max(size, 1e-38) : 0;
    const double most = bound.largest * std::max(largest, 1e-38);
    if (worst <= most && rootMeanSquare <= bound.rootMeanSquare)
        return std::nullopt;
    const auto first =
        std::find_if(errors.begin(), errors.end(), [&](double e) { return e > most; });
    const std::size_t at =
        first == errors.end() ? worstAt : static_cast<std::size_t>(first - errors.begin());
    return Mismatch{static_cast<std::int64_t>(at), static_cast<double>(got[at]),
                    static_cast<double>(wanted[at]), rootMeanSquare};
}

} // namespace

const char* nameOf(Operation operation)
{
    return rowOf(operation).name;
}

Bound boundOf(Operation operation, const std::string& numericClass, std::int64_t depth)
{
    constexpr double kTermsWithoutGrowth = 256;
    constexpr double kWorst = 20;        // fp32: rare cancellations
    constexpr double kWorstRounded = 10; // about normal errors, millions of them
    const Row& row = rowOf(operation);
    const double growth =
        std::sqrt(std::max(1.0, static_cast<double>(depth) / kTermsWithoutGrowth));
    const double fp32 = row.fp32 * growth;
    const double rounded = row.product ? roundingOf(numericClass) : 0;
    return {fp32 + rounded, kWorst * fp32 + kWorstRounded * rounded};
}

std::optional<Mismatch> compare(std::span<const float> got, std::span<const float> wanted,
                                Bound bound, double floor)
{
    return compareWith(got, wanted, bound, floor);
}

std::optional<Mismatch> compare(std::span<const float> got, std::span<const double> wanted,
                                Bound bound, double floor)
{
    return compareWith(got, wanted, bound, floor);
}

std::string textOf(const Mismatch& mismatch, Bound bound)
{
    std::array<char, 200> text{};
    std::snprintf(
        text.data(), text.size(),
        "element %lld is %.9g, not %.9g; root mean square error %.2g, at most %.2g is right",
        static_cast<long long>(mismatch.index), mismatch.got, mismatch.wanted,
        mismatch.rootMeanSquare, bound.rootMeanSquare);
    return text.data();
}

} // namespace commonweight::gpu
