#pragma once
// What a decoder-only transformer needs from a compute device in order to be trained, and no more.
// Made by gpu::Registry, owned and called by one thread.
//
// Operations are recorded in order and behave as if run one after the other; they return at once.
// An operation that fails (a lost device, a slice of another device or of the wrong size) makes
// those behind it do nothing, and the next call that waits – read(), squaredNorm(), synchronise() –
// returns the first error and clears it. A device never falls back to another one.
//
// Layouts are row-major without padding, outermost extent first. "Rows" means tokens: sequences ×
// length, sequence by sequence. Slices are fp32 unless stated; sums are carried in fp32 or better.
// A device opened as "bf16" or "fp16" rounds the factors of its products (matmul; in attention also
// probabilities and their gradients) to that type, nearest even, and sums in fp32; the rest, and
// all that is stored, is fp32 as ever. Outputs must not overlap inputs except where "in place" is
// allowed. NaN and infinity travel through every operation as IEEE 754 says.
//
// Determinism: on one device, with one build and driver, equal inputs give equal bytes. No
// floating-point atomics, and an order of reduction that does not depend on timing.

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace commonweight::gpu {

enum class ElementType { F32, I32 };

/// Memory of one device. Destroy it before its device; only the device that made it may use it.
class Buffer {
public:
    virtual ~Buffer() = default;
    virtual ElementType type() const = 0;
    virtual std::int64_t elements() const = 0;
};

/// A run of elements inside a buffer. Without a buffer: not given.
struct Slice {
    Buffer* buffer = nullptr;
    std::int64_t offset = 0;
    std::int64_t elements = 0;

    Slice part(std::int64_t from, std::int64_t count) const
    {
        return {buffer, offset + from, count};
    }
    bool operator==(const Slice&) const = default;
};

struct Capabilities {
    std::string name;                 ///< for people: "AMD EPYC (2 threads, AVX-512)"
    std::string numericClass;         ///< as opened: "fp32" | "bf16" | "fp16"
    std::uint64_t memoryBytes = 0;    ///< what the device may hold in all
    std::uint64_t maxBufferBytes = 0; ///< the largest single buffer
    int computeUnits = 1;             ///< threads of a CPU, multiprocessors of a GPU
};

/// out[m,n] = A[m,k] · B[k,n] (+ addend[m,n]) (+ bias[n] to each row). With transposeA, `a` holds
/// Aᵀ[k,m]; with transposeB, `b` holds Bᵀ[n,k]. addend == out accumulates; another addend is a
/// residual connection.
struct MatMul {
    Slice out, a, b;
    std::int64_t m = 0, n = 0, k = 0;
    bool transposeA = false, transposeB = false;
    Slice addend = {}, bias = {};
};

/// y = x / sqrt(mean(x²) + epsilon) · weight, over rows of `width` (Zhang and Sennrich 2019,
/// equation 4).
struct RmsNorm {
    Slice x, weight;  ///< [rows, width], [width]
    Slice y;          ///< [rows, width]
    Slice reciprocal; ///< [rows]: 1 / sqrt(mean(x²) + epsilon), kept for the backward operation
    std::int64_t rows = 0, width = 0;
    float epsilon = 1e-5F;
};
struct RmsNormBackward {
    Slice x, weight, reciprocal, gradY;
    Slice gradX;      ///< [rows, width], added to
    Slice gradWeight; ///< [width], added to
    std::int64_t rows = 0, width = 0;
};

/// Rows of queries, keys and values side by side: [sequences, length, (heads + 2·kvHeads) ·
/// headSize], heads in order. Query head h reads key and value head h / (heads / kvHeads). Scores
/// are scaled by 1/√headSize.
struct AttentionShape {
    std::int64_t sequences = 0, length = 0, heads = 0, kvHeads = 0, headSize = 0;

    std::int64_t rows() const { return sequences * length; }
    std::int64_t rowWidth() const { return (heads + 2 * kvHeads) * headSize; }
};
struct Attention {
    AttentionShape shape;
    Slice qkv;    ///< [rows, rowWidth], queries and keys already rotated
    Slice out;    ///< [rows, heads · headSize]
    Slice logSum; ///< [sequences, heads, length]: log Σ exp(score), kept for the backward operation
};
struct AttentionBackward {
    AttentionShape shape;
    Slice qkv, out, logSum, gradOut;
    Slice gradQkv; ///< [rows, rowWidth], overwritten
};

enum class Direction { Forward, Backward };

/// Rotary position embedding (Su et al. 2021) in the half-split form of Llama's published code:
/// features i and i + headSize/2 of each query and key head are turned by the angle of (position,
/// i). In place; Backward turns back.
struct Rope {
    AttentionShape shape;
    Slice qkv;   ///< [rows, rowWidth]
    Slice table; ///< [length, headSize/2, 2]: cosine and sine
    Direction direction = Direction::Forward;
};

/// out = silu(gate) · up (Shazeer 2020), with gate and up side by side in a row.
struct SwiGlu {
    Slice gateUp; ///< [rows, 2 · width]
    Slice out;    ///< [rows, width]
    std::int64_t rows = 0, width = 0;
};
struct SwiGluBackward {
    Slice gateUp, gradOut;
    Slice gradGateUp; ///< [rows, 2 · width], overwritten; may be gateUp itself
    std::int64_t rows = 0, width = 0;
};

/// losses[r] = log Σ exp(logits[r]) − logits[r, target[r]] in one pass over the row; with a
/// gradient, logits becomes (softmax(logits) − one-hot(target)) · gradientScale in place. A model
/// calls it chunk of rows by chunk of rows, so that the logits are never stored whole. A target
/// outside [0, classes) gives a NaN loss.
struct SoftmaxCrossEntropy {
    Slice logits;  ///< [rows, classes]
    Slice targets; ///< [rows], I32
    Slice losses;  ///< [rows]
    std::int64_t rows = 0, classes = 0;
    float gradientScale = 0;
    bool gradient = false;
};

/// g = gradient · gradientScale; m = β₁m + (1−β₁)g; v = β₂v + (1−β₂)g²;
/// p = p·(1 − learningRate·weightDecay) − learningRate · (m/correction1) / (√(v/correction2) +
/// epsilon) (Loshchilov and Hutter 2019, algorithm 2), over a flat range.
struct AdamW {
    Slice parameters, gradient, first, second;
    float learningRate = 0, beta1 = 0.9F, beta2 = 0.99F, epsilon = 1e-8F, weightDecay = 0;
    float correction1 = 1, correction2 = 1, gradientScale = 1;
};

class Device {
public:
    virtual ~Device() = default;
    virtual const Capabilities& capabilities() const = 0;

    /// Zero-filled. OutOfMemory: "… needs 3.1 GiB but 1.2 GiB are free". Operations may use up to
    /// 64 MiB of scratch besides.
    virtual Result<std::unique_ptr<Buffer>> allocate(ElementType type, std::int64_t elements) = 0;
    /// Bytes that live buffers of this device hold.
    virtual std::uint64_t allocatedBytes() const = 0;

    /// Copies in; `from` may be reused at once. As many bytes as the slice.
    virtual void write(Slice to, std::span<const std::byte> from) = 0;
    /// Waits for all recorded work and copies out.
    virtual Result<void> read(std::span<std::byte> to, Slice from) = 0;
    virtual void copy(Slice to, Slice from) = 0;
    virtual void fill(Slice to, float value) = 0; ///< F32 only
    /// Waits for all recorded work.
    virtual Result<void> synchronise() = 0;

    virtual void matmul(const MatMul& operation) = 0;

    /// out[r, :] = table[tokens[r], :]; tokens I32 [rows], table [vocabulary, width]. A token
    /// outside the table gives NaN.
    virtual void embedding(Slice out, Slice table, Slice tokens, std::int64_t width) = 0;
    /// gradTable[tokens[r], :] += gradOut[r, :]; rows with one token are added in row order.
    virtual void embeddingBackward(Slice gradTable, Slice gradOut, Slice tokens,
                                   std::int64_t width) = 0;

    virtual void rmsNorm(const RmsNorm& operation) = 0;
    virtual void rmsNormBackward(const RmsNormBackward& operation) = 0;
    virtual void rope(const Rope& operation) = 0;
    virtual void attention(const Attention& operation) = 0;
    virtual void attentionBackward(const AttentionBackward& operation) = 0;
    virtual void swiGlu(const SwiGlu& operation) = 0;
    virtual void swiGluBackward(const SwiGluBackward& operation) = 0;
    virtual void softmaxCrossEntropy(const SoftmaxCrossEntropy& operation) = 0;

    virtual void add(Slice out, Slice a, Slice b) = 0;        ///< a + b; in place allowed
    virtual void difference(Slice out, Slice a, Slice b) = 0; ///< a − b; in place allowed
    virtual void scale(Slice x, float factor) = 0;            ///< in place
    virtual Result<double> squaredNorm(Slice x) = 0; ///< Σ x², in fp64 or compensated; waits
    virtual void adamW(const AdamW& operation) = 0;
};

} // namespace commonweight::gpu
