// Memory and flat operations; the layers are in reference_layers.cpp.
#include "gpu/check/reference_device.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

namespace commonweight::gpu {
namespace {

constexpr std::int64_t kElementBytes = 4; // of both element types

class HostBuffer final : public Buffer {
public:
    HostBuffer(std::uint64_t* account, ElementType type, std::int64_t elements)
        : m_account(account), m_type(type), m_elements(elements),
          m_bytes(static_cast<std::size_t>(elements * kElementBytes))
    {
        *m_account += m_bytes.size();
    }
    HostBuffer(const HostBuffer&) = delete;
    HostBuffer& operator=(const HostBuffer&) = delete;
    ~HostBuffer() override { *m_account -= m_bytes.size(); }

    ElementType type() const override { return m_type; }
    std::int64_t elements() const override { return m_elements; }
    std::byte* bytes() { return m_bytes.data(); }
    const std::uint64_t* account() const { return m_account; }

private:
    std::uint64_t* m_account;
    ElementType m_type;
    std::int64_t m_elements;
    std::vector<std::byte> m_bytes;
};

} // namespace

ReferenceDevice::ReferenceDevice(std::uint64_t memoryBytes)
{
    m_capabilities.name = "plain loops";
    m_capabilities.numericClass = "fp32";
    m_capabilities.memoryBytes = memoryBytes;
    m_capabilities.maxBufferBytes = m_capabilities.memoryBytes;
}

Result<std::unique_ptr<Buffer>> ReferenceDevice::allocate(ElementType type, std::int64_t elements)
{
    const Error tooLittle{ErrorKind::OutOfMemory,
                          "the computer has too little memory for a comparison"};
    const auto free = (m_capabilities.memoryBytes - m_allocated) / kElementBytes;
    if (elements < 0 || static_cast<std::uint64_t>(elements) > free)
        return tooLittle;
    try {
        return std::unique_ptr<Buffer>(std::make_unique<HostBuffer>(&m_allocated, type, elements));
    } catch (const std::bad_alloc&) {
        return tooLittle;
    }
}

void ReferenceDevice::fail(std::string message)
{
    if (!m_error)
        m_error = Error{ErrorKind::Device, std::move(message)};
}

std::byte* ReferenceDevice::memory(const Slice& slice, ElementType type, std::int64_t elements)
{
    auto* buffer = dynamic_cast<HostBuffer*>(slice.buffer);
    const bool fits = buffer && buffer->account() == &m_allocated && buffer->type() == type &&
                      slice.elements == elements && slice.offset >= 0 && elements >= 0 &&
                      slice.offset <= buffer->elements() - elements;
    if (!fits)
        fail(
            "a slice of another device, of the wrong type, of the wrong size or beyond its buffer");
    return failed() ? nullptr : buffer->bytes() + slice.offset * kElementBytes;
}

float* ReferenceDevice::floats(const Slice& slice, std::int64_t elements)
{
    return reinterpret_cast<float*>(memory(slice, ElementType::F32, elements));
}

const std::int32_t* ReferenceDevice::integers(const Slice& slice, std::int64_t elements)
{
    return reinterpret_cast<const std::int32_t*>(memory(slice, ElementType::I32, elements));
}

void ReferenceDevice::write(Slice to, std::span<const std::byte> from)
{
    const ElementType type = to.buffer ? to.buffer->type() : ElementType::F32;
    std::byte* target = memory(to, type, static_cast<std::int64_t>(from.size()) / kElementBytes);
    if (!failed() && !from.empty())
        std::memcpy(target, from.data(), from.size());
}

Result<void> ReferenceDevice::read(std::span<std::byte> to, Slice from)
{
    const ElementType type = from.buffer ? from.buffer->type() : ElementType::F32;
    const std::byte* source =
        memory(from, type, static_cast<std::int64_t>(to.size()) / kElementBytes);
    CW_CHECK(synchronise());
    if (!to.empty())
        std::memcpy(to.data(), source, to.size());
    return {};
}

Result<void> ReferenceDevice::synchronise()
{
    if (!m_error)
        return {};
    Error error = std::move(*m_error);
    m_error.reset();
    return error;
}

void ReferenceDevice::copy(Slice to, Slice from)
{
    const ElementType type = from.buffer ? from.buffer->type() : ElementType::F32;
    const std::byte* source = memory(from, type, from.elements);
    std::byte* target = memory(to, type, from.elements);
    if (!failed())
        std::memmove(target, source, static_cast<std::size_t>(from.elements * kElementBytes));
}

void ReferenceDevice::fill(Slice to, float value)
{
    float* target = floats(to, to.elements);
    if (!failed())
        std::fill_n(target, to.elements, value);
}

void ReferenceDevice::add(Slice out, Slice a, Slice b)
{
    float* target = floats(out, out.elements);
    const float* left = floats(a, out.elements);
    const float* right = floats(b, out.elements);
    if (!failed())
        std::transform(left, left + out.elements, right, target, std::plus<>());
}

void ReferenceDevice::difference(Slice out, Slice a, Slice b)
{
    float* target = floats(out, out.elements);
    const float* left = floats(a, out.elements);
    const float* right = floats(b, out.elements);
    if (!failed())
        std::transform(left, left + out.elements, right, target, std::minus<>());
}

void ReferenceDevice::scale(Slice x, float factor)
{
    float* values = floats(x, x.elements);
    if (!failed())
        std::transform(values, values + x.elements, values, [&](float v) { return v * factor; });
}

Result<double> ReferenceDevice::squaredNorm(Slice x)
{
    const float* values = floats(x, x.elements);
    CW_CHECK(synchronise());
    double sum = 0;
    for (std::int64_t i = 0; i < x.elements; ++i)
        sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    return sum;
}

void ReferenceDevice::adamW(const AdamW& o)
{
    const std::int64_t count = o.parameters.elements;
    float* parameters = floats(o.parameters, count);
    const float* gradient = floats(o.gradient, count);
    float* first = floats(o.first, count);
    float* second = floats(o.second, count);
    if (failed())
        return;
    const double rate = o.learningRate;
    const double beta1 = o.beta1;
    const double beta2 = o.beta2;
    for (std::int64_t i = 0; i < count; ++i) {
        const double g = double{gradient[i]} * double{o.gradientScale};
        const double m = beta1 * double{first[i]} + (1 - beta1) * g;
        const double v = beta2 * double{second[i]} + (1 - beta2) * g * g;
        const double step = rate * (m / double{o.correction1}) /
                            (std::sqrt(v / double{o.correction2}) + double{o.epsilon});
        const double decayed = double{parameters[i]} * (1 - rate * double{o.weightDecay});
        first[i] = static_cast<float>(m);
        second[i] = static_cast<float>(v);
        parameters[i] = static_cast<float>(decayed - step);
    }
}

} // namespace commonweight::gpu
