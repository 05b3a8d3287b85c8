#pragma once
// Vulkan's functions as tables that are filled at run time: the plug-in links no Vulkan library, so
// a machine without one gets a sentence instead of a loader's error. Members carry Vulkan's own
// names. A table is a plain value: tests replace entries to let a driver fail.

#include "engine/base/result.h"

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <vulkan/vulkan_core.h>

namespace commonweight::gpu::vulkan {

#define CW_VULKAN_GLOBAL_FUNCTIONS(X)                                                              \
    X(CreateInstance)                                                                              \
    X(EnumerateInstanceVersion)                                                                    \
    X(EnumerateInstanceLayerProperties)                                                            \
    X(EnumerateInstanceExtensionProperties)

#define CW_VULKAN_INSTANCE_FUNCTIONS(X)                                                            \
    X(DestroyInstance)                                                                             \
    X(EnumeratePhysicalDevices)                                                                    \
    X(GetPhysicalDeviceProperties2)                                                                \
    X(GetPhysicalDeviceFeatures2)                                                                  \
    X(GetPhysicalDeviceMemoryProperties2)                                                          \
    X(GetPhysicalDeviceQueueFamilyProperties)                                                      \
    X(EnumerateDeviceExtensionProperties)                                                          \
    X(CreateDevice)                                                                                \
    X(GetDeviceProcAddr)

#define CW_VULKAN_DEVICE_FUNCTIONS(X)                                                              \
    X(DestroyDevice)                                                                               \
    X(DeviceWaitIdle)                                                                              \
    X(GetDeviceQueue)                                                                              \
    X(QueueSubmit)                                                                                 \
    X(CreateBuffer)                                                                                \
    X(DestroyBuffer)                                                                               \
    X(GetBufferMemoryRequirements)                                                                 \
    X(AllocateMemory)                                                                              \
    X(FreeMemory)                                                                                  \
    X(BindBufferMemory)                                                                            \
    X(MapMemory)                                                                                   \
    X(CreateCommandPool)                                                                           \
    X(DestroyCommandPool)                                                                          \
    X(AllocateCommandBuffers)                                                                      \
    X(BeginCommandBuffer)                                                                          \
    X(EndCommandBuffer)                                                                            \
    X(CmdBindPipeline)                                                                             \
    X(CmdBindDescriptorSets)                                                                       \
    X(CmdPushConstants)                                                                            \
    X(CmdDispatchBase)                                                                             \
    X(CmdPipelineBarrier)                                                                          \
    X(CmdCopyBuffer)                                                                               \
    X(CmdFillBuffer)                                                                               \
    X(CmdResetQueryPool)                                                                           \
    X(CmdWriteTimestamp)                                                                           \
    X(CreateQueryPool)                                                                             \
    X(DestroyQueryPool)                                                                            \
    X(GetQueryPoolResults)                                                                         \
    X(CreateSemaphore)                                                                             \
    X(DestroySemaphore)                                                                            \
    X(WaitSemaphores)                                                                              \
    X(CreateDescriptorSetLayout)                                                                   \
    X(DestroyDescriptorSetLayout)                                                                  \
    X(CreateDescriptorPool)                                                                        \
    X(DestroyDescriptorPool)                                                                       \
    X(AllocateDescriptorSets)                                                                      \
    X(UpdateDescriptorSets)                                                                        \
    X(CreatePipelineLayout)                                                                        \
    X(DestroyPipelineLayout)                                                                       \
    X(CreateShaderModule)                                                                          \
    X(DestroyShaderModule)                                                                         \
    X(CreateComputePipelines)                                                                      \
    X(DestroyPipeline)                                                                             \
    X(CreatePipelineCache)                                                                         \
    X(DestroyPipelineCache)                                                                        \
    X(GetPipelineCacheData)

#define CW_VULKAN_MEMBER(name) PFN_vk##name name = nullptr;

struct GlobalApi {
    PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
    CW_VULKAN_GLOBAL_FUNCTIONS(CW_VULKAN_MEMBER)
};
struct InstanceApi {
    CW_VULKAN_INSTANCE_FUNCTIONS(CW_VULKAN_MEMBER)
    PFN_vkCreateDebugUtilsMessengerEXT CreateDebugUtilsMessengerEXT = nullptr; ///< may be absent
    PFN_vkDestroyDebugUtilsMessengerEXT DestroyDebugUtilsMessengerEXT = nullptr;
};
struct DeviceApi {
    CW_VULKAN_DEVICE_FUNCTIONS(CW_VULKAN_MEMBER)
};
#undef CW_VULKAN_MEMBER

/// Opens Vulkan's loader, which stays open until the process ends. Device: "Vulkan is not installed
/// …".
Result<GlobalApi> openLoader(const char* library);
/// Device when the loader or driver lacks a function of Vulkan 1.2.
Result<InstanceApi> loadInstanceApi(const GlobalApi& global, VkInstance instance);
Result<DeviceApi> loadDeviceApi(const InstanceApi& api, VkDevice device);

/// The error for a result that is not VK_SUCCESS: OutOfMemory or Device, with a sentence for
/// people. `what` was being done: "starting the device".
Error vulkanError(VkResult result, const char* what);

/// A zero-filled Vulkan structure with its type.
template <class Structure> Structure structure(VkStructureType type)
{
    Structure result{};
    result.sType = type;
    return result;
}

} // namespace commonweight::gpu::vulkan
