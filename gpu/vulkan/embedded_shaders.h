#pragma once
// The shaders of gpu/vulkan/shaders as SPIR-V, compiled and embedded by the build. Constants; any
// thread.

#include <cstdint>
#include <span>
#include <string_view>

namespace commonweight::gpu::vulkan {

struct EmbeddedShader {
    std::string_view name;
    std::span<const std::uint32_t> words;
};

std::span<const EmbeddedShader> embeddedShaders();

} // namespace commonweight::gpu::vulkan
