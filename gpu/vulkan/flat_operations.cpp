// Operations of VulkanDevice over flat ranges: parameters, gradients, moments. They may be of any
// size and are cut into what a kernel can see at once.
#include "gpu/vulkan/vulkan_device.h"

#include <cmath>

namespace commonweight::gpu::vulkan {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kEach = 4; // elements of a thread

Groups groupsFor(std::int64_t count)
{
    constexpr std::int64_t kGroup = std::int64_t{kThreads} * kEach;
    return Groups::line((count + kGroup - 1) / kGroup);
}

std::uint32_t narrow(std::int64_t value)
{
    return static_cast<std::uint32_t>(value);
}

} // namespace

void VulkanDevice::addWithSign(const Use& out, const Use& a, const Use& b, float sign)
{
    struct Parameters {
        std::uint32_t count;
        float sign;
    };
    inRanges(elementsOf(out), [&](std::int64_t first, std::int64_t count) {
        run({"add", {kThreads, kEach}},
            {part(out, first, count), part(a, first, count), part(b, first, count)},
            Parameters{narrow(count), sign}, groupsFor(count), 3 * static_cast<double>(count));
    });
}

void VulkanDevice::add(Slice out, Slice a, Slice b)
{
    const Use target = writing(anyUse(out, ElementType::F32, out.elements, "the sum"));
    const Use left = anyUse(a, ElementType::F32, out.elements, "the left summand");
    const Use right = anyUse(b, ElementType::F32, out.elements, "the right summand");
    addWithSign(target, left, right, 1);
}

void VulkanDevice::difference(Slice out, Slice a, Slice b)
{
    const Use target = writing(anyUse(out, ElementType::F32, out.elements, "the difference"));
    const Use left = anyUse(a, ElementType::F32, out.elements, "the minuend");
    const Use right = anyUse(b, ElementType::F32, out.elements, "the subtrahend");
    addWithSign(target, left, right, -1);
}

void VulkanDevice::scale(Slice x, float factor)
{
    const Use target = writing(anyUse(x, ElementType::F32, x.elements, "what is scaled"));
    struct Parameters {
        std::uint32_t count;
        float factor;
    };
    inRanges(elementsOf(target), [&](std::int64_t first, std::int64_t count) {
        run({"scale", {kThreads, kEach}}, {part(target, first, count)},
            Parameters{narrow(count), factor}, groupsFor(count), 2 * static_cast<double>(count));
    });
}

Result<double> VulkanDevice::squaredNorm(Slice x)
{
    constexpr std::int64_t kMostGroups = 256;
    constexpr std::int64_t kLeastShare = 4096;
    constexpr std::int64_t kSums = 6;
    const Use source = anyUse(x, ElementType::F32, x.elements, "the operand of a norm");
    const Use sums = scratch(kMostGroups * kSums);
    struct Parameters {
        std::uint32_t count, share, nothing;
    };
    double total = 0;
    inRanges(elementsOf(source), [&](std::int64_t first, std::int64_t count) {
        const std::int64_t share = std::max(kLeastShare, (count + kMostGroups - 1) / kMostGroups);
        const std::int64_t groups = (count + share - 1) / share;
        const Use written = part(sums, 0, groups * kSums);
        run({"squared_norm", {kThreads, kThreads}}, {part(source, first, count), written},
            Parameters{narrow(count), narrow(share), 0}, Groups::line(groups),
            4 * static_cast<double>(count));
        std::vector<float> parts(static_cast<std::size_t>(groups * kSums));
        if (!failed())
            note(m_staging->download(std::as_writable_bytes(std::span(parts)), written.region));
        for (std::size_t i = 0; i < parts.size(); ++i) {
            constexpr int kScales[] = {160, 160, 0, 0, -160, -160}; // of large, middle, small
            total += std::ldexp(static_cast<double>(parts[i]), kScales[i % kSums]);
        }
    });
    CW_CHECK(synchronise());
    return total;
}

void VulkanDevice::adamW(const AdamW& o)
{
    const std::int64_t total = o.parameters.elements;
    const Use parameters = writing(anyUse(o.parameters, ElementType::F32, total, "the parameters"));
    const Use gradient = anyUse(o.gradient, ElementType::F32, total, "the gradient");
    const Use moment1 = writing(anyUse(o.first, ElementType::F32, total, "the first moment"));
    const Use moment2 = writing(anyUse(o.second, ElementType::F32, total, "the second moment"));
    struct Parameters {
        std::uint32_t count;
        float decay, beta1, beta2, gradientScale, step, rootScale, epsilon;
    };
    inRanges(elementsOf(parameters), [&](std::int64_t first, std::int64_t count) {
        run({"adam_w", {kThreads, kEach}},
            {part(parameters, first, count), part(gradient, first, count),
             part(moment1, first, count), part(moment2, first, count)},
            Parameters{narrow(count), 1.0F - o.learningRate * o.weightDecay, o.beta1, o.beta2,
                       o.gradientScale, o.learningRate / o.correction1,
                       1.0F / std::sqrt(o.correction2), o.epsilon},
            groupsFor(count), 7 * static_cast<double>(count));
    });
}

} // namespace commonweight::gpu::vulkan
