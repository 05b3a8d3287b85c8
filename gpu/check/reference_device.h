#pragma once
// The right answers: every operation as the plainest loop there is, in double precision, on fp32
// memory. Slow, needs no library; what devices are tested against where LibTorch is not. Owned and
// called by one thread.

#include "gpu/device.h"

#include <optional>
#include <vector>

namespace commonweight::gpu {

class ReferenceDevice final : public Device {
public:
    explicit ReferenceDevice(std::uint64_t memoryBytes = std::uint64_t{1} << 38);

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
    std::byte* memory(const Slice& slice, ElementType type, std::int64_t elements);
    float* floats(const Slice& slice, std::int64_t elements);
    const std::int32_t* integers(const Slice& slice, std::int64_t elements);
    bool failed() const { return m_error.has_value(); }
    void fail(std::string message);

    Capabilities m_capabilities;
    std::uint64_t m_allocated = 0;
    std::optional<Error> m_error;
};

} // namespace commonweight::gpu
