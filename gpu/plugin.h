#pragma once
// The door between the registry and a backend: what libcommonweight_<backend>.so exports, and all
// that it exports. A plug-in and the program that opens it come from the same build; the ABI text
// makes sure of it.

#include "gpu/registry.h"

namespace commonweight::gpu {

struct Plugin {
    const char* abi; ///< kPluginAbi as the plug-in was compiled
    /// Usable devices, processors behind a GPU's interface included; an empty list is no error.
    std::vector<DeviceInfo> (*list)();
    /// `id` is one of list(), the numeric class one of its. Device when it does not start.
    Result<std::unique_ptr<Device>> (*open)(const std::string& id, const OpenOptions& options);
};

/// Change the number when Device, Plugin or anything they carry changes its layout.
constexpr const char* kPluginAbi = "commonweight gpu 2, " COMMONWEIGHT_VERSION;

/// The one symbol of a plug-in.
using PluginEntry = const Plugin* (*)();
constexpr const char* kPluginEntryName = "commonweight_gpu_plugin";

} // namespace commonweight::gpu

#define COMMONWEIGHT_GPU_PLUGIN_EXPORT extern "C" __attribute__((visibility("default")))
