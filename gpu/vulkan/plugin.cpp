#include "gpu/plugin.h"

#include "engine/base/log.h"
#include "gpu/vulkan/vulkan_device.h"

#include <algorithm>
#include <cstdlib>

namespace commonweight::gpu::vulkan {
namespace {

bool isSet(const char* variable)
{
    const char* value = std::getenv(variable);
    return value && *value != '\0' && std::string(value) != "0";
}

DeviceKind kindOf(const PhysicalDevice& device)
{
    switch (device.properties.deviceType) {
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        return DeviceKind::Processor;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return DeviceKind::Integrated;
    default:
        return DeviceKind::Discrete;
    }
}

std::vector<DeviceInfo> listDevices()
{
    const auto instance = Instance::create({});
    if (!instance) {
        spdlog::debug("No Vulkan devices: {}", instance.error().message);
        return {};
    }
    std::vector<DeviceInfo> list;
    for (const auto& device : (*instance)->devices()) {
        DeviceInfo info{device.id(), "vulkan", device.properties.deviceName, device.memoryBytes()};
        info.kind = kindOf(device);
        info.driver = device.driver();
        info.location = device.pciLocation;
        list.push_back(std::move(info));
    }
    return list;
}

Result<std::unique_ptr<Device>> openDevice(const std::string& id, const OpenOptions& options)
{
    VulkanOptions chosen{.cacheFolder = options.cacheFolder.empty() ? defaultCacheFolder()
                                                                    : options.cacheFolder};
    InstanceOptions instanceOptions;
    if (isSet("COMMONWEIGHT_VULKAN_VALIDATE")) {
        chosen.complaints = std::make_shared<Complaints>();
        instanceOptions.onComplaint = [complaints = chosen.complaints](const std::string& text) {
            const std::scoped_lock lock(complaints->mutex);
            complaints->texts.push_back(text);
        };
    }
    if (!chosen.cacheFolder.empty())
        chosen.cacheFolder /= "vulkan";
    CW_TRY(const auto instance, Instance::create(instanceOptions));
    const auto devices = instance->devices();
    const auto device =
        std::find_if(devices.begin(), devices.end(), [&id](const auto& d) { return d.id() == id; });
    if (device == devices.end())
        return Error{ErrorKind::NotFound, devices.empty()
                                              ? "no graphics card with a Vulkan driver was found"
                                              : "there is no compute device '" + id + "'"};
    CW_TRY(auto logical, LogicalDevice::create(instance, *device));
    CW_TRY(auto opened, VulkanDevice::open(std::move(logical), std::move(chosen)));
    return std::unique_ptr<Device>(std::move(opened));
}

constexpr Plugin kPlugin{kPluginAbi, listDevices, openDevice};

} // namespace
} // namespace commonweight::gpu::vulkan

COMMONWEIGHT_GPU_PLUGIN_EXPORT const commonweight::gpu::Plugin* commonweight_gpu_plugin()
{
    return &commonweight::gpu::vulkan::kPlugin;
}
