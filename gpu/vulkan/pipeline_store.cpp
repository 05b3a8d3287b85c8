#include "gpu/vulkan/pipeline_store.h"

#include "gpu/vulkan/embedded_shaders.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace commonweight::gpu::vulkan {
namespace {

constexpr const char* kDoing = "compiling a kernel";

const EmbeddedShader& shaderNamed(std::string_view name)
{
    const auto shaders = embeddedShaders();
    const auto shader = std::find_if(shaders.begin(), shaders.end(),
                                     [name](const auto& s) { return s.name == name; });
    assert(shader != shaders.end());
    return *shader;
}

template <class Value> ByteView bytesOf(const Value& value)
{
    return {reinterpret_cast<const Byte*>(&value), sizeof value};
}

std::string nameOf(const Kernel& kernel)
{
    std::string name = kernel.shader;
    for (const std::uint32_t constant : kernel.constants)
        name += ' ' + std::to_string(constant);
    return name;
}

} // namespace

Sha256 PipelineStore::keyOf(const PhysicalDevice& device)
{
    Sha256Hasher hasher;
    hasher.update(bytesOf(device.properties.vendorID));
    hasher.update(bytesOf(device.properties.deviceID));
    hasher.update(bytesOf(device.properties.driverVersion));
    hasher.update(bytesOf(device.properties.pipelineCacheUUID));
    hasher.update(bytesOf(device.properties11.deviceUUID));
    hasher.update(bytesOf(device.properties11.driverUUID));
    for (const auto& shader : embeddedShaders()) {
        hasher.update(asBytes(shader.name));
        hasher.update(
            {reinterpret_cast<const Byte*>(shader.words.data()), shader.words.size_bytes()});
    }
    return hasher.finish();
}

Result<std::unique_ptr<PipelineStore>> PipelineStore::create(LogicalDevice& device, KeptFile file)
{
    std::unique_ptr<PipelineStore> store(new PipelineStore(device, std::move(file)));
    CW_CHECK(store->createLayouts());
    CW_CHECK(store->createCache());
    return store;
}

PipelineStore::~PipelineStore()
{
    const auto& vk = m_device.vk;
    keep();
    for (const auto& [name, pipeline] : m_pipelines)
        vk.DestroyPipeline(m_device.handle(), pipeline.handle, nullptr);
    vk.DestroyPipelineCache(m_device.handle(), m_cache, nullptr);
    vk.DestroyPipelineLayout(m_device.handle(), m_layout, nullptr);
    vk.DestroyDescriptorSetLayout(m_device.handle(), m_setLayout, nullptr);
}

// One layout serves all kernels, so that sets and push constants are handled in one way.
Result<void> PipelineStore::createLayouts()
{
    const auto& vk = m_device.vk;
    std::array<VkDescriptorSetLayoutBinding, kBindings> bindings{};
    for (std::uint32_t i = 0; i < kBindings; ++i) {
        bindings[i].binding = i;
        bindings[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        bindings[i].descriptorCount = 1;
        bindings[i].stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    }
    auto set = structure<VkDescriptorSetLayoutCreateInfo>(
        VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
    set.bindingCount = kBindings;
    set.pBindings = bindings.data();
    if (const auto result =
            vk.CreateDescriptorSetLayout(m_device.handle(), &set, nullptr, &m_setLayout);
        result != VK_SUCCESS)
        return vulkanError(result, kDoing);
    VkPushConstantRange push{};
    push.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    push.size = kBindings * sizeof(std::uint32_t) + kParameterBytes;
    auto layout =
        structure<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
    layout.setLayoutCount = 1;
    layout.pSetLayouts = &m_setLayout;
    layout.pushConstantRangeCount = 1;
    layout.pPushConstantRanges = &push;
    if (const auto result = vk.CreatePipelineLayout(m_device.handle(), &layout, nullptr, &m_layout);
        result != VK_SUCCESS)
        return vulkanError(result, kDoing);
    return {};
}

Result<void> PipelineStore::createCache()
{
    const auto kept = m_file.read();
    auto info = structure<VkPipelineCacheCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO);
    if (kept) {
        info.initialDataSize = kept->size();
        info.pInitialData = kept->data();
    }
    m_startedFromFile = kept.has_value();
    if (const auto result =
            m_device.vk.CreatePipelineCache(m_device.handle(), &info, nullptr, &m_cache);
        result != VK_SUCCESS)
        return vulkanError(result, kDoing);
    return {};
}

Result<const Pipeline*> PipelineStore::pipeline(const Kernel& kernel)
{
    const std::string name = nameOf(kernel);
    const auto found = m_pipelines.find(name);
    if (found != m_pipelines.end())
        return &found->second;
    CW_TRY(const Pipeline made, compile(kernel));
    m_changed = true;
    return &m_pipelines.emplace(name, made).first->second;
}

Result<Pipeline> PipelineStore::compile(const Kernel& kernel)
{
    const auto& vk = m_device.vk;
    const auto& shader = shaderNamed(kernel.shader);
    auto code = structure<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    code.codeSize = shader.words.size_bytes();
    code.pCode = shader.words.data();
    VkShaderModule module = VK_NULL_HANDLE;
    if (const auto result = vk.CreateShaderModule(m_device.handle(), &code, nullptr, &module);
        result != VK_SUCCESS)
        return vulkanError(result, kDoing);

    std::vector<VkSpecializationMapEntry> entries;
    for (std::uint32_t i = 0; i < kernel.constants.size(); ++i)
        entries.push_back({i, i * 4, 4});
    VkSpecializationInfo constants{};
    constants.mapEntryCount = static_cast<std::uint32_t>(entries.size());
    constants.pMapEntries = entries.data();
    constants.dataSize = kernel.constants.size() * 4;
    constants.pData = kernel.constants.data();

    auto info =
        structure<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
    info.flags = VK_PIPELINE_CREATE_DISPATCH_BASE_BIT;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    info.stage.pSpecializationInfo = &constants;
    info.layout = m_layout;
    VkPipeline handle = VK_NULL_HANDLE;
    const auto result =
        vk.CreateComputePipelines(m_device.handle(), m_cache, 1, &info, nullptr, &handle);
    vk.DestroyShaderModule(m_device.handle(), module, nullptr);
    if (result != VK_SUCCESS)
        return vulkanError(result, kDoing);
    return Pipeline{handle, shader.name};
}

void PipelineStore::keep()
{
    if (!m_changed || !m_cache)
        return;
    m_changed = false;
    std::size_t size = 0;
    const auto& vk = m_device.vk;
    if (vk.GetPipelineCacheData(m_device.handle(), m_cache, &size, nullptr) != VK_SUCCESS)
        return;
    Bytes content(size);
    if (vk.GetPipelineCacheData(m_device.handle(), m_cache, &size, content.data()) != VK_SUCCESS)
        return;
    content.resize(size);
    m_file.write(content);
}

} // namespace commonweight::gpu::vulkan
