// Attention on VulkanDevice.
#include "gpu/vulkan/vulkan_device.h"

#include <array>
#include <cmath>

namespace commonweight::gpu::vulkan {
namespace {

constexpr std::uint32_t kThreads = 128;
constexpr std::uint32_t kLanes = 8;

// Rows and columns of scores that a thread holds; attention.glsl has the meaning.
struct AttentionTile {
    std::uint32_t threadRows, threadColumns;

    std::uint32_t block() const { return kThreads / kLanes * threadRows; }
    std::uint32_t tile() const { return kLanes * threadColumns; }
};

// The largest first: keys and values are read once for each block.
constexpr std::array<AttentionTile, 6> kTiles = {{{4, 4}, {2, 4}, {2, 2}, {1, 4}, {1, 2}, {1, 1}}};

// Shared memory: `blocks` blocks of rows, one tile, and the weights of one against the other.
std::uint64_t sharedBytes(const AttentionTile& t, std::int64_t headSize, std::uint64_t blocks)
{
    const std::uint64_t line = (static_cast<std::uint64_t>(headSize) + 3) / 4 + 1;
    return 16 * line * (blocks * t.block() + t.tile()) + 4ULL * t.block() * (t.tile() + 1);
}

// What a thread keeps in registers must stay below what compilers spill.
std::uint64_t registersFor(const AttentionTile& t, std::int64_t headSize, std::uint64_t sums)
{
    const std::uint64_t features = (static_cast<std::uint64_t>(headSize) + 31) / 32;
    return sums * t.threadRows * features * 4 + 5ULL * t.threadRows * t.threadColumns;
}

const AttentionTile* chooseTile(const VkPhysicalDeviceLimits& limits, const AttentionShape& shape,
                                std::uint64_t blocks, std::uint64_t sums)
{
    constexpr std::uint64_t kMostRegisters = 160;
    const AttentionTile* fitting = nullptr;
    for (const auto& tile : kTiles) {
        if (sharedBytes(tile, shape.headSize, blocks) > limits.maxComputeSharedMemorySize)
            continue;
        fitting = &tile;
        if (registersFor(tile, shape.headSize, sums) <= kMostRegisters)
            return fitting;
    }
    return fitting;
}

struct Parameters {
    std::uint32_t sequences, tokens, heads, kvHeads;
    float scale;
};

Parameters parametersOf(const AttentionShape& shape)
{
    return {static_cast<std::uint32_t>(shape.sequences), static_cast<std::uint32_t>(shape.length),
            static_cast<std::uint32_t>(shape.heads), static_cast<std::uint32_t>(shape.kvHeads),
            1.0F / std::sqrt(static_cast<float>(shape.headSize))};
}

struct Variant {
    bool vectors = false;
    std::uint32_t rounding = 0;
};

Kernel kernelOf(const char* name, const AttentionShape& shape, const AttentionTile& tile,
                const Variant& variant)
{
    constexpr std::uint32_t kUnused = 0;
    return {name,
            {kThreads, static_cast<std::uint32_t>(shape.headSize), tile.threadRows,
             tile.threadColumns, variant.vectors, kThreads, kUnused, kUnused, kUnused, kUnused,
             kUnused, kUnused, variant.rounding},
            true};
}

Groups groupsOf(const AttentionShape& shape, const AttentionTile& tile, std::int64_t heads)
{
    return {(static_cast<std::uint64_t>(shape.length) + tile.block() - 1) / tile.block(),
            static_cast<std::uint64_t>(heads), static_cast<std::uint64_t>(shape.sequences)};
}

// Multiply-adds of one product of all queries with the keys that they see.
double productWork(const AttentionShape& shape)
{
    return static_cast<double>(shape.rows()) * static_cast<double>(shape.length) / 2 *
           static_cast<double>(shape.heads * shape.headSize);
}

} // namespace

bool VulkanDevice::validAttention(const AttentionShape& shape, const char* what)
{
    const bool valid = shape.sequences > 0 && shape.length > 0 && shape.kvHeads > 0 &&
                       shape.heads > 0 && shape.heads % shape.kvHeads == 0 && shape.headSize > 0;
    if (!valid)
        fail(ErrorKind::Device, std::string(what) + " has an impossible shape");
    return valid && !failed();
}

void VulkanDevice::attention(const Attention& o)
{
    const auto& shape = o.shape;
    if (!validAttention(shape, "attention"))
        return;
    const Use qkv = read(o.qkv, shape.rows() * shape.rowWidth(), "queries, keys and values");
    const Use out = write(o.out, shape.rows() * shape.heads * shape.headSize, "attention's result");
    const Use logSum = write(o.logSum, shape.rows() * shape.heads, "attention's sums");
    const auto* tile = chooseTile(m_device->limits(), shape, 1, 1);
    if (!tile)
        return fail(ErrorKind::Device, "heads of " + std::to_string(shape.headSize) +
                                           " are too large for " + m_capabilities.name);
    const bool vectors = shape.headSize % 4 == 0 && isAligned(qkv) && isAligned(out);
    run(kernelOf("attention", shape, *tile, {vectors, m_rounding}), {qkv, out, logSum},
        parametersOf(shape), groupsOf(shape, *tile, shape.heads), 2 * productWork(shape));
}

void VulkanDevice::attentionBackward(const AttentionBackward& o)
{
    const auto& shape = o.shape;
    if (!validAttention(shape, "attention"))
        return;
    const std::int64_t outElements = shape.rows() * shape.heads * shape.headSize;
    const Use qkv = read(o.qkv, shape.rows() * shape.rowWidth(), "queries, keys and values");
    const Use out = read(o.out, outElements, "attention's result");
    const Use logSum = read(o.logSum, shape.rows() * shape.heads, "attention's sums");
    const Use gradOut = read(o.gradOut, outElements, "the gradient of attention's result");
    const Use gradQkv = write(o.gradQkv, shape.rows() * shape.rowWidth(), "attention's gradient");
    const Use delta = scratch(shape.rows() * shape.heads);
    const auto* queryTile = chooseTile(m_device->limits(), shape, 2, 1);
    const auto* keyTile = chooseTile(m_device->limits(), shape, 2, 2);
    if (!queryTile || !keyTile)
        return fail(ErrorKind::Device, "heads of " + std::to_string(shape.headSize) +
                                           " are too large for " + m_capabilities.name);
    const bool vectors =
        shape.headSize % 4 == 0 && isAligned(qkv) && isAligned(gradOut) && isAligned(gradQkv);
    const auto parameters = parametersOf(shape);
    constexpr std::int64_t kItems = kThreads / kLanes;
    run(kernelOf("attention_delta", shape, {1, 1}, {false, m_rounding}), {out, gradOut, delta},
        parameters, Groups::line((shape.rows() * shape.heads + kItems - 1) / kItems),
        static_cast<double>(2 * outElements));
    const std::initializer_list<Use> uses = {qkv, gradOut, logSum, reading(delta), gradQkv};
    run(kernelOf("attention_backward_q", shape, *queryTile, {vectors, m_rounding}), uses,
        parameters, groupsOf(shape, *queryTile, shape.heads), 3 * productWork(shape));
    run(kernelOf("attention_backward_kv", shape, *keyTile, {vectors, m_rounding}), uses, parameters,
        groupsOf(shape, *keyTile, shape.kvHeads), 4 * productWork(shape));
}

} // namespace commonweight::gpu::vulkan
