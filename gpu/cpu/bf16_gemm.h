#pragma once
// Matrix products whose factors are bf16 and whose sums and results are fp32: by oneDNN, which has
// kernels for AVX512-BF16 and AMX. Each in the calling thread only, like those of gemm.h.

#include "gpu/cpu/gemm.h"

namespace commonweight::gpu::cpu {

/// Whether this processor has instructions for bf16; without them fp32 is faster.
bool multipliesBf16() noexcept;

/// A row-major matrix of bf16 numbers, as their bits.
struct Bf16Matrix {
    const std::uint16_t* data;
    std::int64_t stride;
    bool transposed = false; ///< the memory holds the transpose
};

struct Bf16Product {
    Bf16Matrix a, b; ///< [m, k] · [k, n] after transposition
    float* out;      ///< [m, n]
    std::int64_t outStride;
    std::int64_t m, n, k;
    bool accumulate = false;
};

/// Never throws. Failed where multipliesBf16() is false.
Outcome bf16Product(const Bf16Product& product) noexcept;

} // namespace commonweight::gpu::cpu
