#pragma once
// A run of bytes in device memory, and how a command uses it. Plain values.

#include "gpu/vulkan/api.h"

#include <cstdint>

namespace commonweight::gpu::vulkan {

struct Region {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceSize offset = 0;
    VkDeviceSize bytes = 0;

    Region part(VkDeviceSize from, VkDeviceSize count) const
    {
        return {buffer, offset + from, count};
    }
    VkDeviceSize end() const { return offset + bytes; }
    bool overlaps(const Region& other) const
    {
        return buffer == other.buffer && offset < other.end() && other.offset < end();
    }
};

enum class Access { Read, Write }; ///< Write: or both

struct Use {
    Region region;
    Access access = Access::Read;
};

inline Use reading(Use use)
{
    use.access = Access::Read;
    return use;
}
inline Use writing(Use use)
{
    use.access = Access::Write;
    return use;
}
/// Elements of four bytes.
inline std::int64_t elementsOf(const Use& use)
{
    return static_cast<std::int64_t>(use.region.bytes / 4);
}
/// Whether shaders may read it as vec4.
inline bool isAligned(const Use& use)
{
    return use.region.offset % 16 == 0;
}

/// What is bound for a region: from an aligned place at or before it. A multiple of 16 bytes, so
/// that shaders may read vec4 from regions that begin at one.
inline Region boundRegion(const Region& region, const VkPhysicalDeviceLimits& limits)
{
    const VkDeviceSize alignment =
        limits.minStorageBufferOffsetAlignment > 16 ? limits.minStorageBufferOffsetAlignment : 16;
    const VkDeviceSize begin = region.offset / alignment * alignment;
    return {region.buffer, begin, region.end() - begin};
}

} // namespace commonweight::gpu::vulkan
