#pragma once
// The reference device: LibTorch's matrix products and own vector loops on the computer's own
// memory. Operations run at once in the calling thread and its pool; results do not depend on the
// number of threads. Made by the plug-in's open().

#include "gpu/cpu/attention.h"
#include "gpu/cpu/bf16_gemm.h"
#include "gpu/cpu/kernels.h"
#include "gpu/cpu/thread_pool.h"
#include "gpu/device.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

namespace commonweight::gpu::cpu {

class CpuDevice final : public Device {
public:
    /// `bf16`: the factors of products are rounded to bf16.
    CpuDevice(int threads, bool bf16);
    ~CpuDevice() override;

    const Capabilities& capabilities() const override { return m_capabilities; }
    Result<std::unique_ptr<Buffer>> allocate(ElementType type, std::int64_t elements) override;
    std::uint64_t allocatedBytes() const override { return m_allocated; }
    void write(Slice to, std::span<const std::byte> from) override;
    Result<void> read(std::span<std::byte> to, Slice from) override;
    void copy(Slice to, Slice from) override;
    void fill(Slice to, float value) override;
    Result<void> synchronise() override;

    void matmul(const MatMul& operation) override;
    void embedding(Slice out, Slice table, Slice tokens, std::int64_t width) override;
    void embeddingBackward(Slice gradTable, Slice gradOut, Slice tokens,
                           std::int64_t width) override;
    void rmsNorm(const RmsNorm& operation) override;
    void rmsNormBackward(const RmsNormBackward& operation) override;
    void rope(const Rope& operation) override;
    void attention(const Attention& operation) override;
    void attentionBackward(const AttentionBackward& operation) override;
    void swiGlu(const SwiGlu& operation) override;
    void swiGluBackward(const SwiGluBackward& operation) override;
    void softmaxCrossEntropy(const SoftmaxCrossEntropy& operation) override;
    void add(Slice out, Slice a, Slice b) override;
    void difference(Slice out, Slice a, Slice b) override;
    void scale(Slice x, float factor) override;
    Result<double> squaredNorm(Slice x) override;
    void adamW(const AdamW& operation) override;

private:
    /// The memory of a slice, or nullptr with the error noted unless it is ours and exactly this
    /// size and type.
    void* memory(const Slice& slice, ElementType type, std::int64_t elements, const char* what);
    float* floats(const Slice& slice, std::int64_t elements, const char* what);
    const std::int32_t* integers(const Slice& slice, std::int64_t elements, const char* what);
    bool failed() const { return m_error.has_value(); }
    void fail(ErrorKind kind, std::string message);
    bool validAttention(const AttentionShape& shape, const char* what);

    /// Calls function(first, count) for pieces of [0, total), each of some ten thousand elements.
    template <class Function>
    void inPieces(std::int64_t total, std::int64_t piece, const Function& function)
    {
        constexpr double kMicroseconds = 8; // of a piece, by order of magnitude
        m_pool.run((total + piece - 1) / piece, kMicroseconds, [&](std::int64_t task, int) {
            const std::int64_t first = task * piece;
            function(first, std::min(piece, total - first));
        });
    }
    /// What is added to a product, or nothing.
    struct Addition {
        const float* addend; ///< [m, n]
        const float* bias;   ///< [n]
    };
    struct Tile;
    void multiply(const Product& whole, Addition addition);
    void multiplyRounded(const Product& whole, Addition addition);
    void multiplyBlock(const Product& whole, Addition addition, const Tile& block);
    bool startTile(const Product& whole, const Tile& tile, Addition addition);
    void roundMatrix(const Matrix& memory, std::int64_t rows, std::int64_t columns,
                     std::vector<std::uint16_t>& to);

    Capabilities m_capabilities;
    const Kernels& m_kernels;
    ThreadPool m_pool;
    AttentionKernel m_attention;
    std::uint64_t m_allocated = 0;
    std::optional<Error> m_error;
    std::atomic<Outcome> m_outcome{Outcome::Done}; ///< of the tiles of one product
    std::vector<float> m_partial;                  ///< weight gradients of pieces of rows
    bool m_bf16;
    std::vector<std::uint16_t> m_roundedA, m_roundedB; ///< factors of the product under way
};

} // namespace commonweight::gpu::cpu
