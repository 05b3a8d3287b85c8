#include "engine/model/parameter_ranges.h"

namespace commonweight::model {
namespace {

// Hands out neighbouring ranges.
class Cursor {
public:
    Range take(std::int64_t count)
    {
        const Range range{m_next, count};
        m_next += count;
        return range;
    }
    std::int64_t position() const { return m_next; }

private:
    std::int64_t m_next = 0;
};

void append(std::vector<Range>& ranges, const Range& range)
{
    if (!ranges.empty() && ranges.back().first + ranges.back().count == range.first)
        ranges.back().count += range.count;
    else
        ranges.push_back(range);
}

} // namespace

ParameterRanges::ParameterRanges(const ModelConfig& config)
{
    const std::int64_t width = config.hiddenSize;
    const std::int64_t queryWidth = config.heads * config.headSize;
    const std::int64_t qkvWidth = queryWidth + 2 * config.kvHeads * config.headSize;
    Cursor cursor;
    embedding = cursor.take(config.vocabularySize * width);
    for (std::int64_t l = 0; l < config.layers; ++l) {
        LayerRanges layer;
        layer.qkv = cursor.take(qkvWidth * width);
        layer.attentionOut = cursor.take(width * queryWidth);
        layer.gateUp = cursor.take(2 * config.intermediateSize * width);
        layer.down = cursor.take(width * config.intermediateSize);
        layer.attentionNorm = cursor.take(width);
        layer.mlpNorm = cursor.take(width);
        layers.push_back(layer);
    }
    norm = cursor.take(width);
    head = config.tieEmbeddings ? embedding : cursor.take(config.vocabularySize * width);
    total = cursor.position();

    Cursor tensors;
    for (const auto& tensor : parameterLayout(config))
        append(tensor.shape.size() == 1 ? vectors : matrices, tensors.take(tensor.elements()));
    assert(tensors.position() == total);
}

} // namespace commonweight::model
