#pragma once
// Matrix products of the CPU device, over raw pointers: the libraries that LibTorch stands on –
// oneDNN's sgemm, which is the fastest here, else ATen and with it the BLAS – each in the calling
// thread only, since the device cuts the work for its own threads.

#include <cstdint>
#include <string>

namespace commonweight::gpu::cpu {

/// A row-major matrix inside somebody else's memory; `stride` is the distance of rows.
struct Matrix {
    const float* data;
    std::int64_t stride;
    bool transposed = false; ///< the memory holds the transpose
};

struct Product {
    Matrix a, b; ///< [m, k] · [k, n] after transposition
    float* out;  ///< [m, n]
    std::int64_t outStride;
    std::int64_t m, n, k;
    bool accumulate = false;
};

enum class Outcome { Done, NoMemory, Failed };

/// What so many multiply-adds take, by order of magnitude.
inline double microsecondsOf(std::int64_t multiplyAdds)
{
    return static_cast<double>(multiplyAdds) / 50e3;
}

/// For tiles of some size. Never throws.
Outcome tileProduct(const Product& product) noexcept;
/// By ATen, whatever it is built on; what tileProduct() does where LibTorch has no oneDNN. Never
/// throws.
Outcome tensorProduct(const Product& product) noexcept;
/// By the BLAS, which costs least for the many small products of attention.
void smallProduct(const Product& product) noexcept;

/// "LibTorch 1.13.1, OpenBLAS 0.3.21 …": other libraries, other rounding.
std::string libraryVersions();

/// Call in a thread before it multiplies: no library may start threads of its own below ours. Cheap
/// when repeated, which undoes what other users of LibTorch in this process may have chosen for the
/// thread.
void useOneThreadHere() noexcept;

} // namespace commonweight::gpu::cpu
