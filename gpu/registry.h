#pragma once
// Finds compute devices. Each backend is a plug-in, libcommonweight_<backend>.so, opened only when
// it is asked for: whoever lists or opens nothing maps no GPU library and no LibTorch. Any thread;
// a Device belongs to the thread that uses it.

#include "gpu/device.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace commonweight::gpu {

struct DeviceInfo {
    std::string id;      ///< "cpu", "cuda:GPU-…", "vulkan:…": what preferences and units store
    std::string backend; ///< "cpu" | "cuda" | "vulkan"
    std::string name;    ///< for people
    std::uint64_t memoryBytes = 0;
};

struct OpenOptions {
    int threads = 1; ///< CPU only
};

class Registry {
public:
    /// Plug-ins are looked for in `folder`; the default is where this program's own library folder
    /// is
    /// (<program>/../lib, <program>/../lib/commonweight, then <program>).
    explicit Registry(std::filesystem::path folder = {});

    /// Devices of every backend whose plug-in loads; the reason why one does not is logged. Best
    /// first.
    std::vector<DeviceInfo> list() const;
    /// NotFound with the known ids; Device when the plug-in or the device does not start. Never
    /// falls back to another device.
    Result<std::unique_ptr<Device>> open(const std::string& id, const OpenOptions& options) const;

private:
    std::filesystem::path m_folder;
};

} // namespace commonweight::gpu
