#include "gpu/plugin.h"

#include "gpu/cpu/cpu_device.h"
#include "gpu/cpu/memory.h"

#include <algorithm>
#include <exception>
#include <new>

namespace commonweight::gpu::cpu {
namespace {

std::vector<DeviceInfo> listDevices()
{
    DeviceInfo processor{"cpu", "cpu", processorName(), totalMemory()};
    processor.driver = std::string(bestKernels().name) + ", " + libraryVersions();
    if (multipliesBf16())
        processor.numericClasses.emplace_back("bf16");
    return {std::move(processor)};
}

Result<std::unique_ptr<Device>> openDevice(const std::string&, const OpenOptions& options)
{
    // Starting threads and LibTorch is the only thing here that may throw.
    try {
        constexpr int kMostThreads = 256;
        std::unique_ptr<Device> device = std::make_unique<CpuDevice>(
            std::clamp(options.threads, 1, kMostThreads), options.numericClass == "bf16");
        return device;
    } catch (const std::bad_alloc&) {
        return Error{ErrorKind::OutOfMemory, "the processor cannot be used: no memory"};
    } catch (const std::exception& error) {
        return Error{ErrorKind::Device,
                     std::string("the processor cannot be used: ") + error.what()};
    }
}

constexpr Plugin kPlugin{kPluginAbi, listDevices, openDevice};

} // namespace
} // namespace commonweight::gpu::cpu

COMMONWEIGHT_GPU_PLUGIN_EXPORT const commonweight::gpu::Plugin* commonweight_gpu_plugin()
{
    return &commonweight::gpu::cpu::kPlugin;
}
