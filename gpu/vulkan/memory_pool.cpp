#include "gpu/vulkan/memory_pool.h"

#include "gpu/byte_text.h"

#include <algorithm>
#include <optional>

namespace commonweight::gpu::vulkan {
namespace {

// Above every device's alignment of storage buffers, and a whole number of its memory's pieces.
constexpr VkDeviceSize kAlignment = 256;
constexpr VkDeviceSize kLargestBlock = 64 << 20;

VkMemoryPropertyFlags wanted(MemoryBlock::Kind kind)
{
    switch (kind) {
    case MemoryBlock::Kind::Device:
        return VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    case MemoryBlock::Kind::Download:
        return VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
               VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    default:
        return VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    }
}

std::optional<std::uint32_t> memoryType(const VkPhysicalDeviceMemoryProperties& memory,
                                        std::uint32_t allowed, VkMemoryPropertyFlags flags)
{
    for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
        if ((allowed >> i & 1U) && (memory.memoryTypes[i].propertyFlags & flags) == flags)
            return i;
    }
    return std::nullopt;
}

} // namespace

Result<std::unique_ptr<MemoryBlock>> MemoryBlock::create(LogicalDevice& device, Kind kind,
                                                         VkDeviceSize bytes)
{
    std::unique_ptr<MemoryBlock> block(new MemoryBlock(device));
    const auto& vk = device.vk;
    constexpr const char* kDoing = "reserving memory";
    auto info = structure<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    if (const auto result = vk.CreateBuffer(device.handle(), &info, nullptr, &block->m_buffer);
        result != VK_SUCCESS)
        return vulkanError(result, kDoing);
    VkMemoryRequirements needs{};
    vk.GetBufferMemoryRequirements(device.handle(), block->m_buffer, &needs);
    const auto& memory = device.physical().memory;
    auto type = memoryType(memory, needs.memoryTypeBits, wanted(kind));
    if (!type && kind == Kind::Download)
        type = memoryType(memory, needs.memoryTypeBits, wanted(Kind::Upload));
    if (!type)
        return Error{ErrorKind::Device, "the Vulkan driver offers no memory for this use"};
    auto allocation = structure<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
    allocation.allocationSize = needs.size;
    allocation.memoryTypeIndex = *type;
    if (const auto result =
            vk.AllocateMemory(device.handle(), &allocation, nullptr, &block->m_memory);
        result != VK_SUCCESS)
        return vulkanError(result, kDoing);
    if (const auto result =
            vk.BindBufferMemory(device.handle(), block->m_buffer, block->m_memory, 0);
        result != VK_SUCCESS)
        return vulkanError(result, kDoing);
    block->m_bytes = bytes;
    if (kind == Kind::Device)
        return block;
    void* mapped = nullptr;
    if (const auto result =
            vk.MapMemory(device.handle(), block->m_memory, 0, VK_WHOLE_SIZE, 0, &mapped);
        result != VK_SUCCESS)
        return vulkanError(result, "mapping memory");
    block->m_mapped = static_cast<std::byte*>(mapped);
    return block;
}

MemoryBlock::~MemoryBlock()
{
    if (m_buffer)
        m_device.vk.DestroyBuffer(m_device.handle(), m_buffer, nullptr);
    if (m_memory)
        m_device.vk.FreeMemory(m_device.handle(), m_memory, nullptr);
}

MemoryPool::MemoryPool(LogicalDevice& device)
    : m_device(device), m_blockBytes(std::min<VkDeviceSize>(
                            kLargestBlock, rounded(device.physical().memoryBytes() / 16 + 1)))
{}

VkDeviceSize MemoryPool::rounded(VkDeviceSize bytes)
{
    return (std::max<VkDeviceSize>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
}

bool MemoryPool::Block::empty() const
{
    return gaps.size() == 1 && gaps.begin()->second == memory->whole().bytes;
}

Result<Region> MemoryPool::allocate(VkDeviceSize bytes)
{
    const VkDeviceSize size = rounded(bytes);
    for (auto& block : m_blocks) {
        const auto gap = std::find_if(block.gaps.begin(), block.gaps.end(),
                                      [size](const auto& entry) { return entry.second >= size; });
        if (gap == block.gaps.end())
            continue;
        const auto [offset, length] = *gap;
        block.gaps.erase(gap);
        if (length > size)
            block.gaps.emplace(offset + size, length - size);
        return block.memory->whole().part(offset, bytes);
    }
    return fromNewBlock(bytes);
}

Result<Region> MemoryPool::fromNewBlock(VkDeviceSize bytes)
{
    const VkDeviceSize size = rounded(bytes);
    const auto& physical = m_device.physical();
    if (size > physical.maxBufferBytes)
        return Error{ErrorKind::OutOfMemory,
                     "a buffer of " + byteText(bytes) + " is more than the " +
                         byteText(physical.maxBufferBytes) + " that " +
                         physical.properties.deviceName + " holds in one piece"};
    const std::uint64_t free = m_device.freeMemory(m_held);
    const auto tooLittle = [&] {
        return Error{ErrorKind::OutOfMemory, std::string(physical.properties.deviceName) +
                                                 " needs " + byteText(bytes) + " more but " +
                                                 byteText(free) + " are free"};
    };
    if (size > free)
        return tooLittle();
    const VkDeviceSize whole = size > m_blockBytes / 2 || m_blockBytes > free ? size : m_blockBytes;
    auto memory = MemoryBlock::create(m_device, MemoryBlock::Kind::Device, whole);
    if (!memory && memory.error().kind == ErrorKind::OutOfMemory)
        return tooLittle();
    if (!memory)
        return memory.error();
    Block block{std::move(*memory), {}};
    if (whole > size)
        block.gaps.emplace(size, whole - size);
    m_held += whole;
    m_blocks.push_back(std::move(block));
    return m_blocks.back().memory->whole().part(0, bytes);
}

void MemoryPool::free(const Region& region)
{
    const auto block = std::find_if(m_blocks.begin(), m_blocks.end(), [&](const Block& b) {
        return b.memory->whole().buffer == region.buffer;
    });
    assert(block != m_blocks.end());
    auto gap = block->gaps.emplace(region.offset, rounded(region.bytes)).first;
    const auto behind = std::next(gap);
    if (behind != block->gaps.end() && gap->first + gap->second == behind->first) {
        gap->second += behind->second;
        block->gaps.erase(behind);
    }
    if (gap != block->gaps.begin()) {
        const auto before = std::prev(gap);
        if (before->first + before->second == gap->first) {
            before->second += gap->second;
            block->gaps.erase(gap);
        }
    }
    if (!block->empty())
        return;
    m_held -= block->memory->whole().bytes;
    m_blocks.erase(block);
}

} // namespace commonweight::gpu::vulkan
