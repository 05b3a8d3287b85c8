// Operations of VulkanDevice that belong to a layer of the transformer, but for attention and
// products.
#include "gpu/vulkan/vulkan_device.h"

#include <algorithm>

namespace commonweight::gpu::vulkan {
namespace {

constexpr std::uint32_t kThreads = 256;

std::uint32_t narrow(std::int64_t value)
{
    return static_cast<std::uint32_t>(value);
}

// One thread for each element.
Groups groupsFor(std::int64_t count)
{
    return Groups::line((count + kThreads - 1) / kThreads);
}

// Threads of a group that walks along a row.
std::uint32_t threadsFor(std::int64_t width)
{
    std::uint32_t threads = 32;
    while (threads < kThreads && threads * 2 <= width)
        threads *= 2;
    return threads;
}

} // namespace

bool VulkanDevice::validRows(std::int64_t rows, std::int64_t width, const char* what)
{
    if (rows < 0 || width <= 0)
        fail(ErrorKind::Device, std::string(what) + " has an impossible shape");
    return !failed();
}

void VulkanDevice::embedding(Slice out, Slice table, Slice tokens, std::int64_t width)
{
    if (!validRows(tokens.elements, width, "an embedding"))
        return;
    const std::int64_t count = tokens.elements * width;
    const std::int64_t vocabulary = table.elements / width;
    const Use target = write(out, count, "the embedded rows");
    const Use source = read(table, vocabulary * width, "the embedding table");
    const Use rows = readIntegers(tokens, tokens.elements, "the tokens");
    struct Parameters {
        std::uint32_t count, width, vocabulary;
    };
    run({"embedding", {kThreads}}, {target, source, rows},
        Parameters{narrow(count), narrow(width), narrow(vocabulary)}, groupsFor(count),
        2 * static_cast<double>(count));
}

void VulkanDevice::embeddingBackward(Slice gradTable, Slice gradOut, Slice tokens,
                                     std::int64_t width)
{
    if (!validRows(tokens.elements, width, "an embedding"))
        return;
    const std::int64_t rows = tokens.elements;
    const std::int64_t vocabulary = gradTable.elements / width;
    const Use target = write(gradTable, vocabulary * width, "the gradient of the embedding table");
    const Use source = read(gradOut, rows * width, "the gradient of the embedded rows");
    const Use tokenRows = readIntegers(tokens, rows, "the tokens");
    struct Parameters {
        std::uint32_t rows, width, vocabulary;
    };
    const std::uint32_t threads = threadsFor(width);
    Groups groups = Groups::line(rows);
    groups.z = static_cast<std::uint64_t>((width + threads - 1) / threads);
    // Each group also looks through the tokens.
    const double search = static_cast<double>(rows) * static_cast<double>(rows) / threads;
    run({"embedding_backward", {threads}}, {target, source, tokenRows},
        Parameters{narrow(rows), narrow(width), narrow(vocabulary)}, groups,
        3 * static_cast<double>(rows * width) + search * static_cast<double>(groups.z));
}

void VulkanDevice::rmsNorm(const RmsNorm& o)
{
    if (!validRows(o.rows, o.width, "a norm"))
        return;
    const Use x = read(o.x, o.rows * o.width, "the rows to norm");
    const Use weight = read(o.weight, o.width, "the weight of a norm");
    const Use y = write(o.y, o.rows * o.width, "the normed rows");
    const Use reciprocal = write(o.reciprocal, o.rows, "the reciprocals of a norm");
    struct Parameters {
        std::uint32_t rows, width;
        float epsilon;
    };
    run({"rms_norm", {threadsFor(o.width)}}, {x, weight, y, reciprocal},
        Parameters{narrow(o.rows), narrow(o.width), o.epsilon}, Groups::line(o.rows),
        3 * static_cast<double>(o.rows * o.width));
}

void VulkanDevice::rmsNormBackward(const RmsNormBackward& o)
{
    if (!validRows(o.rows, o.width, "a norm"))
        return;
    const Use x = read(o.x, o.rows * o.width, "the rows to norm");
    const Use weight = read(o.weight, o.width, "the weight of a norm");
    const Use reciprocal = read(o.reciprocal, o.rows, "the reciprocals of a norm");
    const Use gradY = read(o.gradY, o.rows * o.width, "the gradient of the normed rows");
    const Use gradX = write(o.gradX, o.rows * o.width, "the gradient of the rows");
    const Use gradWeight = write(o.gradWeight, o.width, "the gradient of a norm's weight");
    constexpr std::int64_t kMostChunks = 64;
    constexpr std::int64_t kLeastChunk = 64;
    const std::int64_t chunk = std::max(kLeastChunk, (o.rows + kMostChunks - 1) / kMostChunks);
    const std::int64_t chunks = (o.rows + chunk - 1) / chunk;
    const Use partial = scratch(chunks * o.width);
    if (failed() || o.rows == 0)
        return;
    const auto work = 4 * static_cast<double>(o.rows * o.width);
    struct RowParameters {
        std::uint32_t rows, width;
    };
    run({"rms_norm_backward", {threadsFor(o.width)}}, {x, weight, reciprocal, gradY, gradX},
        RowParameters{narrow(o.rows), narrow(o.width)}, Groups::line(o.rows), work);
    struct WeightParameters {
        std::uint32_t rows, width, chunk;
    };
    constexpr std::int64_t kColumns = 32;
    run({"rms_norm_backward_weight", {kThreads}}, {x, reciprocal, gradY, partial},
        WeightParameters{narrow(o.rows), narrow(o.width), narrow(chunk)},
        {static_cast<std::uint64_t>((o.width + kColumns - 1) / kColumns),
         static_cast<std::uint64_t>(chunks), 1},
        work);
    sumSlabs({gradWeight, reading(partial), reading(gradWeight), reading(gradWeight)},
             {o.width, o.width, chunks, true, false});
}

void VulkanDevice::rope(const Rope& o)
{
    const auto& shape = o.shape;
    if (!validAttention(shape, "a rotary embedding"))
        return;
    if (shape.headSize % 2 != 0)
        return fail(ErrorKind::Device, "a rotary embedding needs an even head size");
    const Use qkv = write(o.qkv, shape.rows() * shape.rowWidth(), "queries, keys and values");
    const Use table = read(o.table, shape.length * shape.headSize, "the table of angles");
    const std::int64_t turned = shape.heads + shape.kvHeads;
    const std::int64_t count = shape.rows() * turned * shape.headSize / 2;
    struct Parameters {
        std::uint32_t count, tokens, turned, rowWidth, halfSize;
        float sign;
    };
    run({"rope", {kThreads}}, {qkv, table},
        Parameters{narrow(count), narrow(shape.length), narrow(turned), narrow(shape.rowWidth()),
                   narrow(shape.headSize / 2), o.direction == Direction::Forward ? 1.0F : -1.0F},
        groupsFor(count), 5 * static_cast<double>(count));
}

void VulkanDevice::swiGlu(const SwiGlu& o)
{
    if (!validRows(o.rows, o.width, "a gate"))
        return;
    const Use gateUp = read(o.gateUp, 2 * o.rows * o.width, "gate and up");
    const Use out = write(o.out, o.rows * o.width, "the gated rows");
    struct Parameters {
        std::uint32_t count, width;
    };
    run({"swi_glu", {kThreads}}, {gateUp, out},
        Parameters{narrow(o.rows * o.width), narrow(o.width)}, groupsFor(o.rows * o.width),
        3 * static_cast<double>(o.rows * o.width));
}

void VulkanDevice::swiGluBackward(const SwiGluBackward& o)
{
    if (!validRows(o.rows, o.width, "a gate"))
        return;
    const Use gateUp = read(o.gateUp, 2 * o.rows * o.width, "gate and up");
    const Use gradOut = read(o.gradOut, o.rows * o.width, "the gradient of the gated rows");
    const Use gradGateUp = write(o.gradGateUp, 2 * o.rows * o.width, "the gradient of gate and up");
    struct Parameters {
        std::uint32_t count, width;
    };
    run({"swi_glu_backward", {kThreads}}, {gateUp, gradOut, gradGateUp},
        Parameters{narrow(o.rows * o.width), narrow(o.width)}, groupsFor(o.rows * o.width),
        5 * static_cast<double>(o.rows * o.width));
}

void VulkanDevice::softmaxCrossEntropy(const SoftmaxCrossEntropy& o)
{
    if (!validRows(o.rows, o.classes, "a loss"))
        return;
    const Use logits = write(o.logits, o.rows * o.classes, "the logits");
    const Use targets = readIntegers(o.targets, o.rows, "the targets");
    const Use losses = write(o.losses, o.rows, "the losses");
    struct Parameters {
        std::uint32_t rows, classes, gradient;
        float gradientScale;
    };
    run({"softmax_cross_entropy", {threadsFor(o.classes)}}, {logits, targets, losses},
        Parameters{narrow(o.rows), narrow(o.classes), o.gradient, o.gradientScale},
        Groups::line(o.rows), 3 * static_cast<double>(o.rows * o.classes));
}

} // namespace commonweight::gpu::vulkan
