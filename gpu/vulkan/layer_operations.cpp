// Operations of VulkanDevice that belong to a layer of the transformer, but for attention and products.
#include "gpu/vulkan/vulkan_device.h"

namespace commonweight::gpu::vulkan {

void VulkanDevice::embedding(Slice, Slice, Slice, std::int64_t) { fail(ErrorKind::Device, "not there"); }
void VulkanDevice::embeddingBackward(Slice, Slice, Slice, std::int64_t) { fail(ErrorKind::Device, "not there"); }
void VulkanDevice::rmsNorm(const RmsNorm&) { fail(ErrorKind::Device, "not there"); }
void VulkanDevice::rmsNormBackward(const RmsNormBackward&) { fail(ErrorKind::Device, "not there"); }
void VulkanDevice::rope(const Rope&) { fail(ErrorKind::Device, "not there"); }
void VulkanDevice::swiGlu(const SwiGlu&) { fail(ErrorKind::Device, "not there"); }
void VulkanDevice::swiGluBackward(const SwiGluBackward&) { fail(ErrorKind::Device, "not there"); }
void VulkanDevice::softmaxCrossEntropy(const SoftmaxCrossEntropy&) { fail(ErrorKind::Device, "not there"); }

} // namespace commonweight::gpu::vulkan
