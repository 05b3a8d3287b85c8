#include "gpu/vulkan/instance.h"

#include "engine/base/log.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

namespace commonweight::gpu::vulkan {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";
constexpr std::uint32_t kGroupInvocations = 256; // of the largest work group of our kernels
constexpr std::uint32_t kSharedBytes = 16384;
constexpr std::uint32_t kPushBytes = 128;
constexpr std::uint32_t kStorageBuffers = 8; // bindings of a kernel

VKAPI_ATTR VkBool32 VKAPI_CALL receive(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                       VkDebugUtilsMessageTypeFlagsEXT,
                                       const VkDebugUtilsMessengerCallbackDataEXT* data, void* user)
{
    const auto& onComplaint = *static_cast<std::function<void(const std::string&)>*>(user);
    onComplaint(data->pMessage);
    return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT messengerInfo(std::function<void(const std::string&)>* user)
{
    auto info = structure<VkDebugUtilsMessengerCreateInfoEXT>(
        VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
    info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
    info.pfnUserCallback = receive;
    info.pUserData = user;
    return info;
}

bool hasValidationLayer(const GlobalApi& global)
{
    std::uint32_t count = 0;
    global.EnumerateInstanceLayerProperties(&count, nullptr);
    std::vector<VkLayerProperties> layers(count);
    global.EnumerateInstanceLayerProperties(&count, layers.data());
    return std::any_of(layers.begin(), layers.end(), [](const VkLayerProperties& layer) {
        return std::strcmp(layer.layerName, kValidationLayer) == 0;
    });
}

// A queue family that only computes leaves the desktop's own queue alone.
bool chooseQueueFamily(const InstanceApi& vk, PhysicalDevice& device)
{
    std::uint32_t count = 0;
    vk.GetPhysicalDeviceQueueFamilyProperties(device.handle, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vk.GetPhysicalDeviceQueueFamilyProperties(device.handle, &count, families.data());
    bool found = false;
    for (std::uint32_t i = 0; i < count; ++i) {
        const bool computes = families[i].queueFlags & VK_QUEUE_COMPUTE_BIT;
        const bool only = !(families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT);
        if (!computes || (found && !only))
            continue;
        device.queueFamily = i;
        device.timestamps = families[i].timestampValidBits > 0;
        found = true;
        if (only)
            break;
    }
    return found;
}

// Vulkan itself does not tell; two vendors' extensions do.
int countComputeUnits(const InstanceApi& vk, const PhysicalDevice& device, bool amd, bool nvidia)
{
    auto properties =
        structure<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
    auto ofAmd = structure<VkPhysicalDeviceShaderCorePropertiesAMD>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD);
    auto ofNvidia = structure<VkPhysicalDeviceShaderSMBuiltinsPropertiesNV>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV);
    if (amd)
        properties.pNext = &ofAmd;
    else if (nvidia)
        properties.pNext = &ofNvidia;
    vk.GetPhysicalDeviceProperties2(device.handle, &properties);
    if (amd)
        return static_cast<int>(ofAmd.shaderEngineCount * ofAmd.shaderArraysPerEngineCount *
                                ofAmd.computeUnitsPerShaderArray);
    if (nvidia)
        return static_cast<int>(ofNvidia.shaderSMCount);
    constexpr int kDiscrete = 32;
    constexpr int kIntegrated = 12;
    constexpr int kProcessor = 2;
    if (device.isProcessor())
        return kProcessor;
    return device.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU ? kDiscrete
                                                                                : kIntegrated;
}

void readExtensions(const InstanceApi& vk, PhysicalDevice& device)
{
    std::uint32_t count = 0;
    vk.EnumerateDeviceExtensionProperties(device.handle, nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> extensions(count);
    vk.EnumerateDeviceExtensionProperties(device.handle, nullptr, &count, extensions.data());
    const auto has = [&](const char* name) {
        return std::any_of(extensions.begin(), extensions.end(), [&](const auto& extension) {
            return std::strcmp(extension.extensionName, name) == 0;
        });
    };
    if (has(VK_EXT_PCI_BUS_INFO_EXTENSION_NAME)) {
        auto properties =
            structure<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
        auto pci = structure<VkPhysicalDevicePCIBusInfoPropertiesEXT>(
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT);
        properties.pNext = &pci;
        vk.GetPhysicalDeviceProperties2(device.handle, &properties);
        std::array<char, 48> text{};
        std::snprintf(text.data(), text.size(), "%04x:%02x:%02x.%x", pci.pciDomain, pci.pciBus,
                      pci.pciDevice, pci.pciFunction);
        device.pciLocation = text.data();
    }
    device.memoryBudget = has(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
    device.computeUnits =
        std::max(1, countComputeUnits(vk, device, has(VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME),
                                      has(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME)));
}

PhysicalDevice describe(const InstanceApi& vk, VkPhysicalDevice handle)
{
    PhysicalDevice device;
    device.handle = handle;
    device.properties11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
    device.properties12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
    auto maintenance4 = structure<VkPhysicalDeviceMaintenance4Properties>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES);
    auto properties =
        structure<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
    vk.GetPhysicalDeviceProperties2(handle, &properties);
    const bool has13 = properties.properties.apiVersion >= VK_API_VERSION_1_3;
    properties.pNext = &device.properties11;
    device.properties11.pNext = &device.properties12;
    device.properties12.pNext = has13 ? &maintenance4 : nullptr;
    vk.GetPhysicalDeviceProperties2(handle, &properties);
    device.properties = properties.properties;
    device.properties11.pNext = nullptr;
    device.properties12.pNext = nullptr;
    device.maxBufferBytes = device.properties11.maxMemoryAllocationSize;
    if (has13)
        device.maxBufferBytes = std::min(device.maxBufferBytes, maintenance4.maxBufferSize);

    auto memory = structure<VkPhysicalDeviceMemoryProperties2>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2);
    vk.GetPhysicalDeviceMemoryProperties2(handle, &memory);
    device.memory = memory.memoryProperties;
    readExtensions(vk, device);
    return device;
}

int rankOf(const PhysicalDevice& device)
{
    switch (device.properties.deviceType) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        return 0;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return 1;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        return 3;
    default:
        return 2;
    }
}

} // namespace

std::string PhysicalDevice::id() const
{
    std::string text = "vulkan:";
    for (std::size_t i = 0; i < VK_UUID_SIZE; ++i) {
        std::array<char, 4> digits{};
        std::snprintf(digits.data(), digits.size(), "%02x", properties11.deviceUUID[i]);
        text += digits.data();
        if (i == 3 || i == 5 || i == 7 || i == 9)
            text += '-';
    }
    return text;
}

std::string PhysicalDevice::driver() const
{
    return std::string(properties12.driverName) + ", " + properties12.driverInfo + " (" +
           std::to_string(properties.driverVersion) + ")";
}

std::uint32_t PhysicalDevice::heap() const
{
    std::uint32_t best = 0;
    bool found = false;
    for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
        const bool local = memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;
        if (local && (!found || memory.memoryHeaps[i].size > memory.memoryHeaps[best].size)) {
            best = i;
            found = true;
        }
    }
    return best;
}

std::uint64_t PhysicalDevice::memoryBytes() const
{
    return memory.memoryHeaps[heap()].size;
}

bool PhysicalDevice::isProcessor() const
{
    return properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

Result<void> checkCanTrain(const PhysicalDevice& device)
{
    const auto& limits = device.properties.limits;
    const auto lacks = [&](const std::string& what) {
        return Error{ErrorKind::Device, std::string(device.properties.deviceName) +
                                            " cannot train: its driver lacks " + what +
                                            "; a newer driver may help"};
    };
    if (device.properties.apiVersion < VK_API_VERSION_1_2)
        return lacks("Vulkan 1.2");
    constexpr VkSubgroupFeatureFlags kOperations = VK_SUBGROUP_FEATURE_BASIC_BIT |
                                                   VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
                                                   VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
    constexpr std::uint32_t kLeastSubgroup = 8;
    constexpr std::uint32_t kMostSubgroup = 128;
    if ((device.properties11.subgroupSupportedOperations & kOperations) != kOperations ||
        !(device.properties11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) ||
        device.properties11.subgroupSize < kLeastSubgroup ||
        device.properties11.subgroupSize > kMostSubgroup)
        return lacks("operations of subgroups of 8 to 128");
    if (limits.maxComputeWorkGroupInvocations < kGroupInvocations ||
        limits.maxComputeWorkGroupSize[0] < kGroupInvocations)
        return lacks("work groups of 256");
    if (limits.maxComputeSharedMemorySize < kSharedBytes)
        return lacks("16 KiB of shared memory");
    if (limits.maxPushConstantsSize < kPushBytes ||
        limits.maxPerStageDescriptorStorageBuffers < kStorageBuffers)
        return lacks("8 storage buffers");
    return {};
}

Result<std::shared_ptr<Instance>> Instance::create(const InstanceOptions& options)
{
    CW_TRY(const GlobalApi global, openLoader(options.library));
    std::shared_ptr<Instance> instance(new Instance);
    instance->m_onComplaint = options.onComplaint;
    CW_CHECK(instance->start(global));
    return instance;
}

Result<void> Instance::start(const GlobalApi& global)
{
    std::uint32_t version = 0;
    global.EnumerateInstanceVersion(&version);
    if (version < VK_API_VERSION_1_2)
        return Error{ErrorKind::Device, "the installed Vulkan loader is older than Vulkan 1.2"};
    if (m_onComplaint && !hasValidationLayer(global))
        return Error{ErrorKind::Device,
                     "Vulkan's validation layer is not installed (vulkan-validationlayers)"};

    auto application = structure<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
    application.pApplicationName = "Commonweight";
    application.apiVersion = VK_API_VERSION_1_2;
    auto info = structure<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
    info.pApplicationInfo = &application;

    const VkValidationFeatureEnableEXT synchronization =
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
    auto features = structure<VkValidationFeaturesEXT>(VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT);
    features.enabledValidationFeatureCount = 1;
    features.pEnabledValidationFeatures = &synchronization;
    const auto messenger = messengerInfo(&m_onComplaint);
    features.pNext = &messenger;
    const char* extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    if (m_onComplaint) {
        info.pNext = &features;
        info.enabledLayerCount = 1;
        info.ppEnabledLayerNames = &kValidationLayer;
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &extension;
    }
    if (const auto result = global.CreateInstance(&info, nullptr, &m_instance);
        result != VK_SUCCESS)
        return vulkanError(result, "starting Vulkan");
    CW_TRY(vk, loadInstanceApi(global, m_instance));
    if (m_onComplaint && vk.CreateDebugUtilsMessengerEXT)
        vk.CreateDebugUtilsMessengerEXT(m_instance, &messenger, nullptr, &m_messenger);
    return {};
}

Instance::~Instance()
{
    if (m_messenger)
        vk.DestroyDebugUtilsMessengerEXT(m_instance, m_messenger, nullptr);
    if (m_instance && vk.DestroyInstance)
        vk.DestroyInstance(m_instance, nullptr);
}

std::vector<PhysicalDevice> Instance::devices() const
{
    std::uint32_t count = 0;
    std::vector<VkPhysicalDevice> handles;
    if (vk.EnumeratePhysicalDevices(m_instance, &count, nullptr) == VK_SUCCESS) {
        handles.resize(count);
        vk.EnumeratePhysicalDevices(m_instance, &count, handles.data());
        handles.resize(count);
    }
    std::vector<PhysicalDevice> devices;
    for (VkPhysicalDevice handle : handles) {
        PhysicalDevice device = describe(vk, handle);
        const bool again = std::any_of(devices.begin(), devices.end(), [&](const auto& other) {
            return other.id() == device.id(); // one card through two drivers
        });
        if (again)
            continue;
        const auto usable = checkCanTrain(device);
        if (!usable || !chooseQueueFamily(vk, device))
            spdlog::info("{}", usable ? std::string(device.properties.deviceName) +
                                            " cannot train: it has no queue for computing"
                                      : usable.error().message);
        else
            devices.push_back(device);
    }
    std::stable_sort(devices.begin(), devices.end(),
                     [](const auto& a, const auto& b) { return rankOf(a) < rankOf(b); });
    return devices;
}

} // namespace commonweight::gpu::vulkan
