#pragma once
// How a Vulkan device is opened: by the plug-in as the registry asks, by tests as they need. Plain
// values.

#include "gpu/vulkan/tile_class.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace commonweight::gpu::vulkan {

/// What the validation layer says, in tests and when COMMONWEIGHT_VULKAN_VALIDATE is set.
struct Complaints {
    std::mutex mutex;
    std::vector<std::string> texts;
};

/// fp32 sums of factors in these; all but fp32 for units that ask for it, not for speed.
constexpr std::array<const char*, 3> kNumericClasses = {"fp32", "bf16", "fp16"};

struct VulkanOptions {
    std::filesystem::path cacheFolder = {}; ///< empty: nothing is kept
    std::string numericClass = "fp32";      ///< one of kNumericClasses
    std::span<const TileClass> tiles = kTileClasses;
    std::shared_ptr<Complaints> complaints = {}; ///< become the device's errors
};

} // namespace commonweight::gpu::vulkan
