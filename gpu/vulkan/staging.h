#pragma once
// The way between the computer's memory and the device's: a ring that uploads pass through without
// waiting, and a window for downloads. Owned by VulkanDevice, called by its thread.

#include "gpu/vulkan/command_stream.h"
#include "gpu/vulkan/memory_pool.h"

#include <deque>

namespace commonweight::gpu::vulkan {

class Staging {
public:
    static Result<std::unique_ptr<Staging>> create(LogicalDevice& device, CommandStream& stream);

    /// Copies `from`, which may be reused at once, and records its way to the device.
    Result<void> upload(const Region& to, std::span<const std::byte> from);
    /// Waits for all recorded work.
    Result<void> download(std::span<std::byte> to, const Region& from);

private:
    struct Piece {
        std::uint64_t end = 0; ///< in bytes since the start
        std::uint64_t progress = 0;
    };

    Staging(CommandStream& stream, std::unique_ptr<MemoryBlock> ring,
            std::unique_ptr<MemoryBlock> window)
        : m_stream(stream), m_ring(std::move(ring)), m_window(std::move(window))
    {}
    /// An offset in the ring with room for a piece.
    Result<VkDeviceSize> reserve(VkDeviceSize bytes);

    CommandStream& m_stream;
    std::unique_ptr<MemoryBlock> m_ring, m_window;
    std::uint64_t m_used = 0; ///< bytes handed out since the start, with the gaps at the ring's end
    std::uint64_t m_freed = 0;  ///< bytes that the device has read
    std::deque<Piece> m_pieces; ///< that the device may still read, oldest first
};

} // namespace commonweight::gpu::vulkan
