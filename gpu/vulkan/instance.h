#pragma once
// Vulkan on this computer: the loader, one instance, and which of its devices can train. Made by
// the plug-in's list() and open(); shared by the devices that are opened from it. Any thread.

#include "gpu/registry.h"
#include "gpu/vulkan/api.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace commonweight::gpu::vulkan {

struct InstanceOptions {
    const char* library = "libvulkan.so.1";
    /// Turns the validation layer on, with synchronization validation; each complaint is passed
    /// here.
    std::function<void(const std::string&)> onComplaint;
};

/// What is known of a device before it is opened.
struct PhysicalDevice {
    VkPhysicalDevice handle = VK_NULL_HANDLE;
    VkPhysicalDeviceProperties properties{};
    VkPhysicalDeviceVulkan11Properties properties11{};
    VkPhysicalDeviceVulkan12Properties properties12{};
    VkPhysicalDeviceMemoryProperties memory{};
    VkDeviceSize maxBufferBytes = 0; ///< of one VkBuffer
    std::uint32_t queueFamily = 0;   ///< for compute, without graphics where there is such a one
    bool timestamps = false;         ///< the queue measures time
    bool memoryBudget = false;       ///< VK_EXT_memory_budget
    int computeUnits = 0;            ///< multiprocessors; an estimate where no driver tells
    std::string pciLocation;         ///< "0000:01:00.0", empty where the driver does not tell

    std::string id() const;            ///< "vulkan:6d657361-…": stable over restarts
    std::string driver() const;        ///< its name and version: "radv, Mesa 22.3.6"
    std::uint64_t memoryBytes() const; ///< of the largest device-local heap
    std::uint32_t heap() const;        ///< that heap's index
    bool isProcessor() const;          ///< a driver that computes on the CPU, like Mesa's lavapipe
};

class Instance {
public:
    /// Device: no loader, no driver, or one older than Vulkan 1.2.
    static Result<std::shared_ptr<Instance>> create(const InstanceOptions& options);
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;
    ~Instance();

    /// Devices that can train, discrete ones first, then integrated ones, then drivers on the CPU.
    /// Why another one is left out is logged.
    std::vector<PhysicalDevice> devices() const;

    InstanceApi vk;

private:
    Instance() = default;
    Result<void> start(const GlobalApi& global);

    VkInstance m_instance = VK_NULL_HANDLE;
    VkDebugUtilsMessengerEXT m_messenger = VK_NULL_HANDLE;
    std::function<void(const std::string&)> m_onComplaint;
};

/// Device with the reason unless the kernels of gpu/vulkan/shaders can run there.
Result<void> checkCanTrain(const PhysicalDevice& device);

} // namespace commonweight::gpu::vulkan
