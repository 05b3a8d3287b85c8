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

enum class DeviceKind { Discrete, Integrated, Processor }; ///< best first

struct DeviceInfo {
    std::string id;      ///< "cpu", "cuda:GPU-…", "vulkan:…": what preferences and units store
    std::string backend; ///< "cpu" | "cuda" | "vulkan"
    std::string name;    ///< for people
    std::uint64_t memoryBytes = 0;
    DeviceKind kind = DeviceKind::Processor;
    std::string driver = {}; ///< with its version; what it computes may change when this does
    double gigaflops = 0;    ///< fp32, as reported or estimated from clock and units; 0 = not known
    std::string location = {}; ///< "0000:01:00.0" on the PCI bus: two backends, one device
    std::vector<std::string> numericClasses = {"fp32"}; ///< what open() accepts
    std::string build = {}; ///< of the plug-in; filled in by the registry
};

struct OpenOptions {
    int threads = 1;                   ///< CPU only
    std::string numericClass = "fp32"; ///< one of the device's
    /// Where a device keeps what it learned about itself; empty: the user's cache folder.
    std::filesystem::path cacheFolder = {};
};

class Registry {
public:
    /// Plug-ins are looked for in `folder`; the default is where this program's own library folder
    /// is
    /// (<program>/../lib, <program>/../lib/commonweight, then <program>).
    explicit Registry(std::filesystem::path folder = {});

    /// Devices of every backend whose plug-in loads, best first (see ranked()); the reason why one
    /// does not load is logged. Left out are processors behind a GPU's interface, which only tests
    /// want, and a second backend's view of one device; open() takes their ids all the same.
    std::vector<DeviceInfo> list() const;
    /// With what list() leaves out.
    std::vector<DeviceInfo> listAll() const;
    /// NotFound with the known ids; Protocol when the device does not compute in that class; Device
    /// when the plug-in or the device does not start. Never falls back to another device.
    Result<std::unique_ptr<Device>> open(const std::string& id, const OpenOptions& options) const;
    /// What list() knows of a device. NotFound, Device.
    Result<DeviceInfo> find(const std::string& id) const;

private:
    std::filesystem::path m_folder;
};

/// Best first: discrete GPUs, integrated ones, processors; among equals by gigaflops, then by
/// memory; else in the order given.
std::vector<DeviceInfo> ranked(std::vector<DeviceInfo> devices);
/// Without processors of backends other than "cpu", and without devices whose location an earlier
/// one has.
std::vector<DeviceInfo> offered(std::vector<DeviceInfo> devices);

} // namespace commonweight::gpu
