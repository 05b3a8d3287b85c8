// The operations of CpuDevice that belong to a layer of the transformer.
#include "gpu/cpu/cpu_device.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace commonweight::gpu::cpu {
namespace {

constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();

// Rows of one task: about 16 Ki elements, whatever the number of threads.
std::int64_t rowsOfPiece(std::int64_t width)
{
    return std::clamp<std::int64_t>((1 << 14) / std::max<std::int64_t>(width, 1), 1, 256);
}

} // namespace

void CpuDevice::embedding(Slice out, Slice table, Slice tokens, std::int64_t width)
{
    const std::int64_t rows = tokens.elements;
    const std::int64_t vocabulary = table.elements / width;
    float* target = floats(out, rows * width, "the embedded rows");
    const float* source = floats(table, vocabulary * width, "the embedding table");
    const std::int32_t* token = integers(tokens, rows, "the tokens");
    if (failed())
        return;
    inPieces(rows, rowsOfPiece(width), [&](std::int64_t first, std::int64_t count) {
        for (std::int64_t r = first; r < first + count; ++r) {
            float* row = target + r * width;
            if (token[r] < 0 || token[r] >= vocabulary)
                std::fill_n(row, width, kNotANumber);
            else
                std::memcpy(row, source + token[r] * width,
                            static_cast<std::size_t>(width) * sizeof(float));
        }
    });
}

void CpuDevice::embeddingBackward(Slice gradTable, Slice gradOut, Slice tokens, std::int64_t width)
{
    const std::int64_t rows = tokens.elements;
    const std::int64_t vocabulary = gradTable.elements / width;
    float* target = floats(gradTable, vocabulary * width, "the gradient of the embedding table");
    const float* source = floats(gradOut, rows * width, "the gradient of the embedded rows");
    const std::int32_t* token = integers(tokens, rows, "the tokens");
    if (failed())
        return;
    // Cut by columns: two rows may hold the same token, two columns never meet.
    constexpr std::int64_t kColumns = 64;
    inPieces(width, kColumns, [&](std::int64_t first, std::int64_t count) {
        for (std::int64_t r = 0; r < rows; ++r) {
            if (token[r] < 0 || token[r] >= vocabulary)
                continue;
            float* sum = target + token[r] * width + first;
            m_kernels.add(sum, sum, source + r * width + first, count);
        }
    });
}

void CpuDevice::rmsNorm(const RmsNorm& o)
{
    const float* x = floats(o.x, o.rows * o.width, "the rows to norm");
    const float* weight = floats(o.weight, o.width, "the weight of a norm");
    float* y = floats(o.y, o.rows * o.width, "the normed rows");
    float* reciprocal = floats(o.reciprocal, o.rows, "the reciprocals of a norm");
    if (failed())
        return;
    inPieces(o.rows, rowsOfPiece(o.width), [&](std::int64_t first, std::int64_t count) {
        m_kernels.rmsNorm(x + first * o.width, weight, y + first * o.width, reciprocal + first,
                          count, o.width, o.epsilon);
    });
}

void CpuDevice::rmsNormBackward(const RmsNormBackward& o)
{
    const float* x = floats(o.x, o.rows * o.width, "the rows to norm");
    const float* weight = floats(o.weight, o.width, "the weight of a norm");
    const float* reciprocal = floats(o.reciprocal, o.rows, "the reciprocals of a norm");
    const float* gradY = floats(o.gradY, o.rows * o.width, "the gradient of the normed rows");
    float* gradX = floats(o.gradX, o.rows * o.width, "the gradient of the rows");
    float* gradWeight = floats(o.gradWeight, o.width, "the gradient of a norm's weight");
    if (failed())
        return;
    // Each piece of rows has a sum of its own; at most 64 pieces bound the memory.
    const std::int64_t piece = std::max(rowsOfPiece(o.width), (o.rows + 63) / 64);
    const std::int64_t pieces = (o.rows + piece - 1) / piece;
    m_partial.assign(static_cast<std::size_t>(pieces * o.width), 0.0F);
    inPieces(o.rows, piece, [&](std::int64_t first, std::int64_t count) {
        const std::int64_t at = first * o.width;
        m_kernels.rmsNormBackward(x + at, weight, reciprocal + first, gradY + at, gradX + at,
                                  m_partial.data() + first / piece * o.width, count, o.width);
    });
    for (std::int64_t p = 0; p < pieces; ++p)
        m_kernels.add(gradWeight, gradWeight, m_partial.data() + p * o.width, o.width);
}

bool CpuDevice::validAttention(const AttentionShape& shape, const char* what)
{
    const bool valid = shape.sequences > 0 && shape.length > 0 && shape.kvHeads > 0 &&
                       shape.heads > 0 && shape.heads % shape.kvHeads == 0 && shape.headSize > 0;
    if (!valid)
        fail(ErrorKind::Device, std::string(what) + " has an impossible shape");
    return valid && !failed();
}

void CpuDevice::rope(const Rope& o)
{
    const auto& shape = o.shape;
    if (!validAttention(shape, "a rotary embedding"))
        return;
    if (shape.headSize % 2 != 0)
        return fail(ErrorKind::Device, "a rotary embedding needs an even head size");
    float* qkv = floats(o.qkv, shape.rows() * shape.rowWidth(), "queries, keys and values");
    const float* table = floats(o.table, shape.length * shape.headSize, "the table of angles");
    if (failed())
        return;
    const float sign = o.direction == Direction::Forward ? 1.0F : -1.0F;
    inPieces(shape.rows(), rowsOfPiece(shape.rowWidth()),
             [&](std::int64_t first, std::int64_t count) {
                 for (std::int64_t r = first; r < first + count; ++r)
                     m_kernels.rope(qkv + r * shape.rowWidth(),
                                    table + r % shape.length * shape.headSize,
                                    shape.heads + shape.kvHeads, shape.headSize, sign);
             });
}

void CpuDevice::attention(const Attention& o)
{
    const auto& shape = o.shape;
    if (!validAttention(shape, "attention"))
        return;
    const AttentionData data{
        .shape = shape,
        .qkv = floats(o.qkv, shape.rows() * shape.rowWidth(), "queries, keys and values"),
        .out = floats(o.out, shape.rows() * shape.heads * shape.headSize, "attention's result"),
        .logSum = floats(o.logSum, shape.rows() * shape.heads, "attention's sums")};
    if (failed())
        return;
    useOneThreadHere();
    m_attention.forward(data);
}

void CpuDevice::attentionBackward(const AttentionBackward& o)
{
    const auto& shape = o.shape;
    if (!validAttention(shape, "attention"))
        return;
    const std::int64_t outElements = shape.rows() * shape.heads * shape.headSize;
    const AttentionData data{
        .shape = shape,
        .qkv = floats(o.qkv, shape.rows() * shape.rowWidth(), "queries, keys and values"),
        .out = floats(o.out, outElements, "attention's result"),
        .logSum = floats(o.logSum, shape.rows() * shape.heads, "attention's sums"),
        .gradOut = floats(o.gradOut, outElements, "the gradient of attention's result"),
        .gradQkv = floats(o.gradQkv, shape.rows() * shape.rowWidth(), "attention's gradient")};
    if (failed())
        return;
    useOneThreadHere();
    m_attention.backward(data);
}

void CpuDevice::swiGlu(const SwiGlu& o)
{
    const float* gateUp = floats(o.gateUp, 2 * o.rows * o.width, "gate and up");
    float* out = floats(o.out, o.rows * o.width, "the gated rows");
    if (failed())
        return;
    inPieces(o.rows, rowsOfPiece(o.width), [&](std::int64_t first, std::int64_t count) {
        m_kernels.swiGlu(gateUp + 2 * first * o.width, out + first * o.width, count, o.width);
    });
}

void CpuDevice::swiGluBackward(const SwiGluBackward& o)
{
    const float* gateUp = floats(o.gateUp, 2 * o.rows * o.width, "gate and up");
    const float* gradOut = floats(o.gradOut, o.rows * o.width, "the gradient of the gated rows");
    float* gradGateUp = floats(o.gradGateUp, 2 * o.rows * o.width, "the gradient of gate and up");
    if (failed())
        return;
    inPieces(o.rows, rowsOfPiece(o.width), [&](std::int64_t first, std::int64_t count) {
        m_kernels.swiGluBackward(gateUp + 2 * first * o.width, gradOut + first * o.width,
                                 gradGateUp + 2 * first * o.width, count, o.width);
    });
}

void CpuDevice::softmaxCrossEntropy(const SoftmaxCrossEntropy& o)
{
    float* logits = floats(o.logits, o.rows * o.classes, "the logits");
    const std::int32_t* targets = integers(o.targets, o.rows, "the targets");
    float* losses = floats(o.losses, o.rows, "the losses");
    if (failed() || o.classes <= 0)
        return;
    inPieces(o.rows, rowsOfPiece(o.classes), [&](std::int64_t first, std::int64_t count) {
        for (std::int64_t r = first; r < first + count; ++r) {
            float* row = logits + r * o.classes;
            if (targets[r] >= 0 && targets[r] < o.classes) {
                losses[r] = m_kernels.softmaxCrossEntropy(row, targets[r], o.classes,
                                                          o.gradientScale, o.gradient);
                continue;
            }
            losses[r] = kNotANumber;
            if (o.gradient)
                std::fill_n(row, o.classes, kNotANumber);
        }
    });
}

} // namespace commonweight::gpu::cpu
