#include "gpu/cpu/attention.h"

#include "gpu/cpu/gemm.h"

#include <algorithm>
#include <cmath>

namespace commonweight::gpu::cpu {
namespace {

float scoreScale(const AttentionShape& shape)
{
    return 1.0F / std::sqrt(static_cast<float>(shape.headSize));
}

// Where the parts of one sequence and head begin inside rows of queries, keys and values.
struct HeadView {
    HeadView(const AttentionShape& shape, std::int64_t sequence, std::int64_t head)
        : width(shape.rowWidth()), outWidth(shape.heads * shape.headSize),
          firstRow(sequence * shape.length)
    {
        const std::int64_t kvHead = head / (shape.heads / shape.kvHeads);
        query = firstRow * width + head * shape.headSize;
        key = firstRow * width + (shape.heads + kvHead) * shape.headSize;
        value = key + shape.kvHeads * shape.headSize;
        out = firstRow * outWidth + head * shape.headSize;
        logSum = (sequence * shape.heads + head) * shape.length;
    }

    std::int64_t width, outWidth, firstRow;
    std::int64_t query, key, value, out, logSum;
};

} // namespace

AttentionKernel::AttentionKernel(ThreadPool& pool, const Kernels& kernels)
    : m_pool(pool), m_kernels(kernels), m_scratch(static_cast<std::size_t>(pool.threads()))
{}

std::int64_t AttentionKernel::blockRows(const AttentionShape& shape)
{
    // Scores of a block stay in the second-level cache, and below a bound with very long sequences.
    constexpr std::int64_t kScores = 1 << 16;
    return std::min(shape.length, std::clamp<std::int64_t>(kScores / shape.length, 16, 64));
}

float* AttentionKernel::scratch(int worker, std::int64_t floats)
{
    auto& memory = m_scratch[static_cast<std::size_t>(worker)];
    if (memory.size() < static_cast<std::size_t>(floats))
        memory.resize(static_cast<std::size_t>(floats));
    return memory.data();
}

void AttentionKernel::forward(const AttentionData& data)
{
    const auto& shape = data.shape;
    const std::int64_t block = blockRows(shape);
    const std::int64_t blocks = (shape.length + block - 1) / block;
    for (int worker = 0; worker < m_pool.threads(); ++worker)
        scratch(worker, block * shape.length);
    const double microseconds = microsecondsOf(block * shape.length * shape.headSize);
    m_pool.run(shape.sequences * shape.heads * blocks, microseconds,
               [&](std::int64_t task, int worker) { forwardBlock(data, task, worker); });
}

void AttentionKernel::forwardBlock(const AttentionData& data, std::int64_t task, int worker)
{
    const auto& shape = data.shape;
    const std::int64_t block = blockRows(shape);
    const std::int64_t blocks = (shape.length + block - 1) / block;
    const std::int64_t sequenceHead = task / blocks;
    const HeadView at(shape, sequenceHead / shape.heads, sequenceHead % shape.heads);
    const std::int64_t first = task % blocks * block;
    const std::int64_t rows = std::min(block, shape.length - first);
    const std::int64_t columns = first + rows; // keys behind the block are in nobody's past
    float* scores = scratch(worker, 0);

    smallProduct({.a = {data.qkv + at.query + first * at.width, at.width},
                  .b = {data.qkv + at.key, at.width, true},
                  .out = scores,
                  .outStride = columns,
                  .m = rows,
                  .n = columns,
                  .k = shape.headSize});
    m_kernels.attentionSoftmax(scores, data.logSum + at.logSum + first,
                               {rows, columns, first, scoreScale(shape)});
    smallProduct({.a = {scores, columns},
                  .b = {data.qkv + at.value, at.width},
                  .out = data.out + at.out + first * at.outWidth,
                  .outStride = at.outWidth,
                  .m = rows,
                  .n = shape.headSize,
                  .k = columns});
}

void AttentionKernel::backward(const AttentionData& data)
{
    const auto& shape = data.shape;
    const std::int64_t block = blockRows(shape);
    for (int worker = 0; worker < m_pool.threads(); ++worker)
        scratch(worker, block * (2 * shape.length + 1));
    // One task for each key and value head: its gradients are summed over queries in one order.
    const double microseconds = microsecondsOf(3 * shape.length * shape.length * shape.headSize);
    m_pool.run(shape.sequences * shape.kvHeads, microseconds,
               [&](std::int64_t task, int worker) { backwardGroup(data, task, worker); });
}

void AttentionKernel::backwardGroup(const AttentionData& data, std::int64_t task, int worker)
{
    const auto& shape = data.shape;
    const std::int64_t block = blockRows(shape);
    const std::int64_t group = shape.heads / shape.kvHeads;
    const std::int64_t blocks = (shape.length + block - 1) / block;
    float* scores = scratch(worker, 0);
    float* gradScores = scores + block * shape.length;
    float* outDotGradOut = gradScores + block * shape.length;

    for (std::int64_t step = 0; step < group * blocks; ++step) {
        const std::int64_t head = task % shape.kvHeads * group + step / blocks;
        const HeadView at(shape, task / shape.kvHeads, head);
        // From the last block to the first: the first one looked at covers every key, so it may
        // overwrite.
        const std::int64_t first = (blocks - 1 - step % blocks) * block;
        const std::int64_t rows = std::min(block, shape.length - first);
        const std::int64_t columns = first + rows;
        const float* query = data.qkv + at.query + first * at.width;
        const float* gradOut = data.gradOut + at.out + first * at.outWidth;
        const float* out = data.out + at.out + first * at.outWidth;

        for (std::int64_t r = 0; r < rows; ++r)
            outDotGradOut[r] =
                m_kernels.dot(out + r * at.outWidth, gradOut + r * at.outWidth, shape.headSize);
        smallProduct({.a = {query, at.width},
                      .b = {data.qkv + at.key, at.width, true},
                      .out = scores,
                      .outStride = columns,
                      .m = rows,
                      .n = columns,
                      .k = shape.headSize});
        smallProduct({.a = {gradOut, at.outWidth},
                      .b = {data.qkv + at.value, at.width, true},
                      .out = gradScores,
                      .outStride = columns,
                      .m = rows,
                      .n = columns,
                      .k = shape.headSize});
        m_kernels.attentionSoftmaxBackward(scores, gradScores, data.logSum + at.logSum + first,
                                           outDotGradOut,
                                           {rows, columns, first, scoreScale(shape)});
        smallProduct({.a = {gradScores, columns},
                      .b = {data.qkv + at.key, at.width},
                      .out = data.gradQkv + at.query + first * at.width,
                      .outStride = at.width,
                      .m = rows,
                      .n = shape.headSize,
                      .k = columns});
        smallProduct({.a = {gradScores, columns, true},
                      .b = {query, at.width},
                      .out = data.gradQkv + at.key,
                      .outStride = at.width,
                      .m = columns,
                      .n = shape.headSize,
                      .k = rows,
                      .accumulate = step > 0});
        smallProduct({.a = {scores, columns, true},
                      .b = {gradOut, at.outWidth},
                      .out = data.gradQkv + at.value,
                      .outStride = at.width,
                      .m = columns,
                      .n = shape.headSize,
                      .k = rows,
                      .accumulate = step > 0});
    }
}

} // namespace commonweight::gpu::cpu
