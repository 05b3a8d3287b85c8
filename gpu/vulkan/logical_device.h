#pragma once
// One opened Vulkan device with its queue. Owned by VulkanDevice and outlives everything that is
// made from it; called by the thread that uses the device.

#include "gpu/vulkan/instance.h"

namespace commonweight::gpu::vulkan {

class LogicalDevice {
public:
    /// Device when the driver refuses.
    static Result<std::unique_ptr<LogicalDevice>> create(std::shared_ptr<Instance> instance,
                                                         const PhysicalDevice& physical);
    LogicalDevice(const LogicalDevice&) = delete;
    LogicalDevice& operator=(const LogicalDevice&) = delete;
    ~LogicalDevice();

    VkDevice handle() const { return m_handle; }
    VkQueue queue() const { return m_queue; }
    const PhysicalDevice& physical() const { return m_physical; }
    const VkPhysicalDeviceLimits& limits() const { return m_physical.properties.limits; }
    /// Bytes of device memory that may still be taken, by all programs together where the driver
    /// tells, else the heap's size less `allocated`.
    std::uint64_t freeMemory(std::uint64_t allocated) const;

    DeviceApi vk;

private:
    LogicalDevice(std::shared_ptr<Instance> instance, const PhysicalDevice& physical)
        : m_instance(std::move(instance)), m_physical(physical)
    {}

    std::shared_ptr<Instance> m_instance;
    PhysicalDevice m_physical;
    VkDevice m_handle = VK_NULL_HANDLE;
    VkQueue m_queue = VK_NULL_HANDLE;
};

} // namespace commonweight::gpu::vulkan
