#include "gpu/vulkan/api.h"

#include <dlfcn.h>

namespace commonweight::gpu::vulkan {
namespace {

Error missing(const char* name)
{
    return Error{ErrorKind::Device,
                 std::string("the Vulkan driver lacks ") + name + ", a function of Vulkan 1.2"};
}

} // namespace

Result<GlobalApi> openLoader(const char* library)
{
    void* loader = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!loader)
        return Error{ErrorKind::Device,
                     std::string("Vulkan is not installed: ") + dlerror() +
                         "; install the package libvulkan1 and your graphics card's driver"};
    GlobalApi api;
    api.GetInstanceProcAddr =
        reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(loader, "vkGetInstanceProcAddr"));
    if (!api.GetInstanceProcAddr)
        return missing("vkGetInstanceProcAddr");
#define CW_VULKAN_LOAD(name)                                                                       \
    api.name = reinterpret_cast<PFN_vk##name>(api.GetInstanceProcAddr(nullptr, "vk" #name));       \
    if (!api.name)                                                                                 \
        return missing("vk" #name);
    CW_VULKAN_GLOBAL_FUNCTIONS(CW_VULKAN_LOAD)
#undef CW_VULKAN_LOAD
    return api;
}

Result<InstanceApi> loadInstanceApi(const GlobalApi& global, VkInstance instance)
{
    InstanceApi api;
#define CW_VULKAN_FIND(name)                                                                       \
    api.name = reinterpret_cast<PFN_vk##name>(global.GetInstanceProcAddr(instance, "vk" #name));
#define CW_VULKAN_LOAD(name)                                                                       \
    CW_VULKAN_FIND(name)                                                                           \
    if (!api.name)                                                                                 \
        return missing("vk" #name);
    CW_VULKAN_INSTANCE_FUNCTIONS(CW_VULKAN_LOAD)
    CW_VULKAN_FIND(CreateDebugUtilsMessengerEXT)
    CW_VULKAN_FIND(DestroyDebugUtilsMessengerEXT)
#undef CW_VULKAN_LOAD
#undef CW_VULKAN_FIND
    return api;
}

Result<DeviceApi> loadDeviceApi(const InstanceApi& instance, VkDevice device)
{
    DeviceApi api;
#define CW_VULKAN_LOAD(name)                                                                       \
    api.name = reinterpret_cast<PFN_vk##name>(instance.GetDeviceProcAddr(device, "vk" #name));     \
    if (!api.name)                                                                                 \
        return missing("vk" #name);
    CW_VULKAN_DEVICE_FUNCTIONS(CW_VULKAN_LOAD)
#undef CW_VULKAN_LOAD
    return api;
}

Error vulkanError(VkResult result, const char* what)
{
    const std::string doing = std::string(" while ") + what;
    switch (result) {
    case VK_ERROR_DEVICE_LOST:
        return {ErrorKind::Device,
                "the graphics card stopped working" + doing +
                    " (device lost): its driver was reset or crashed; start the device again"};
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        return {ErrorKind::OutOfMemory, "the graphics card ran out of memory" + doing +
                                            "; a smaller micro-batch needs less"};
    case VK_ERROR_OUT_OF_HOST_MEMORY:
        return {ErrorKind::OutOfMemory,
                "the graphics driver ran out of the computer's memory" + doing};
    case VK_TIMEOUT:
        return {ErrorKind::Device, "the graphics card did not answer in time" + doing};
    case VK_ERROR_INCOMPATIBLE_DRIVER:
        return {ErrorKind::Device,
                "no Vulkan driver is installed for a graphics card of this computer"};
    default:
        return {ErrorKind::Device,
                "the Vulkan driver failed" + doing + " (error " + std::to_string(result) + ")"};
    }
}

} // namespace commonweight::gpu::vulkan
