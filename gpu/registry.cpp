#include "gpu/registry.h"

#include "engine/base/log.h"
#include "gpu/plugin.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <link.h>
#include <tuple>

namespace commonweight::gpu {
namespace {

namespace fs = std::filesystem;

// Of equal devices the first wins. A device id begins with its backend's name.
constexpr std::array<const char*, 3> kBackends = {"cuda", "vulkan", "cpu"};

std::string libraryName(const std::string& backend)
{
    return "libcommonweight_" + backend + ".so";
}

std::string backendOf(const std::string& id)
{
    return id.substr(0, id.find(':'));
}

std::vector<fs::path> searchFolders(const fs::path& chosen)
{
    if (!chosen.empty())
        return {chosen};
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
    if (error)
        return {};
    const fs::path lib = program.parent_path() / "lib";
    return {lib, lib / "commonweight", program};
}

// NotFound when the file is in none of the folders.
Result<fs::path> findPlugin(const fs::path& chosen, const std::string& backend)
{
    std::string looked;
    for (const auto& folder : searchFolders(chosen)) {
        const fs::path file = folder / libraryName(backend);
        std::error_code error;
        if (fs::is_regular_file(file, error))
            return file;
        looked += (looked.empty() ? "" : ", ") + folder.string();
    }
    return Error{ErrorKind::NotFound, "the compute plug-in " + libraryName(backend) +
                                          " is not installed (looked in " + looked + ")"};
}

// The loader dies of SIGBUS on a library that was cut off, for example by a full disk: section
// headers are its last part and show whether all of it is there.
bool isCompleteLibrary(const fs::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    ElfW(Ehdr) header{};
    if (!stream.read(reinterpret_cast<char*>(&header), sizeof header) ||
        std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    std::error_code error;
    const std::uintmax_t end = header.e_shoff + std::uintmax_t{header.e_shnum} * header.e_shentsize;
    return end <= fs::file_size(file, error) && !error;
}

// A plug-in prefers the symbols of its own libraries. Debian's SentencePiece exports its own copy
// of protobuf, which LibTorch's would otherwise be bound to in a program that uses both. The
// address sanitizer refuses the flag.
#if defined(__SANITIZE_ADDRESS__)
constexpr int kLoadFlags = RTLD_NOW | RTLD_LOCAL;
#else
constexpr int kLoadFlags = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#endif

// A plug-in stays loaded until the process ends: LibTorch and GPU drivers do not survive being
// unloaded, and its devices' code must outlive them.
Result<const Plugin*> loadPlugin(const fs::path& file)
{
    if (!isCompleteLibrary(file))
        return Error{ErrorKind::Device, "the compute plug-in cannot be loaded: " + file.string() +
                                            " is damaged; install it again"};
    void* library = dlopen(file.c_str(), kLoadFlags);
    if (!library)
        return Error{ErrorKind::Device,
                     "the compute plug-in cannot be loaded: " + std::string(dlerror())};
    const auto entry = reinterpret_cast<PluginEntry>(dlsym(library, kPluginEntryName));
    if (!entry)
        return Error{ErrorKind::Device,
                     "the compute plug-in " + file.string() + " is not one of Commonweight's"};
    const Plugin* plugin = entry();
    if (std::strcmp(plugin->abi, kPluginAbi) != 0)
        return Error{ErrorKind::Device, "the compute plug-in " + file.string() +
                                            " belongs to another version of Commonweight (" +
                                            plugin->abi + "): install both from one package"};
    return plugin;
}

std::string idsOf(const std::vector<DeviceInfo>& devices)
{
    std::string ids;
    for (const auto& device : devices)
        ids += (ids.empty() ? "" : ", ") + device.id;
    return ids.empty() ? "none" : ids;
}

Error unknownDevice(const std::string& id, const std::vector<DeviceInfo>& known)
{
    return {ErrorKind::NotFound,
            "there is no compute device '" + id + "'; known are: " + idsOf(known)};
}

// Tells one build of a plug-in from the next, also between versions.
std::string buildOf(const fs::path& file)
{
    std::error_code error;
    const auto bytes = fs::file_size(file, error);
    const auto written = fs::last_write_time(file, error).time_since_epoch().count();
    return std::string(kPluginAbi) + ", " + std::to_string(bytes) + " bytes of " +
           std::to_string(written);
}

std::vector<DeviceInfo> devicesOf(const Plugin& plugin, const fs::path& file)
{
    auto devices = plugin.list();
    for (auto& device : devices)
        device.build = buildOf(file);
    return devices;
}

struct Found {
    const Plugin* plugin;
    DeviceInfo info;
};

Result<Found> findDevice(const Registry& registry, const fs::path& folder, const std::string& id)
{
    const std::string backend = backendOf(id);
    if (std::find(kBackends.begin(), kBackends.end(), backend) == kBackends.end())
        return unknownDevice(id, registry.listAll());
    const auto file = findPlugin(folder, backend);
    if (!file)
        return Error{ErrorKind::Device, file.error().message};
    CW_TRY(const Plugin* plugin, loadPlugin(*file));
    const auto devices = devicesOf(*plugin, *file);
    for (const auto& device : devices)
        if (device.id == id)
            return Found{plugin, device};
    return unknownDevice(id, devices);
}

} // namespace

Registry::Registry(std::filesystem::path folder) : m_folder(std::move(folder)) {}

std::vector<DeviceInfo> Registry::listAll() const
{
    std::vector<DeviceInfo> devices;
    for (const char* backend : kBackends) {
        const auto file = findPlugin(m_folder, backend);
        if (!file) {
            spdlog::debug("No {} devices: {}", backend, file.error().message);
            continue;
        }
        const auto plugin = loadPlugin(*file);
        if (!plugin) {
            spdlog::warn("No {} devices: {}", backend, plugin.error().message);
            continue;
        }
        for (auto& device : devicesOf(*plugin.value(), *file))
            devices.push_back(std::move(device));
    }
    return ranked(std::move(devices));
}

std::vector<DeviceInfo> Registry::list() const
{
    return offered(listAll());
}

Result<DeviceInfo> Registry::find(const std::string& id) const
{
    CW_TRY(auto found, findDevice(*this, m_folder, id));
    return std::move(found.info);
}

Result<std::unique_ptr<Device>> Registry::open(const std::string& id,
                                               const OpenOptions& options) const
{
    CW_TRY(const auto found, findDevice(*this, m_folder, id));
    const auto& classes = found.info.numericClasses;
    if (std::find(classes.begin(), classes.end(), options.numericClass) == classes.end()) {
        std::string offers;
        for (const auto& name : classes)
            offers += (offers.empty() ? "" : ", ") + name;
        return Error{ErrorKind::Protocol, found.info.name + " computes in " + offers + ", not in " +
                                              options.numericClass};
    }
    return found.plugin->open(id, options);
}

std::vector<DeviceInfo> ranked(std::vector<DeviceInfo> devices)
{
    std::stable_sort(devices.begin(), devices.end(), [](const DeviceInfo& a, const DeviceInfo& b) {
        return std::tuple(a.kind, -a.gigaflops, b.memoryBytes) <
               std::tuple(b.kind, -b.gigaflops, a.memoryBytes);
    });
    return devices;
}

std::vector<DeviceInfo> offered(std::vector<DeviceInfo> devices)
{
    std::vector<DeviceInfo> kept;
    for (auto& device : devices) {
        const bool disguised = device.kind == DeviceKind::Processor && device.backend != "cpu";
        const bool known = std::any_of(kept.begin(), kept.end(), [&](const DeviceInfo& other) {
            return !device.location.empty() && other.location == device.location;
        });
        if (!disguised && !known)
            kept.push_back(std::move(device));
    }
    return kept;
}

} // namespace commonweight::gpu
