#pragma once
// Compiled kernels: made at first use, remembered, and kept on disk so that the next start does not
// compile again. Owned by VulkanDevice, called by its thread.

#include "gpu/vulkan/kept_file.h"
#include "gpu/vulkan/kernel.h"
#include "gpu/vulkan/logical_device.h"

#include <map>
#include <string>
#include <string_view>

namespace commonweight::gpu::vulkan {

struct Pipeline {
    VkPipeline handle = VK_NULL_HANDLE;
    std::string_view kernel; ///< the shader's name, valid for ever
};

class PipelineStore {
public:
    static Result<std::unique_ptr<PipelineStore>> create(LogicalDevice& device, KeptFile file);
    PipelineStore(const PipelineStore&) = delete;
    PipelineStore& operator=(const PipelineStore&) = delete;
    ~PipelineStore();

    /// Valid as long as the store. Device when the driver cannot compile it.
    Result<const Pipeline*> pipeline(const Kernel& kernel);
    /// Writes what was compiled since the file was read or written; nothing when that is nothing.
    void keep();

    VkDescriptorSetLayout setLayout() const { return m_setLayout; }
    VkPipelineLayout layout() const { return m_layout; }
    bool startedFromFile() const { return m_startedFromFile; }

    /// The key under which files of a device are kept: device, driver and all shaders.
    static Sha256 keyOf(const PhysicalDevice& device);

private:
    PipelineStore(LogicalDevice& device, KeptFile file) : m_device(device), m_file(std::move(file))
    {}
    Result<void> createLayouts();
    Result<void> createCache();
    Result<Pipeline> compile(const Kernel& kernel);

    LogicalDevice& m_device;
    KeptFile m_file;
    VkDescriptorSetLayout m_setLayout = VK_NULL_HANDLE;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    VkPipelineCache m_cache = VK_NULL_HANDLE;
    std::map<std::string, Pipeline, std::less<>> m_pipelines;
    bool m_startedFromFile = false;
    bool m_changed = false;
};

} // namespace commonweight::gpu::vulkan
