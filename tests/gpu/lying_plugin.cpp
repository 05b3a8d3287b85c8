// A plug-in with one device that computes on plain loops and, while the file COMMONWEIGHT_LIE_WHILE
// exists (or that variable is not set), gives wrong results for the operation COMMONWEIGHT_LIE.
#include "gpu/check/reference_device.h"
#include "gpu/plugin.h"
#include "tests/gpu/lying_device.h"

#include <cstdlib>

namespace {

using namespace commonweight;

std::string variable(const char* name)
{
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::vector<gpu::DeviceInfo> listDevices()
{
    gpu::DeviceInfo info{"cuda:lying", "cuda", "a lying device", 1U << 30};
    info.kind = gpu::DeviceKind::Discrete;
    info.driver = "driver " + variable("COMMONWEIGHT_LIE_DRIVER");
    return {info};
}

Result<std::unique_ptr<gpu::Device>> openDevice(const std::string&, const gpu::OpenOptions&)
{
    std::unique_ptr<gpu::Device> honest = std::make_unique<gpu::ReferenceDevice>();
    for (const auto operation : gpu::kOperations) {
        if (variable("COMMONWEIGHT_LIE") != gpu::nameOf(operation))
            continue;
        const auto file = variable("COMMONWEIGHT_LIE_WHILE");
        return std::unique_ptr<gpu::Device>(std::make_unique<test::LyingDevice>(
            std::move(honest), operation, test::Lie::Value,
            [file] { return file.empty() || std::filesystem::exists(file); }));
    }
    return honest;
}

constexpr gpu::Plugin kPlugin{gpu::kPluginAbi, listDevices, openDevice};

} // namespace

COMMONWEIGHT_GPU_PLUGIN_EXPORT const commonweight::gpu::Plugin* commonweight_gpu_plugin()
{
    return &kPlugin;
}
