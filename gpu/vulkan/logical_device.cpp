#include "gpu/vulkan/logical_device.h"

#include <algorithm>

namespace commonweight::gpu::vulkan {

Result<std::unique_ptr<LogicalDevice>> LogicalDevice::create(std::shared_ptr<Instance> instance,
                                                             const PhysicalDevice& physical)
{
    std::unique_ptr<LogicalDevice> device(new LogicalDevice(std::move(instance), physical));
    const float priority = 0; // the desktop's own work goes first
    auto queue = structure<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
    queue.queueFamilyIndex = physical.queueFamily;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    auto features = structure<VkPhysicalDeviceVulkan12Features>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    features.timelineSemaphore = VK_TRUE;
    const char* budget = VK_EXT_MEMORY_BUDGET_EXTENSION_NAME;
    auto info = structure<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
    info.pNext = &features;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.enabledExtensionCount = physical.memoryBudget ? 1 : 0;
    info.ppEnabledExtensionNames = &budget;
    const auto& vk = device->m_instance->vk;
    if (const auto result = vk.CreateDevice(physical.handle, &info, nullptr, &device->m_handle);
        result != VK_SUCCESS)
        return vulkanError(result, "starting the device");
    CW_TRY(device->vk, loadDeviceApi(vk, device->m_handle));
    device->vk.GetDeviceQueue(device->m_handle, physical.queueFamily, 0, &device->m_queue);
    return device;
}

LogicalDevice::~LogicalDevice()
{
    if (m_handle && vk.DestroyDevice)
        vk.DestroyDevice(m_handle, nullptr);
}

std::uint64_t LogicalDevice::freeMemory(std::uint64_t allocated) const
{
    const std::uint32_t heap = m_physical.heap();
    const std::uint64_t size = m_physical.memory.memoryHeaps[heap].size;
    const std::uint64_t ours = size > allocated ? size - allocated : 0;
    if (!m_physical.memoryBudget)
        return ours;
    auto budget = structure<VkPhysicalDeviceMemoryBudgetPropertiesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT);
    auto memory = structure<VkPhysicalDeviceMemoryProperties2>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2);
    memory.pNext = &budget;
    m_instance->vk.GetPhysicalDeviceMemoryProperties2(m_physical.handle, &memory);
    const std::uint64_t whole = budget.heapBudget[heap];
    const std::uint64_t used = budget.heapUsage[heap];
    return std::min(ours, whole > used ? whole - used : 0);
}

} // namespace commonweight::gpu::vulkan
