// Operations of VulkanDevice over flat ranges: parameters, gradients, moments.
#include "gpu/vulkan/vulkan_device.h"

namespace commonweight::gpu::vulkan {

void VulkanDevice::add(Slice, Slice, Slice) { fail(ErrorKind::Device, "not there"); }
void VulkanDevice::difference(Slice, Slice, Slice) { fail(ErrorKind::Device, "not there"); }
void VulkanDevice::scale(Slice, float) { fail(ErrorKind::Device, "not there"); }
Result<double> VulkanDevice::squaredNorm(Slice) { return Error{ErrorKind::Device, "not there"}; }
void VulkanDevice::adamW(const AdamW&) { fail(ErrorKind::Device, "not there"); }

} // namespace commonweight::gpu::vulkan
