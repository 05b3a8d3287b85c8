#pragma once
// Opens the Vulkan device of the tests – Mesa's lavapipe unless COMMONWEIGHT_TEST_VULKAN names
// another – with the validation layer on, and lets a test change what the driver says and does.

#include "gpu/vulkan/vulkan_device.h"

#include <QTest>

#include <algorithm>
#include <functional>

namespace commonweight::test {

class VulkanBench {
public:
    using Options = gpu::vulkan::VulkanOptions;

    VulkanBench()
    {
        auto complaints = m_complaints;
        const auto created =
            gpu::vulkan::Instance::create({.onComplaint = [complaints](const std::string& text) {
                const std::scoped_lock lock(complaints->mutex);
                complaints->texts.push_back(text);
            }});
        if (!created)
            qFatal("%s (the packages mesa-vulkan-drivers and vulkan-validationlayers are needed)",
                   created.error().message.c_str());
        m_instance = *created;
        const auto devices = m_instance->devices();
        const auto wanted = qEnvironmentVariable("COMMONWEIGHT_TEST_VULKAN").toStdString();
        const auto found = std::find_if(devices.begin(), devices.end(), [&](const auto& device) {
            return wanted.empty() ? device.isProcessor() : device.id() == wanted;
        });
        if (found == devices.end())
            qFatal("no Vulkan device to test (the package mesa-vulkan-drivers is needed)");
        physical = *found;
    }

    /// `change` may replace functions of the driver.
    Result<std::unique_ptr<gpu::vulkan::VulkanDevice>>
    tryOpen(Options options = {},
            const std::function<void(gpu::vulkan::LogicalDevice&)>& change = {}) const
    {
        CW_TRY(auto logical, gpu::vulkan::LogicalDevice::create(m_instance, physical));
        if (change)
            change(*logical);
        options.complaints = m_complaints;
        return gpu::vulkan::VulkanDevice::open(std::move(logical), std::move(options));
    }
    std::unique_ptr<gpu::vulkan::VulkanDevice>
    open(const Options& options = {},
         const std::function<void(gpu::vulkan::LogicalDevice&)>& change = {}) const
    {
        auto device = tryOpen(options, change);
        if (!device)
            qFatal("%s", device.error().message.c_str());
        return std::move(*device);
    }
    /// Options that keep what was learned for other tests, so that not each one tunes.
    static Options keeping() { return {.cacheFolder = gpu::vulkan::defaultCacheFolder()}; }

    /// What the validation layer said since the last call.
    std::vector<std::string> complaints() const
    {
        const std::scoped_lock lock(m_complaints->mutex);
        return std::exchange(m_complaints->texts, {});
    }

    gpu::vulkan::PhysicalDevice physical; ///< may be changed before open()

private:
    std::shared_ptr<gpu::vulkan::Complaints> m_complaints =
        std::make_shared<gpu::vulkan::Complaints>();
    std::shared_ptr<gpu::vulkan::Instance> m_instance;
};

} // namespace commonweight::test
