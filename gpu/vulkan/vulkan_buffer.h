#pragma once
// A buffer of VulkanDevice. Made by its allocate(); destroyed before it.

#include "gpu/vulkan/vulkan_device.h"

namespace commonweight::gpu::vulkan {

class VulkanBuffer final : public Buffer {
public:
    VulkanBuffer(VulkanDevice& owner, ElementType type, std::int64_t elements, const Region& region)
        : m_owner(owner), m_type(type), m_elements(elements), m_region(region)
    {}
    VulkanBuffer(const VulkanBuffer&) = delete;
    VulkanBuffer& operator=(const VulkanBuffer&) = delete;
    ~VulkanBuffer() override { m_owner.release(m_region, m_elements); }

    ElementType type() const override { return m_type; }
    std::int64_t elements() const override { return m_elements; }
    const VulkanDevice* owner() const { return &m_owner; }
    const Region& region() const { return m_region; }

private:
    VulkanDevice& m_owner;
    ElementType m_type;
    std::int64_t m_elements;
    Region m_region;
};

} // namespace commonweight::gpu::vulkan
