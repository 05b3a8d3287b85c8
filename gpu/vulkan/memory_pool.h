#pragma once
// Device memory in few large blocks that are handed out in parts, since drivers allow only some
// thousand allocations and each is slow. Owned by VulkanDevice, called by its thread.

#include "gpu/vulkan/logical_device.h"
#include "gpu/vulkan/region.h"

#include <map>
#include <memory>
#include <vector>

namespace commonweight::gpu::vulkan {

/// One VkBuffer with memory of its own.
class MemoryBlock {
public:
    enum class Kind { Device, Upload, Download }; ///< the latter two are mapped and coherent

    static Result<std::unique_ptr<MemoryBlock>> create(LogicalDevice& device, Kind kind,
                                                       VkDeviceSize bytes);
    MemoryBlock(const MemoryBlock&) = delete;
    MemoryBlock& operator=(const MemoryBlock&) = delete;
    ~MemoryBlock();

    Region whole() const { return {m_buffer, 0, m_bytes}; }
    std::byte* mapped() const { return m_mapped; }

private:
    explicit MemoryBlock(LogicalDevice& device) : m_device(device) {}

    LogicalDevice& m_device;
    VkBuffer m_buffer = VK_NULL_HANDLE;
    VkDeviceMemory m_memory = VK_NULL_HANDLE;
    VkDeviceSize m_bytes = 0;
    std::byte* m_mapped = nullptr;
};

class MemoryPool {
public:
    explicit MemoryPool(LogicalDevice& device);

    /// At least `bytes`, aligned for any use. OutOfMemory with the sizes.
    Result<Region> allocate(VkDeviceSize bytes);
    /// Gives back what allocate() returned for `bytes`. The device must no longer use it.
    void free(const Region& region);
    /// Bytes of the blocks that are held.
    std::uint64_t heldBytes() const { return m_held; }

private:
    struct Block {
        std::unique_ptr<MemoryBlock> memory;
        std::map<VkDeviceSize, VkDeviceSize> gaps; ///< offset → bytes
        bool empty() const;
    };

    static VkDeviceSize rounded(VkDeviceSize bytes);
    Result<Region> fromNewBlock(VkDeviceSize bytes);

    LogicalDevice& m_device;
    VkDeviceSize m_blockBytes;
    std::uint64_t m_held = 0;
    std::vector<Block> m_blocks;
};

} // namespace commonweight::gpu::vulkan
