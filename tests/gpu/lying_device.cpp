#include "tests/gpu/lying_device.h"

#include <bit>
#include <limits>

namespace commonweight::test {

using gpu::Operation;
using gpu::Slice;

LyingDevice::LyingDevice(std::unique_ptr<gpu::Device> honest, Operation operation, Lie lie,
                         std::function<bool()> lies)
    : m_honest(std::move(honest)), m_capabilities(m_honest->capabilities()), m_operation(operation),
      m_lie(lie), m_lies(std::move(lies))
{
    m_capabilities.name = "a lying device";
}

void LyingDevice::after(Operation operation, const Slice& result)
{
    if (operation != m_operation || !m_lies() || !result.buffer)
        return;
    ++m_times;
    const std::int64_t at = m_lie == Lie::Neighbour ? result.elements : result.elements / 2;
    const Slice element{result.buffer, result.offset + at, 1};
    float value = 0;
    const auto bytes = std::as_writable_bytes(std::span(&value, 1));
    if (element.offset >= result.buffer->elements() || !m_honest->read(bytes, element))
        return;
    switch (m_lie) {
    case Lie::Value:
    case Lie::Neighbour:
        value = value * 1.1F + 0.01F;
        break;
    case Lie::Unsteadily:
        value = std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) ^
                                     (static_cast<std::uint32_t>(std::popcount(m_times)) & 1U));
        break;
    case Lie::NotANumber:
        value = std::numeric_limits<float>::quiet_NaN();
        break;
    }
    m_honest->write(element, bytes);
}

Result<std::unique_ptr<gpu::Buffer>> LyingDevice::allocate(gpu::ElementType type,
                                                           std::int64_t elements)
{
    return m_honest->allocate(type, elements);
}
std::uint64_t LyingDevice::allocatedBytes() const
{
    return m_honest->allocatedBytes();
}
void LyingDevice::write(Slice to, std::span<const std::byte> from)
{
    m_honest->write(to, from);
    after(Operation::Write, to);
}
Result<void> LyingDevice::read(std::span<std::byte> to, Slice from)
{
    return m_honest->read(to, from);
}
void LyingDevice::copy(Slice to, Slice from)
{
    m_honest->copy(to, from);
    after(Operation::Copy, to);
}
void LyingDevice::fill(Slice to, float value)
{
    m_honest->fill(to, value);
    after(Operation::Fill, to);
}
Result<void> LyingDevice::synchronise()
{
    return m_honest->synchronise();
}
void LyingDevice::matmul(const gpu::MatMul& o)
{
    m_honest->matmul(o);
    after(Operation::MatMul, o.out);
}
void LyingDevice::embedding(Slice out, Slice table, Slice tokens, std::int64_t width)
{
    m_honest->embedding(out, table, tokens, width);
    after(Operation::Embedding, out);
}
void LyingDevice::embeddingBackward(Slice gradTable, Slice gradOut, Slice tokens,
                                    std::int64_t width)
{
    m_honest->embeddingBackward(gradTable, gradOut, tokens, width);
    after(Operation::EmbeddingBackward, gradTable);
}
void LyingDevice::rmsNorm(const gpu::RmsNorm& o)
{
    m_honest->rmsNorm(o);
    after(Operation::RmsNorm, o.y);
}
void LyingDevice::rmsNormBackward(const gpu::RmsNormBackward& o)
{
    m_honest->rmsNormBackward(o);
    after(Operation::RmsNormBackward, o.gradWeight);
}
void LyingDevice::rope(const gpu::Rope& o)
{
    m_honest->rope(o);
    after(Operation::Rope, o.qkv);
}
void LyingDevice::attention(const gpu::Attention& o)
{
    m_honest->attention(o);
    after(Operation::Attention, o.out);
}
void LyingDevice::attentionBackward(const gpu::AttentionBackward& o)
{
    m_honest->attentionBackward(o);
    after(Operation::AttentionBackward, o.gradQkv);
}
void LyingDevice::swiGlu(const gpu::SwiGlu& o)
{
    m_honest->swiGlu(o);
    after(Operation::SwiGlu, o.out);
}
void LyingDevice::swiGluBackward(const gpu::SwiGluBackward& o)
{
    m_honest->swiGluBackward(o);
    after(Operation::SwiGluBackward, o.gradGateUp);
}
void LyingDevice::softmaxCrossEntropy(const gpu::SoftmaxCrossEntropy& o)
{
    m_honest->softmaxCrossEntropy(o);
    after(Operation::SoftmaxCrossEntropy, o.losses);
}
void LyingDevice::add(Slice out, Slice a, Slice b)
{
    m_honest->add(out, a, b);
    after(Operation::Add, out);
}
void LyingDevice::difference(Slice out, Slice a, Slice b)
{
    m_honest->difference(out, a, b);
    after(Operation::Difference, out);
}
void LyingDevice::scale(Slice x, float factor)
{
    m_honest->scale(x, factor);
    after(Operation::Scale, x);
}
Result<double> LyingDevice::squaredNorm(Slice x)
{
    CW_TRY(const double sum, m_honest->squaredNorm(x));
    const bool lying = m_operation == Operation::SquaredNorm && m_lies();
    return lying ? 1.01 * sum : sum;
}
void LyingDevice::adamW(const gpu::AdamW& o)
{
    m_honest->adamW(o);
    after(Operation::AdamW, o.parameters);
}

} // namespace commonweight::test
