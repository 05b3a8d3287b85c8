#include "gpu/check/check_device.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

namespace commonweight::gpu {
namespace {

constexpr std::int64_t kMargin = 64; // elements on each side of an output that must not change

class CheckBuffer final : public Buffer {
public:
    CheckBuffer(const CheckDevice* maker, std::unique_ptr<Buffer> onSubject,
                std::unique_ptr<Buffer> onReference)
        : owner(maker), subject(std::move(onSubject)), reference(std::move(onReference))
    {}
    ElementType type() const override { return subject->type(); }
    std::int64_t elements() const override { return subject->elements(); }

    const CheckDevice* owner;
    std::unique_ptr<Buffer> subject, reference;
};

std::string listed(std::initializer_list<std::pair<const char*, std::int64_t>> extents)
{
    std::string text;
    for (const auto& [name, value] : extents)
        text += (text.empty() ? "" : ", ") + std::string(name) + " " + std::to_string(value);
    return text;
}

std::string textOf(const AttentionShape& s)
{
    return listed({{"sequences", s.sequences},
                   {"length", s.length},
                   {"heads", s.heads},
                   {"key and value heads", s.kvHeads},
                   {"head size", s.headSize}});
}

std::string textOf(const MatMul& o)
{
    return listed({{"m", o.m}, {"n", o.n}, {"k", o.k}}) + (o.transposeA ? ", a transposed" : "") +
           (o.transposeB ? ", b transposed" : "") + (o.addend.buffer ? ", with addend" : "") +
           (o.bias.buffer ? ", with bias" : "");
}

std::string rowsText(std::int64_t rows, std::int64_t width)
{
    return listed({{"rows", rows}, {"width", width}});
}

} // namespace

CheckDevice::CheckDevice(Device& subject, Device& reference)
    : m_subject(subject), m_reference(reference), m_capabilities(subject.capabilities())
{
    m_capabilities.name += ", checked against " + reference.capabilities().name;
    m_capabilities.memoryBytes =
        std::min(m_capabilities.memoryBytes, reference.capabilities().memoryBytes);
    m_capabilities.maxBufferBytes =
        std::min(m_capabilities.maxBufferBytes, reference.capabilities().maxBufferBytes);
}

CheckDevice::CheckDevice(std::unique_ptr<Device> subject, std::unique_ptr<Device> reference)
    : CheckDevice(*subject, *reference)
{
    m_ownSubject = std::move(subject);
    m_ownReference = std::move(reference);
}

Result<std::unique_ptr<Buffer>> CheckDevice::allocate(ElementType type, std::int64_t elements)
{
    CW_TRY(auto subject, m_subject.allocate(type, elements));
    auto reference = m_reference.allocate(type, elements);
    if (!reference)
        return reference.error().withContext("the device to check against has no memory left");
    return std::unique_ptr<Buffer>(
        std::make_unique<CheckBuffer>(this, std::move(subject), std::move(*reference)));
}

Slice CheckDevice::onSide(const Slice& slice, bool subject) const
{
    const auto* buffer = dynamic_cast<CheckBuffer*>(slice.buffer);
    if (!buffer || buffer->owner != this)
        return slice; // which the device will refuse in its own words
    return {subject ? buffer->subject.get() : buffer->reference.get(), slice.offset,
            slice.elements};
}

void CheckDevice::fail(std::string message)
{
    if (!m_error)
        m_error = Error{ErrorKind::Device, std::move(message)};
}

std::string CheckDevice::sayingOf(const Step& step) const
{
    return m_subject.capabilities().name + " computes otherwise than " +
           m_reference.capabilities().name + " in " + nameOf(step.operation) + " (" + step.shape +
           "): ";
}

void CheckDevice::both(const Step& step, const std::function<void(Device&, const OnSide&)>& call)
{
    if (m_error)
        return;
    call(m_subject, [this](const Slice& slice) { return onSide(slice, true); });
    call(m_reference, [this](const Slice& slice) { return onSide(slice, false); });
    if (const auto done = m_subject.synchronise(); !done) {
        m_error = done.error();
        (void)m_reference.synchronise().ok();
        return;
    }
    if (const auto done = m_reference.synchronise(); !done)
        return fail(sayingOf(step) + "only the latter refuses: " + done.error().message);
    // First the results of all, which the reference takes over; then what lies around them.
    for (const auto& output : step.outputs)
        compareResult(step, output);
    for (const auto& output : step.outputs)
        compareMargins(step, output.slice);
}

/// Reads the same elements of both devices into m_got and m_wanted; false when that fails.
bool CheckDevice::readBoth(const Slice& slice)
{
    m_got.resize(static_cast<std::size_t>(slice.elements));
    m_wanted.resize(m_got.size());
    const auto got = m_subject.read(std::as_writable_bytes(std::span(m_got)), onSide(slice, true));
    const auto wanted =
        m_reference.read(std::as_writable_bytes(std::span(m_wanted)), onSide(slice, false));
    if (!got || !wanted)
        m_error = got ? wanted.error() : got.error();
    return got && wanted;
}

void CheckDevice::compareResult(const Step& step, const Output& output)
{
    if (m_error || !readBoth(output.slice))
        return;
    const Bound bound = boundOf(step.operation, m_subject.capabilities().numericClass, step.depth);
    const std::span<const float> right = m_wanted;
    if (const auto mismatch = compare(m_got, right, bound, output.floor))
        return fail(sayingOf(step) + gpu::textOf(*mismatch, bound));
    m_reference.write(onSide(output.slice, false), std::as_bytes(std::span(m_got)));
}

void CheckDevice::compareMargins(const Step& step, const Slice& inner)
{
    const std::int64_t first = std::max<std::int64_t>(0, inner.offset - kMargin);
    const std::int64_t end =
        std::min(inner.buffer->elements(), inner.offset + inner.elements + kMargin);
    if (m_error || !readBoth({inner.buffer, first, end - first}))
        return;
    const auto differs = [](float a, float b) {
        return std::bit_cast<std::uint32_t>(a) != std::bit_cast<std::uint32_t>(b);
    };
    const auto [got, wanted] =
        std::mismatch(m_got.begin(), m_got.end(), m_wanted.begin(), std::not_fn(differs));
    if (got == m_got.end())
        return;
    const std::int64_t at = first + (got - m_got.begin()) - inner.offset;
    const bool outside = at < 0 || at >= inner.elements;
    fail(sayingOf(step) + "element " + std::to_string(at) + " of " +
         std::to_string(inner.elements) +
         (outside ? " is outside of the result and was changed" : " changes by itself"));
}

Result<void> CheckDevice::synchronise()
{
    if (m_error) {
        Error error = std::move(*m_error);
        m_error.reset();
        return error;
    }
    CW_CHECK(m_subject.synchronise());
    return m_reference.synchronise();
}

void CheckDevice::write(Slice to, std::span<const std::byte> from)
{
    both({Operation::Write, listed({{"elements", to.elements}}), 1, {}},
         [&](Device& device, const OnSide& on) { device.write(on(to), from); });
}

Result<void> CheckDevice::read(std::span<std::byte> to, Slice from)
{
    CW_CHECK(synchronise());
    CW_CHECK(m_subject.read(to, onSide(from, true)));
    std::vector<std::byte> wanted(to.size());
    CW_CHECK(m_reference.read(wanted, onSide(from, false)));
    if (!std::equal(to.begin(), to.end(), wanted.begin()))
        return Error{
            ErrorKind::Device,
            m_subject.capabilities().name +
                " changed memory that no operation wrote to: " + std::to_string(from.elements) +
                " elements that were read differ from " + m_reference.capabilities().name};
    return {};
}

void CheckDevice::copy(Slice to, Slice from)
{
    both({Operation::Copy, listed({{"elements", to.elements}}), 1, {{to}}},
         [&](Device& device, const OnSide& on) { device.copy(on(to), on(from)); });
}

void CheckDevice::fill(Slice to, float value)
{
    both({Operation::Fill, listed({{"elements", to.elements}}), 1, {{to}}},
         [&](Device& device, const OnSide& on) { device.fill(on(to), value); });
}

void CheckDevice::matmul(const MatMul& o)
{
    both({Operation::MatMul, textOf(o), o.k, {{o.out}}}, [&](Device& device, const OnSide& on) {
        MatMul there = o;
        there.out = on(o.out);
        there.a = on(o.a);
        there.b = on(o.b);
        there.addend = on(o.addend);
        there.bias = on(o.bias);
        device.matmul(there);
    });
}

void CheckDevice::embedding(Slice out, Slice table, Slice tokens, std::int64_t width)
{
    both({Operation::Embedding, rowsText(tokens.elements, width), 1, {{out}}},
         [&](Device& device, const OnSide& on) {
             device.embedding(on(out), on(table), on(tokens), width);
         });
}

void CheckDevice::embeddingBackward(Slice gradTable, Slice gradOut, Slice tokens,
                                    std::int64_t width)
{
    both({Operation::EmbeddingBackward,
          rowsText(tokens.elements, width),
          tokens.elements,
          {{gradTable}}},
         [&](Device& device, const OnSide& on) {
             device.embeddingBackward(on(gradTable), on(gradOut), on(tokens), width);
         });
}

void CheckDevice::rmsNorm(const RmsNorm& o)
{
    both({Operation::RmsNorm, rowsText(o.rows, o.width), o.width, {{o.y}, {o.reciprocal}}},
         [&](Device& device, const OnSide& on) {
             device.rmsNorm(
                 {on(o.x), on(o.weight), on(o.y), on(o.reciprocal), o.rows, o.width, o.epsilon});
         });
}

void CheckDevice::rmsNormBackward(const RmsNormBackward& o)
{
    both({Operation::RmsNormBackward,
          rowsText(o.rows, o.width),
          std::max(o.rows, o.width),
          {{o.gradX}, {o.gradWeight}}},
         [&](Device& device, const OnSide& on) {
             device.rmsNormBackward({on(o.x), on(o.weight), on(o.reciprocal), on(o.gradY),
                                     on(o.gradX), on(o.gradWeight), o.rows, o.width});
         });
}

void CheckDevice::rope(const Rope& o)
{
    both({Operation::Rope, textOf(o.shape), 1, {{o.qkv}}}, [&](Device& device, const OnSide& on) {
        device.rope({o.shape, on(o.qkv), on(o.table), o.direction});
    });
}

void CheckDevice::attention(const Attention& o)
{
    both({Operation::Attention, textOf(o.shape), o.shape.length, {{o.out}, {o.logSum, 1}}},
         [&](Device& device, const OnSide& on) {
             device.attention({o.shape, on(o.qkv), on(o.out), on(o.logSum)});
         });
}

void CheckDevice::attentionBackward(const AttentionBackward& o)
{
    both({Operation::AttentionBackward, textOf(o.shape), o.shape.length, {{o.gradQkv}}},
         [&](Device& device, const OnSide& on) {
             device.attentionBackward(
                 {o.shape, on(o.qkv), on(o.out), on(o.logSum), on(o.gradOut), on(o.gradQkv)});
         });
}

void CheckDevice::swiGlu(const SwiGlu& o)
{
    both({Operation::SwiGlu, rowsText(o.rows, o.width), 1, {{o.out}}},
         [&](Device& device, const OnSide& on) {
             device.swiGlu({on(o.gateUp), on(o.out), o.rows, o.width});
         });
}

void CheckDevice::swiGluBackward(const SwiGluBackward& o)
{
    both(
        {Operation::SwiGluBackward, rowsText(o.rows, o.width), 1, {{o.gradGateUp}}},
        [&](Device& device, const OnSide& on) {
            device.swiGluBackward({on(o.gateUp), on(o.gradOut), on(o.gradGateUp), o.rows, o.width});
        });
}

// Losses near zero and gradients of classes that are right already are differences of numbers near
// one.
void CheckDevice::softmaxCrossEntropy(const SoftmaxCrossEntropy& o)
{
    Step step{Operation::SoftmaxCrossEntropy,
              listed({{"rows", o.rows}, {"classes", o.classes}}),
              o.classes,
              {{o.losses, 1}}};
    step.outputs.push_back({o.logits, o.gradient ? std::abs(double{o.gradientScale}) : 0});
    both(step, [&](Device& device, const OnSide& on) {
        SoftmaxCrossEntropy there = o;
        there.logits = on(o.logits);
        there.targets = on(o.targets);
        there.losses = on(o.losses);
        device.softmaxCrossEntropy(there);
    });
}

void CheckDevice::add(Slice out, Slice a, Slice b)
{
    both({Operation::Add, listed({{"elements", out.elements}}), 1, {{out}}},
         [&](Device& device, const OnSide& on) { device.add(on(out), on(a), on(b)); });
}

void CheckDevice::difference(Slice out, Slice a, Slice b)
{
    both({Operation::Difference, listed({{"elements", out.elements}}), 1, {{out}}},
         [&](Device& device, const OnSide& on) { device.difference(on(out), on(a), on(b)); });
}

void CheckDevice::scale(Slice x, float factor)
{
    both({Operation::Scale, listed({{"elements", x.elements}}), 1, {{x}}},
         [&](Device& device, const OnSide& on) { device.scale(on(x), factor); });
}

Result<double> CheckDevice::squaredNorm(Slice x)
{
    CW_CHECK(synchronise());
    CW_TRY(const double got, m_subject.squaredNorm(onSide(x, true)));
    CW_TRY(const double wanted, m_reference.squaredNorm(onSide(x, false)));
    const Bound bound = boundOf(Operation::SquaredNorm, m_subject.capabilities().numericClass);
    const bool bothAreNone = std::isnan(got) && std::isnan(wanted);
    if (got == wanted || bothAreNone || std::abs(got - wanted) <= bound.rootMeanSquare * wanted)
        return got;
    const Step step{Operation::SquaredNorm, listed({{"elements", x.elements}}), 1, {}};
    return Error{ErrorKind::Device, sayingOf(step) + "the sum is " + std::to_string(got) +
                                        ", not " + std::to_string(wanted)};
}

void CheckDevice::adamW(const AdamW& o)
{
    both({Operation::AdamW,
          listed({{"elements", o.parameters.elements}}),
          1,
          {{o.parameters}, {o.first}, {o.second}}},
         [&](Device& device, const OnSide& on) {
             AdamW there = o;
             there.parameters = on(o.parameters);
             there.gradient = on(o.gradient);
             there.first = on(o.first);
             there.second = on(o.second);
             device.adamW(there);
         });
}

} // namespace commonweight::gpu
