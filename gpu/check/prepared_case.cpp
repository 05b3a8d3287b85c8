#include "gpu/check/operation_cases.h"

#include "engine/base/random.h"

#include <cmath>

namespace commonweight::gpu {
namespace {

constexpr std::int64_t kMargin = 67;     // odd, so that slices are not aligned
constexpr std::int64_t kVocabulary = 11; // so that tokens repeat

/// Takes memory on a device and fills it, one operand after the other.
class Operands {
public:
    Operands(Device& device, std::optional<Poison> poison) : m_device(device), m_poison(poison) {}

    Slice floats(std::int64_t count, double scale = 1, double shift = 0)
    {
        std::vector<float> values(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto bits = philox(m_key, i);
            const double about = static_cast<double>(uniform01(bits[0])) +
                                 static_cast<double>(uniform01(bits[1])) +
                                 static_cast<double>(uniform01(bits[2])) - 1.5;
            values[i] = static_cast<float>(shift + 2 * scale * about);
        }
        if (m_poison && m_poison->operand == m_buffers.size())
            values[values.size() / 2] = m_poison->value;
        return put(ElementType::F32, std::as_bytes(std::span(values)));
    }
    Slice tokens(std::int64_t count, std::int64_t vocabulary)
    {
        std::vector<std::int32_t> values(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<std::int32_t>(
                uniformBelow(static_cast<std::uint64_t>(vocabulary), m_key, i));
        return put(ElementType::I32, std::as_bytes(std::span(values)));
    }
    Slice angles(const AttentionShape& shape)
    {
        std::vector<float> table;
        for (std::int64_t position = 0; position < shape.length; ++position)
            for (std::int64_t i = 0; i < shape.headSize; i += 2) {
                const double angle = static_cast<double>(position) / (1.0 + static_cast<double>(i));
                table.push_back(static_cast<float>(std::cos(angle)));
                table.push_back(static_cast<float>(std::sin(angle)));
            }
        return put(ElementType::F32, std::as_bytes(std::span(table)));
    }

    Device& device() const { return m_device; }
    std::optional<Error>& error() { return m_error; }
    std::vector<std::unique_ptr<Buffer>> takeBuffers() { return std::move(m_buffers); }

private:
    Slice put(ElementType type, std::span<const std::byte> bytes)
    {
        ++m_key;
        const auto count = static_cast<std::int64_t>(bytes.size() / 4);
        auto buffer = m_device.allocate(type, count + 2 * kMargin);
        if (!buffer) {
            if (!m_error)
                m_error = buffer.error();
            return {};
        }
        m_buffers.push_back(std::move(*buffer));
        const Slice slice{m_buffers.back().get(), kMargin, count};
        m_device.write(slice, bytes);
        return slice;
    }

    Device& m_device;
    const std::optional<Poison> m_poison;
    std::uint64_t m_key = 1;
    std::vector<std::unique_ptr<Buffer>> m_buffers;
    std::optional<Error> m_error;
};

using Run = std::function<Result<void>()>;

/// For operations that are recorded and report nothing by themselves.
template <class Record> Run recorded(Record record)
{
    return [record = std::move(record)]() -> Result<void> {
        record();
        return {};
    };
}

Run product(Operands& memory, const OperationCase& c)
{
    Device& device = memory.device();
    MatMul o{.out = memory.floats(c.rows * c.width),
             .a = memory.floats(c.rows * c.inner),
             .b = memory.floats(c.inner * c.width),
             .m = c.rows,
             .n = c.width,
             .k = c.inner,
             .transposeA = c.transposeA,
             .transposeB = c.transposeB};
    if (c.extras) {
        o.addend = c.transposeA ? o.out : memory.floats(c.rows * c.width);
        o.bias = memory.floats(c.width);
    }
    return recorded([&device, o] { device.matmul(o); });
}

Run embedding(Operands& memory, const OperationCase& c)
{
    Device& device = memory.device();
    const Slice table = memory.floats(kVocabulary * c.width);
    const Slice rows = memory.floats(c.rows * c.width);
    const Slice tokens = memory.tokens(c.rows, kVocabulary);
    if (c.operation == Operation::Embedding)
        return recorded([=, &device] { device.embedding(rows, table, tokens, c.width); });
    return recorded([=, &device] { device.embeddingBackward(table, rows, tokens, c.width); });
}

Run norm(Operands& memory, const OperationCase& c)
{
    Device& device = memory.device();
    const Slice x = memory.floats(c.rows * c.width);
    const Slice weight = memory.floats(c.width);
    const Slice y = memory.floats(c.rows * c.width);
    const Slice reciprocal = memory.floats(c.rows, 0.1, 1);
    if (c.operation == Operation::RmsNorm)
        return recorded([=, &device] {
            device.rmsNorm({x, weight, y, reciprocal, c.rows, c.width, 1e-5F});
        });
    const Slice gradX = memory.floats(c.rows * c.width);
    const Slice gradWeight = memory.floats(c.width);
    return recorded([=, &device] {
        device.rmsNormBackward({x, weight, reciprocal, y, gradX, gradWeight, c.rows, c.width});
    });
}

Run gate(Operands& memory, const OperationCase& c)
{
    Device& device = memory.device();
    const Slice gateUp = memory.floats(2 * c.rows * c.width, 3);
    const Slice out = memory.floats(c.rows * c.width);
    if (c.operation == Operation::SwiGlu)
        return recorded([=, &device] { device.swiGlu({gateUp, out, c.rows, c.width}); });
    const Slice gradient = memory.floats(2 * c.rows * c.width);
    return recorded([=, &device] {
        device.swiGluBackward({gateUp, out, gradient, c.rows, c.width});
    });
}

Run loss(Operands& memory, const OperationCase& c)
{
    Device& device = memory.device();
    const SoftmaxCrossEntropy o{memory.floats(c.rows * c.width, 4),
                                memory.tokens(c.rows, c.width),
                                memory.floats(c.rows),
                                c.rows,
                                c.width,
                                0.125F,
                                c.extras};
    return recorded([&device, o] { device.softmaxCrossEntropy(o); });
}

Run attention(Operands& memory, const OperationCase& c)
{
    Device& device = memory.device();
    const AttentionShape& shape = c.attention;
    const Slice qkv = memory.floats(shape.rows() * shape.rowWidth());
    if (c.operation == Operation::Rope) {
        const Rope o{shape, qkv, memory.angles(shape),
                     c.extras ? Direction::Backward : Direction::Forward};
        return recorded([&device, o] { device.rope(o); });
    }
    const Slice out = memory.floats(shape.rows() * shape.heads * shape.headSize);
    const Slice logSum = memory.floats(shape.rows() * shape.heads);
    if (c.operation == Operation::Attention)
        return recorded([=, &device] { device.attention({shape, qkv, out, logSum}); });
    const Slice gradOut = memory.floats(out.elements);
    const Slice gradQkv = memory.floats(qkv.elements);
    // Backward needs what forward gave.
    device.attention({shape, qkv, out, logSum});
    return recorded([=, &device] {
        device.attentionBackward({shape, qkv, out, logSum, gradOut, gradQkv});
    });
}

Run flat(Operands& memory, const OperationCase& c)
{
    Device& device = memory.device();
    const Slice a = memory.floats(c.rows);
    const auto alone = [&]() -> Run {
        switch (c.operation) {
        case Operation::Fill:
            return recorded([=, &device] { device.fill(a, 0.75F); });
        case Operation::Scale:
            return recorded([=, &device] { device.scale(a, -1.0F); });
        default:
            return [=, &device]() -> Result<void> {
                CW_TRY([[maybe_unused]] const double sum, device.squaredNorm(a));
                return {};
            };
        }
    };
    if (c.operation == Operation::Fill || c.operation == Operation::Scale ||
        c.operation == Operation::SquaredNorm)
        return alone();
    const Slice b = memory.floats(c.rows);
    if (c.operation == Operation::Copy)
        return recorded([=, &device] { device.copy(a, b); });
    const Slice out = memory.floats(c.rows);
    if (c.operation == Operation::Add)
        return recorded([=, &device] { device.add(out, a, b); });
    if (c.operation == Operation::Difference)
        return recorded([=, &device] { device.difference(out, a, b); });
    const AdamW step{.parameters = a,
                     .gradient = b,
                     .first = out,
                     .second = memory.floats(c.rows, 0.1, 1),
                     .learningRate = 1e-3F,
                     .weightDecay = 0.1F,
                     .correction1 = 0.5F,
                     .correction2 = 0.25F,
                     .gradientScale = 0.5F};
    return recorded([&device, step] { device.adamW(step); });
}

Run write(Operands& memory, const OperationCase& c)
{
    Device& device = memory.device();
    const Slice to = memory.floats(c.rows);
    return recorded([=, &device] {
        const std::vector<float> values(static_cast<std::size_t>(c.rows), 0.5F);
        device.write(to, std::as_bytes(std::span(values)));
    });
}

struct Maker {
    Operation operation;
    Run (*make)(Operands&, const OperationCase&);
};
constexpr Maker kMakers[] = {{Operation::Write, write},
                             {Operation::Copy, flat},
                             {Operation::Fill, flat},
                             {Operation::MatMul, product},
                             {Operation::Embedding, embedding},
                             {Operation::EmbeddingBackward, embedding},
                             {Operation::RmsNorm, norm},
                             {Operation::RmsNormBackward, norm},
                             {Operation::Rope, attention},
                             {Operation::Attention, attention},
                             {Operation::AttentionBackward, attention},
                             {Operation::SwiGlu, gate},
                             {Operation::SwiGluBackward, gate},
                             {Operation::SoftmaxCrossEntropy, loss},
                             {Operation::Add, flat},
                             {Operation::Difference, flat},
                             {Operation::Scale, flat},
                             {Operation::SquaredNorm, flat},
                             {Operation::AdamW, flat}};

} // namespace

Result<PreparedCase> PreparedCase::prepare(Device& device, const OperationCase& which,
                                           std::optional<Poison> poison)
{
    Operands memory(device, poison);
    PreparedCase prepared;
    prepared.m_run = kMakers[static_cast<std::size_t>(which.operation)].make(memory, which);
    // Buffers go with the operands when something is missing; nothing was recorded on them that
    // could still run.
    const auto done = device.synchronise();
    if (memory.error())
        return *memory.error();
    CW_CHECK(done);
    prepared.m_buffers = memory.takeBuffers();
    return prepared;
}

Result<std::vector<std::byte>> PreparedCase::contents(Device& device) const
{
    std::vector<std::byte> bytes;
    for (const auto& buffer : m_buffers) {
        const auto before = bytes.size();
        bytes.resize(before + static_cast<std::size_t>(buffer->elements()) * sizeof(float));
        CW_CHECK(
            device.read(std::span(bytes).subspan(before), {buffer.get(), 0, buffer->elements()}));
    }
    return bytes;
}

} // namespace commonweight::gpu
