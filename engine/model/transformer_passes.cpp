// The forward and backward passes: which operation follows which, for every device alike.
#include "engine/model/device_transformer.h"

#include <algorithm>
#include <cmath>

namespace commonweight::model {

using gpu::Slice;

DeviceTransformer::Weight DeviceTransformer::weight(const Range& range) const
{
    Weight result{whole(*m_parameters).part(range.first, range.count), {}};
    if (m_gradient)
        result.gradient = whole(*m_gradient).part(range.first, range.count);
    return result;
}

gpu::AttentionShape DeviceTransformer::attentionShape() const
{
    return {m_batch.sequences, m_batch.length, m_config.heads, m_config.kvHeads, m_config.headSize};
}

Result<void> DeviceTransformer::load(std::span<const std::int32_t> tokens, gpu::Buffer& to,
                                     const char* what)
{
    assert(static_cast<std::int64_t>(tokens.size()) == rows());
    for (const std::int32_t token : tokens) {
        if (token < 0 || token >= m_config.vocabularySize)
            return Error{ErrorKind::Corrupt, std::string(what) + " " + std::to_string(token) +
                                                 " is outside the vocabulary of " +
                                                 std::to_string(m_config.vocabularySize)};
    }
    m_device.write(whole(to).part(0, rows()), std::as_bytes(tokens));
    return {};
}

Result<double> DeviceTransformer::loss(std::span<const std::int32_t> tokens,
                                       std::span<const std::int32_t> targets)
{
    m_batch = m_shape;
    CW_CHECK(load(tokens, *m_tokens, "token"));
    CW_CHECK(load(targets, *m_targets, "target"));
    forward();
    classify(false);
    return meanLoss();
}

Result<double> DeviceTransformer::forwardBackward(std::span<const std::int32_t> tokens,
                                                  std::span<const std::int32_t> targets)
{
    assert(m_purpose == Purpose::Train);
    m_batch = m_shape;
    CW_CHECK(load(tokens, *m_tokens, "token"));
    CW_CHECK(load(targets, *m_targets, "target"));
    forward();
    classify(true);
    backward();
    return meanLoss();
}

Result<void> DeviceTransformer::nextTokenLogits(std::span<const std::int32_t> tokens,
                                                std::span<float> logits)
{
    const auto length = static_cast<std::int64_t>(tokens.size());
    assert(length >= 1 && length <= m_shape.length);
    assert(static_cast<std::int64_t>(logits.size()) == m_config.vocabularySize);
    m_batch = {1, length};
    CW_CHECK(load(tokens, *m_tokens, "token"));
    forward();
    const Slice last =
        keep(m_plan.normed).part((length - 1) * m_config.hiddenSize, m_config.hiddenSize);
    const Slice out = keep(m_plan.logits, m_config.vocabularySize);
    m_device.matmul({.out = out,
                     .a = last,
                     .b = weight(m_ranges.head).value,
                     .m = 1,
                     .n = m_config.vocabularySize,
                     .k = m_config.hiddenSize,
                     .transposeB = true});
    return m_device.read(std::as_writable_bytes(logits), out);
}

// Row losses are summed on the host in double precision, in row order.
Result<double> DeviceTransformer::meanLoss()
{
    std::vector<float> losses(static_cast<std::size_t>(rows()));
    CW_CHECK(m_device.read(std::as_writable_bytes(std::span(losses)), keep(m_plan.losses)));
    double sum = 0;
    for (const float loss : losses)
        sum += static_cast<double>(loss);
    return sum / static_cast<double>(rows());
}

void DeviceTransformer::project(Slice out, Slice x, const Weight& w, Slice residual)
{
    m_device.matmul({.out = out,
                     .a = x,
                     .b = w.value,
                     .m = rows(),
                     .n = out.elements / rows(),
                     .k = x.elements / rows(),
                     .transposeB = true,
                     .addend = residual});
}

void DeviceTransformer::projectBackward(Slice gradX, Slice gradOut, Slice x, const Weight& w,
                                        std::int64_t inner)
{
    const std::int64_t count = x.elements / inner;
    const std::int64_t outer = gradOut.elements / count;
    m_device.matmul({.out = gradX, .a = gradOut, .b = w.value, .m = count, .n = inner, .k = outer});
    m_device.matmul({.out = w.gradient,
                     .a = gradOut,
                     .b = x,
                     .m = outer,
                     .n = inner,
                     .k = count,
                     .transposeA = true,
                     .addend = w.gradient});
}

void DeviceTransformer::norm(Slice x, const Range& weights, Slice y, Slice reciprocal)
{
    m_device.rmsNorm({.x = x,
                      .weight = weight(weights).value,
                      .y = y,
                      .reciprocal = reciprocal,
                      .rows = rows(),
                      .width = m_config.hiddenSize,
                      .epsilon = static_cast<float>(m_config.rmsNormEpsilon)});
}

void DeviceTransformer::normBackward(Slice x, const Range& weights, Slice reciprocal)
{
    const Weight w = weight(weights);
    m_device.rmsNormBackward({.x = x,
                              .weight = w.value,
                              .reciprocal = reciprocal,
                              .gradY = keep(m_plan.gradNormed),
                              .gradX = keep(m_plan.gradStream),
                              .gradWeight = w.gradient,
                              .rows = rows(),
                              .width = m_config.hiddenSize});
}

void DeviceTransformer::forward()
{
    const std::int64_t stream = rows() * m_config.hiddenSize;
    m_device.embedding(keep(m_plan.layers.front().in, stream), weight(m_ranges.embedding).value,
                       whole(*m_tokens).part(0, rows()), m_config.hiddenSize);
    for (std::size_t l = 0; l < m_plan.layers.size(); ++l) {
        const bool last = l + 1 == m_plan.layers.size();
        forwardAttention(m_ranges.layers[l], m_plan.layers[l]);
        forwardMlp(m_ranges.layers[l], m_plan.layers[l],
                   last ? m_plan.out : m_plan.layers[l + 1].in);
    }
    norm(keep(m_plan.out, stream), m_ranges.norm, keep(m_plan.normed, stream),
         keep(m_plan.reciprocal, rows()));
}

void DeviceTransformer::forwardAttention(const LayerRanges& weights, const LayerActivations& kept)
{
    const auto shape = attentionShape();
    const std::int64_t stream = rows() * m_config.hiddenSize;
    const Slice in = keep(kept.in, stream);
    const Slice normed = keep(kept.normed1, stream);
    const Slice qkv = keep(kept.qkv, rows() * shape.rowWidth());
    const Slice attended = keep(kept.attention, rows() * shape.heads * shape.headSize);
    norm(in, weights.attentionNorm, normed, keep(kept.reciprocal1, rows()));
    project(qkv, normed, weight(weights.qkv));
    m_device.rope({shape, qkv, keep(m_plan.ropeTable, shape.length * shape.headSize),
                   gpu::Direction::Forward});
    m_device.attention({shape, qkv, attended, keep(kept.logSum, rows() * shape.heads)});
    project(keep(kept.middle, stream), attended, weight(weights.attentionOut), in);
}

void DeviceTransformer::forwardMlp(const LayerRanges& weights, const LayerActivations& kept,
                                   const Range& out)
{
    const std::int64_t stream = rows() * m_config.hiddenSize;
    const std::int64_t width = m_config.intermediateSize;
    const Slice middle = keep(kept.middle, stream);
    const Slice normed = keep(kept.normed2, stream);
    const Slice gateUp = keep(kept.gateUp, rows() * 2 * width);
    const Slice gated = keep(kept.gated, rows() * width);
    norm(middle, weights.mlpNorm, normed, keep(kept.reciprocal2, rows()));
    project(gateUp, normed, weight(weights.gateUp));
    m_device.swiGlu({gateUp, gated, rows(), width});
    project(keep(out, stream), gated, weight(weights.down), middle);
}

// Head, loss and their gradients, one chunk of rows after the other.
void DeviceTransformer::classify(bool train)
{
    const std::int64_t width = m_config.hiddenSize;
    const std::int64_t classes = m_config.vocabularySize;
    const Weight head = weight(m_ranges.head);
    for (std::int64_t first = 0; first < rows(); first += m_plan.chunkRows) {
        const std::int64_t count = std::min(m_plan.chunkRows, rows() - first);
        const Slice normed = keep(m_plan.normed).part(first * width, count * width);
        const Slice logits = keep(m_plan.logits, count * classes);
        m_device.matmul({.out = logits,
                         .a = normed,
                         .b = head.value,
                         .m = count,
                         .n = classes,
                         .k = width,
                         .transposeB = true});
        m_device.softmaxCrossEntropy({.logits = logits,
                                      .targets = whole(*m_targets).part(first, count),
                                      .losses = keep(m_plan.losses).part(first, count),
                                      .rows = count,
                                      .classes = classes,
                                      .gradientScale = 1.0F / static_cast<float>(rows()),
                                      .gradient = train});
        if (train)
            projectBackward(keep(m_plan.gradNormed).part(first * width, count * width), logits,
                            normed, head, width);
    }
}

void DeviceTransformer::backward()
{
    m_device.fill(keep(m_plan.gradStream), 0);
    normBackward(keep(m_plan.out), m_ranges.norm, keep(m_plan.reciprocal));
    for (std::size_t l = m_plan.layers.size(); l-- > 0;) {
        backwardMlp(m_ranges.layers[l], m_plan.layers[l]);
        backwardAttention(m_ranges.layers[l], m_plan.layers[l]);
    }
    m_device.embeddingBackward(weight(m_ranges.embedding).gradient, keep(m_plan.gradStream),
                               whole(*m_tokens), m_config.hiddenSize);
}

void DeviceTransformer::backwardMlp(const LayerRanges& weights, const LayerActivations& kept)
{
    const Slice gradStream = keep(m_plan.gradStream);
    const Slice gradGated = keep(m_plan.gradGated);
    const Slice gateUp = keep(kept.gateUp); // becomes its own gradient
    projectBackward(gradGated, gradStream, keep(kept.gated), weight(weights.down),
                    m_config.intermediateSize);
    m_device.swiGluBackward({gateUp, gradGated, gateUp, rows(), m_config.intermediateSize});
    projectBackward(keep(m_plan.gradNormed), gateUp, keep(kept.normed2), weight(weights.gateUp),
                    m_config.hiddenSize);
    normBackward(keep(kept.middle), weights.mlpNorm, keep(kept.reciprocal2));
}

void DeviceTransformer::backwardAttention(const LayerRanges& weights, const LayerActivations& kept)
{
    const auto shape = attentionShape();
    const Slice gradStream = keep(m_plan.gradStream);
    const Slice gradAttention = keep(m_plan.gradAttention);
    const Slice gradQkv = keep(m_plan.gradQkv);
    projectBackward(gradAttention, gradStream, keep(kept.attention), weight(weights.attentionOut),
                    shape.heads * shape.headSize);
    m_device.attentionBackward(
        {shape, keep(kept.qkv), keep(kept.attention), keep(kept.logSum), gradAttention, gradQkv});
    m_device.rope({shape, gradQkv, keep(m_plan.ropeTable), gpu::Direction::Backward});
    projectBackward(keep(m_plan.gradNormed), gradQkv, keep(kept.normed1), weight(weights.qkv),
                    m_config.hiddenSize);
    normBackward(keep(kept.in), weights.attentionNorm, keep(kept.reciprocal1));
}

} // namespace commonweight::model
