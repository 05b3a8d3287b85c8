#include "gpu/cpu/cpu_device.h"

#include "gpu/cpu/memory.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace commonweight::gpu::cpu {
namespace {

constexpr std::int64_t kPiece = 1 << 15; // elements of one task of a flat operation

std::int64_t bytesOf(std::int64_t elements)
{
    return elements * 4; // both element types
}

class CpuBuffer final : public Buffer {
public:
    CpuBuffer(const CpuDevice* owner, std::uint64_t* account, ElementType type,
              std::int64_t elements, Memory memory)
        : m_owner(owner), m_account(account), m_type(type), m_elements(elements),
          m_memory(std::move(memory))
    {
        *m_account += static_cast<std::uint64_t>(bytesOf(elements));
    }
    CpuBuffer(const CpuBuffer&) = delete;
    CpuBuffer& operator=(const CpuBuffer&) = delete;
    ~CpuBuffer() override { *m_account -= static_cast<std::uint64_t>(bytesOf(m_elements)); }

    ElementType type() const override { return m_type; }
    std::int64_t elements() const override { return m_elements; }
    const CpuDevice* owner() const { return m_owner; }
    std::byte* bytes() const { return static_cast<std::byte*>(m_memory.data()); }

private:
    const CpuDevice* m_owner;
    std::uint64_t* m_account;
    ElementType m_type;
    std::int64_t m_elements;
    Memory m_memory;
};

} // namespace

CpuDevice::CpuDevice(int threads, bool bf16)
    : m_kernels(bestKernels()), m_pool(std::max(threads, 1), [] { useOneThreadHere(); }),
      m_attention(m_pool, m_kernels), m_bf16(bf16)
{
    m_capabilities.name = processorName() + " (" + std::to_string(m_pool.threads()) +
                          (m_pool.threads() == 1 ? " thread, " : " threads, ") + m_kernels.name +
                          ")";
    m_capabilities.numericClass = bf16 ? "bf16" : "fp32";
    m_capabilities.memoryBytes = totalMemory();
    m_capabilities.maxBufferBytes = m_capabilities.memoryBytes;
    m_capabilities.computeUnits = m_pool.threads();
}

CpuDevice::~CpuDevice()
{
    assert(m_allocated == 0);
}

Result<std::unique_ptr<Buffer>> CpuDevice::allocate(ElementType type, std::int64_t elements)
{
    assert(elements >= 0);
    constexpr std::int64_t kMost = std::int64_t{1} << 48;
    if (elements > kMost)
        return Error{ErrorKind::OutOfMemory, "more memory is needed than a computer can have"};
    CW_TRY(auto memory, Memory::allocate(static_cast<std::uint64_t>(bytesOf(elements))));
    std::unique_ptr<Buffer> buffer =
        std::make_unique<CpuBuffer>(this, &m_allocated, type, elements, std::move(memory));
    return buffer;
}

void CpuDevice::fail(ErrorKind kind, std::string message)
{
    if (!m_error)
        m_error = Error{kind, std::move(message)};
}

void* CpuDevice::memory(const Slice& slice, ElementType type, std::int64_t elements,
                        const char* what)
{
    if (failed())
        return nullptr;
    const auto* buffer = dynamic_cast<CpuBuffer*>(slice.buffer);
    const std::string name = what;
    if (!buffer || buffer->owner() != this)
        return fail(ErrorKind::Device, name + " is not a buffer of this device"), nullptr;
    if (buffer->type() != type)
        return fail(ErrorKind::Device, name + " has the wrong element type"), nullptr;
    if (slice.elements != elements)
        return fail(ErrorKind::Device, name + " has " + std::to_string(slice.elements) +
                                           " elements, " + std::to_string(elements) +
                                           " are needed"),
               nullptr;
    if (slice.offset < 0 || elements < 0 || slice.offset > buffer->elements() - elements)
        return fail(ErrorKind::Device, name + " reaches beyond its buffer"), nullptr;
    return buffer->bytes() + bytesOf(slice.offset);
}

float* CpuDevice::floats(const Slice& slice, std::int64_t elements, const char* what)
{
    return static_cast<float*>(memory(slice, ElementType::F32, elements, what));
}

const std::int32_t* CpuDevice::integers(const Slice& slice, std::int64_t elements, const char* what)
{
    return static_cast<const std::int32_t*>(memory(slice, ElementType::I32, elements, what));
}

void CpuDevice::write(Slice to, std::span<const std::byte> from)
{
    const ElementType type = to.buffer ? to.buffer->type() : ElementType::F32;
    void* target = memory(to, type, to.elements, "the target of a write");
    if (!failed() && from.size() != static_cast<std::size_t>(bytesOf(to.elements)))
        fail(ErrorKind::Device, "a write has another size than its target");
    if (!failed() && !from.empty())
        std::memcpy(target, from.data(), from.size());
}

Result<void> CpuDevice::read(std::span<std::byte> to, Slice from)
{
    const ElementType type = from.buffer ? from.buffer->type() : ElementType::F32;
    const void* source = memory(from, type, from.elements, "the source of a read");
    if (!failed() && to.size() != static_cast<std::size_t>(bytesOf(from.elements)))
        fail(ErrorKind::Device, "a read has another size than its source");
    CW_CHECK(synchronise());
    if (!to.empty())
        std::memcpy(to.data(), source, to.size());
    return {};
}

Result<void> CpuDevice::synchronise()
{
    if (!m_error)
        return {};
    Error error = std::move(*m_error);
    m_error.reset();
    return error;
}

void CpuDevice::copy(Slice to, Slice from)
{
    const ElementType type = from.buffer ? from.buffer->type() : ElementType::F32;
    const auto* source =
        static_cast<std::byte*>(memory(from, type, from.elements, "the source of a copy"));
    auto* target = static_cast<std::byte*>(memory(to, type, from.elements, "the target of a copy"));
    if (failed())
        return;
    inPieces(from.elements, kPiece, [&](std::int64_t first, std::int64_t count) {
        std::memmove(target + bytesOf(first), source + bytesOf(first),
                     static_cast<std::size_t>(bytesOf(count)));
    });
}

void CpuDevice::fill(Slice to, float value)
{
    float* target = floats(to, to.elements, "the target of a fill");
    if (failed())
        return;
    inPieces(to.elements, kPiece, [&](std::int64_t first, std::int64_t count) {
        std::fill_n(target + first, count, value);
    });
}

void CpuDevice::add(Slice out, Slice a, Slice b)
{
    float* target = floats(out, out.elements, "the sum");
    const float* left = floats(a, out.elements, "the left summand");
    const float* right = floats(b, out.elements, "the right summand");
    if (failed())
        return;
    inPieces(out.elements, kPiece, [&](std::int64_t first, std::int64_t count) {
        m_kernels.add(target + first, left + first, right + first, count);
    });
}

void CpuDevice::difference(Slice out, Slice a, Slice b)
{
    float* target = floats(out, out.elements, "the difference");
    const float* left = floats(a, out.elements, "the minuend");
    const float* right = floats(b, out.elements, "the subtrahend");
    if (failed())
        return;
    inPieces(out.elements, kPiece, [&](std::int64_t first, std::int64_t count) {
        m_kernels.difference(target + first, left + first, right + first, count);
    });
}

void CpuDevice::scale(Slice x, float factor)
{
    float* target = floats(x, x.elements, "what is scaled");
    if (failed())
        return;
    inPieces(x.elements, kPiece, [&](std::int64_t first, std::int64_t count) {
        m_kernels.scale(target + first, factor, count);
    });
}

Result<double> CpuDevice::squaredNorm(Slice x)
{
    const float* source = floats(x, x.elements, "the operand of a norm");
    CW_CHECK(synchronise());
    std::vector<double> sums(static_cast<std::size_t>((x.elements + kPiece - 1) / kPiece));
    inPieces(x.elements, kPiece, [&](std::int64_t first, std::int64_t count) {
        sums[static_cast<std::size_t>(first / kPiece)] =
            m_kernels.squaredNorm(source + first, count);
    });
    double total = 0;
    for (const double sum : sums)
        total += sum;
    return total;
}

void CpuDevice::adamW(const AdamW& o)
{
    const std::int64_t total = o.parameters.elements;
    float* parameters = floats(o.parameters, total, "the parameters");
    const float* gradient = floats(o.gradient, total, "the gradient");
    float* moment1 = floats(o.first, total, "the first moment");
    float* moment2 = floats(o.second, total, "the second moment");
    if (failed())
        return;
    const AdamWFactors factors{.decay = 1.0F - o.learningRate * o.weightDecay,
                               .beta1 = o.beta1,
                               .beta2 = o.beta2,
                               .gradientScale = o.gradientScale,
                               .step = o.learningRate / o.correction1,
                               .rootScale = 1.0F / std::sqrt(o.correction2),
                               .epsilon = o.epsilon};
    inPieces(total, kPiece, [&](std::int64_t first, std::int64_t count) {
        m_kernels.adamW(parameters + first, gradient + first, moment1 + first, moment2 + first,
                        count, factors);
    });
}

} // namespace commonweight::gpu::cpu
