#include "engine/model/activation_plan.h"

#include <algorithm>

namespace commonweight::model {
namespace {

// Begins each range at a multiple of 256 bytes, which suits every device and vector unit.
class Arena {
public:
    Range take(std::int64_t count)
    {
        constexpr std::int64_t kAlignment = 64;
        const Range range{m_next, count};
        m_next += (count + kAlignment - 1) / kAlignment * kAlignment;
        return range;
    }
    void rewind(std::int64_t position) { m_next = position; }
    std::int64_t position() const { return m_next; }

private:
    std::int64_t m_next = 0;
};

// Enough rows for efficient products, and logits that fit into a cache where the vocabulary allows.
std::int64_t rowsOfChunk(std::int64_t rows, std::int64_t vocabulary)
{
    constexpr std::int64_t kLogits = 1 << 18;
    return std::min(rows, std::clamp<std::int64_t>(kLogits / vocabulary, 256, 1024));
}

LayerActivations takeLayer(Arena& arena, const ModelConfig& config, std::int64_t rows)
{
    const std::int64_t queryWidth = config.heads * config.headSize;
    LayerActivations layer;
    layer.in = arena.take(rows * config.hiddenSize);
    layer.normed1 = arena.take(rows * config.hiddenSize);
    layer.reciprocal1 = arena.take(rows);
    layer.qkv = arena.take(rows * (queryWidth + 2 * config.kvHeads * config.headSize));
    layer.attention = arena.take(rows * queryWidth);
    layer.logSum = arena.take(rows * config.heads);
    layer.middle = arena.take(rows * config.hiddenSize);
    layer.normed2 = arena.take(rows * config.hiddenSize);
    layer.reciprocal2 = arena.take(rows);
    layer.gateUp = arena.take(rows * 2 * config.intermediateSize);
    layer.gated = arena.take(rows * config.intermediateSize);
    return layer;
}

} // namespace

ActivationPlan::ActivationPlan(const ModelConfig& config, BatchShape shape, Purpose purpose)
{
    const std::int64_t rows = shape.sequences * shape.length;
    const std::int64_t queryWidth = config.heads * config.headSize;
    const bool train = purpose == Purpose::Train;
    Arena arena;
    for (std::int64_t l = 0; l < config.layers; ++l)
        layers.push_back(train || l == 0 ? takeLayer(arena, config, rows) : layers.front());
    out = train ? arena.take(rows * config.hiddenSize) : layers.front().in;
    normed = train ? arena.take(rows * config.hiddenSize) : layers.front().normed1;
    reciprocal = arena.take(rows);
    losses = arena.take(rows);
    ropeTable = arena.take(shape.length * config.headSize);
    chunkRows = rowsOfChunk(rows, config.vocabularySize);
    if (train) {
        gradStream = arena.take(rows * config.hiddenSize);
        gradNormed = arena.take(rows * config.hiddenSize);
    }

    const std::int64_t shared = arena.position();
    logits = arena.take(chunkRows * config.vocabularySize);
    total = arena.position();
    if (!train)
        return;
    arena.rewind(shared);
    gradAttention = arena.take(rows * queryWidth);
    gradQkv = arena.take(rows * (queryWidth + 2 * config.kvHeads * config.headSize));
    total = std::max(total, arena.position());
    arena.rewind(shared);
    gradGated = arena.take(rows * config.intermediateSize);
    total = std::max(total, arena.position());
}

} // namespace commonweight::model
