#pragma once
// A device that carries out everything on another one and falsifies one operation's result, as a
// broken driver or an overclocked card would.

#include "gpu/check/bounds.h"
#include "gpu/device.h"

#include <functional>
#include <memory>

namespace commonweight::test {

enum class Lie {
    Value,      ///< one element of the result is off by a tenth of its size and 0.01
    Neighbour,  ///< the element behind the result is written to
    Unsteadily, ///< now and then one element differs in its last bit
    NotANumber, ///< one element is none
};

class LyingDevice final : public gpu::Device {
public:
    /// Lies about `operation` while `lies()`, which is asked each time.
    LyingDevice(
        std::unique_ptr<gpu::Device> honest, gpu::Operation operation, Lie lie,
        std::function<bool()> lies = [] { return true; });

    const gpu::Capabilities& capabilities() const override { return m_capabilities; }
    Result<std::unique_ptr<gpu::Buffer>> allocate(gpu::ElementType type,
                                                  std::int64_t elements) override;
    std::uint64_t allocatedBytes() const override;
    void write(gpu::Slice to, std::span<const std::byte> from) override;
    Result<void> read(std::span<std::byte> to, gpu::Slice from) override;
    void copy(gpu::Slice to, gpu::Slice from) override;
    void fill(gpu::Slice to, float value) override;
    Result<void> synchronise() override;
    void matmul(const gpu::MatMul& operation) override;
    void embedding(gpu::Slice out, gpu::Slice table, gpu::Slice tokens,
                   std::int64_t width) override;
    void embeddingBackward(gpu::Slice gradTable, gpu::Slice gradOut, gpu::Slice tokens,
                           std::int64_t width) override;
    void rmsNorm(const gpu::RmsNorm& operation) override;
    void rmsNormBackward(const gpu::RmsNormBackward& operation) override;
    void rope(const gpu::Rope& operation) override;
    void attention(const gpu::Attention& operation) override;
    void attentionBackward(const gpu::AttentionBackward& operation) override;
    void swiGlu(const gpu::SwiGlu& operation) override;
    void swiGluBackward(const gpu::SwiGluBackward& operation) override;
    void softmaxCrossEntropy(const gpu::SoftmaxCrossEntropy& operation) override;
    void add(gpu::Slice out, gpu::Slice a, gpu::Slice b) override;
    void difference(gpu::Slice out, gpu::Slice a, gpu::Slice b) override;
    void scale(gpu::Slice x, float factor) override;
    Result<double> squaredNorm(gpu::Slice x) override;
    void adamW(const gpu::AdamW& operation) override;

private:
    void after(gpu::Operation operation, const gpu::Slice& result);

    std::unique_ptr<gpu::Device> m_honest;
    gpu::Capabilities m_capabilities;
    gpu::Operation m_operation;
    Lie m_lie;
    std::function<bool()> m_lies;
    std::uint32_t m_times = 0;
};

} // namespace commonweight::test
