#pragma once
// The ways in which the one matrix product shader cuts its work. Constants and pure functions, any
// thread.

#include "gpu/vulkan/api.h"

#include <array>
#include <cstdint>

namespace commonweight::gpu::vulkan {

/// A work group makes rows × columns of the product, walking along k in steps of `depth`; a thread
/// makes threadRows × threadColumns of them. Each number is a multiple of 4, and threadRows divides
/// rows, threadColumns columns.
struct TileClass {
    std::uint32_t rows, columns, depth, threadRows, threadColumns;

    std::uint32_t threads() const { return rows / threadRows * (columns / threadColumns); }
    /// Two tiles of fp32 in vec4, each line one vec4 longer than it needs against bank conflicts.
    std::uint32_t sharedBytes() const { return depth * (rows / 4 + columns / 4 + 2) * 16; }
    bool fits(const VkPhysicalDeviceLimits& limits) const
    {
        return sharedBytes() <= limits.maxComputeSharedMemorySize &&
               threads() <= limits.maxComputeWorkGroupInvocations &&
               threads() <= limits.maxComputeWorkGroupSize[0];
    }
    bool operator==(const TileClass&) const = default;
};

/// The first one fits every device.
constexpr std::array<TileClass, 8> kTileClasses = {{{64, 64, 16, 8, 4},
                                                    {128, 128, 16, 8, 8},
                                                    {128, 64, 16, 8, 8},
                                                    {64, 64, 32, 4, 4},
                                                    {64, 64, 16, 8, 8},
                                                    {128, 128, 8, 8, 8},
                                                    {32, 64, 32, 4, 4},
                                                    {32, 32, 32, 4, 4}}};

} // namespace commonweight::gpu::vulkan
