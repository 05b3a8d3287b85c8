// The one file that sees ATen; compiled as C++17, which is what LibTorch's headers need under
// clang 14.
#define AT_PER_OPERATOR_HEADERS
#include "gpu/cpu/gemm.h"

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mm.h>
#include <c10/core/InferenceMode.h>
#include <new>
#include <torch/version.h>

// Stable C interfaces of a BLAS, oneDNN and OpenMP, which LibTorch brings along without headers.
// What may be missing from a build of LibTorch is weak.
extern "C" void sgemm_(const char* transposeA, const char* transposeB, const int* m, const int* n,
                       const int* k, const float* alpha, const float* a, const int* strideA,
                       const float* b, const int* strideB, const float* beta, float* c,
                       const int* strideC);
extern "C" __attribute__((weak)) int dnnl_sgemm(char transposeA, char transposeB, std::int64_t m,
                                                std::int64_t n, std::int64_t k, float alpha,
                                                const float* a, std::int64_t strideA,
                                                const float* b, std::int64_t strideB, float beta,
                                                float* c, std::int64_t strideC);
extern "C" __attribute__((weak)) void omp_set_num_threads(int);
extern "C" __attribute__((weak)) int omp_get_max_threads();
extern "C" __attribute__((weak)) void openblas_set_num_threads(int);
extern "C" __attribute__((weak)) const char* openblas_get_config();

namespace commonweight::gpu::cpu {
namespace {

at::Tensor view(const Matrix& matrix, std::int64_t rows, std::int64_t columns)
{
    auto* data = const_cast<float*>(matrix.data);
    if (matrix.transposed)
        return at::from_blob(data, {rows, columns}, {1, matrix.stride}, at::kFloat);
    return at::from_blob(data, {rows, columns}, {matrix.stride, 1}, at::kFloat);
}

} // namespace

Outcome tileProduct(const Product& product) noexcept
{
    if (!dnnl_sgemm)
        return tensorProduct(product);
    constexpr int kSuccess = 0;
    constexpr int kOutOfMemory = 1;
    const int status = dnnl_sgemm(
        product.a.transposed ? 'T' : 'N', product.b.transposed ? 'T' : 'N', product.m, product.n,
        product.k, 1.0F, product.a.data, product.a.stride, product.b.data, product.b.stride,
        product.accumulate ? 1.0F : 0.0F, product.out, product.outStride);
    if (status == kOutOfMemory)
        return Outcome::NoMemory;
    return status == kSuccess ? Outcome::Done : Outcome::Failed;
}

Outcome tensorProduct(const Product& product) noexcept
{
    try {
        const c10::InferenceMode noGraph;
        const auto a = view(product.a, product.m, product.k);
        const auto b = view(product.b, product.k, product.n);
        auto out = view({product.out, product.outStride}, product.m, product.n);
        if (product.accumulate)
            at::addmm_out(out, out, a, b);
        else
            at::mm_out(out, a, b);
        return Outcome::Done;
    } catch (const std::bad_alloc&) {
        return Outcome::NoMemory;
    } catch (...) {
        return Outcome::Failed;
    }
}

void smallProduct(const Product& product) noexcept
{
    // BLAS is column-major: it computes outᵀ = bᵀ · aᵀ.
    const char transposeA = product.a.transposed ? 'T' : 'N';
    const char transposeB = product.b.transposed ? 'T' : 'N';
    const auto m = static_cast<int>(product.m);
    const auto n = static_cast<int>(product.n);
    const auto k = static_cast<int>(product.k);
    const auto strideA = static_cast<int>(product.a.stride);
    const auto strideB = static_cast<int>(product.b.stride);
    const auto strideC = static_cast<int>(product.outStride);
    const float one = 1;
    const float beta = product.accumulate ? 1 : 0;
    sgemm_(&transposeB, &transposeA, &n, &m, &k, &one, product.b.data, &strideB, product.a.data,
           &strideA, &beta, product.out, &strideC);
}

std::string libraryVersions()
{
    const std::string torch = "LibTorch " TORCH_VERSION;
    return openblas_get_config ? torch + ", " + openblas_get_config() : torch;
}

void useOneThreadHere() noexcept
{
    thread_local bool known = false;
    if (known && omp_get_max_threads && omp_get_max_threads() == 1)
        return;
    try {
        at::get_num_threads(); // ATen's own first choice for this thread comes before ours
    } catch (...) {
        return;
    }
    if (omp_set_num_threads)
        omp_set_num_threads(1);
    if (openblas_set_num_threads)
        openblas_set_num_threads(1);
    known = true;
}

} // namespace commonweight::gpu::cpu
