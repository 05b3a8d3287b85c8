#include "engine/programs/trainer/sandbox.h"

#include "engine/base/atomic_file.h"
#include "engine/programs/trainer/call_filter.h"
#include "engine/programs/trainer/landlock.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

namespace commonweight::trainer {

namespace {

namespace fs = std::filesystem;
using Right = Landlock::Right;

/// Libraries, drivers and their descriptions, fonts of no interest, and what glibc reads.
constexpr std::array kSystem{"/usr", "/lib",       "/lib64",     "/lib32",
                             "/opt", "/nix/store", "/gnu/store", "/run/opengl-driver"};
constexpr std::array kSystemFacts{"/etc",          "/sys",          "/proc/self",  "/proc/cpuinfo",
                                  "/proc/meminfo", "/proc/stat",    "/proc/sys",   "/proc/version",
                                  "/proc/devices", "/proc/modules", "/proc/driver"};
constexpr std::array kDevices{"/dev/null",    "/dev/zero", "/dev/full", "/dev/random",
                              "/dev/urandom", "/dev/dri",  "/dev/kfd"};
/// Where the person told the loaders to look.
constexpr std::array kPathVariables{"LD_LIBRARY_PATH", "VK_ICD_FILENAMES", "VK_DRIVER_FILES",
                                    "VK_ADD_DRIVER_FILES", "VK_LAYER_PATH"};

/// What is not there needs no rule.
Result<void> allowIfThere(Landlock& rules, const fs::path& path, Right right)
{
    auto allowed = rules.allow(path, right);
    if (!allowed &&
        (allowed.error().kind == ErrorKind::NotFound || allowed.error().kind == ErrorKind::Denied))
        return {};
    return allowed;
}

/// A loader's list may name files, which name libraries beside them.
Result<void> allowListed(Landlock& rules, const char* variable)
{
    const char* value = std::getenv(variable);
    std::string list = value == nullptr ? "" : value;
    for (std::size_t begin = 0; begin < list.size();) {
        const auto end = std::min(list.find(':', begin), list.size());
        const fs::path path = list.substr(begin, end - begin);
        begin = end + 1;
        std::error_code ignored;
        if (path.is_absolute() && path.has_relative_path())
            CW_CHECK(allowIfThere(rules,
                                  fs::is_directory(path, ignored) ? path : path.parent_path(),
                                  Right::ReadAndRun));
    }
    return {};
}

/// The nodes of NVIDIA's driver have no folder of their own.
Result<void> allowNvidia(Landlock& rules)
{
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator("/dev", failure))
        if (entry.path().filename().string().starts_with("nvidia"))
            CW_CHECK(allowIfThere(rules, entry.path(), Right::UseDevice));
    return {};
}

/// The program's own folder, and lib/ beside it with the backends.
Result<void> allowProgram(Landlock& rules)
{
    std::error_code failure;
    const auto program = fs::read_symlink("/proc/self/exe", failure);
    if (failure)
        return Error{ErrorKind::Io, "the trainer's own folder is not known: " + failure.message()};
    CW_CHECK(allowIfThere(rules, program.parent_path(), Right::ReadAndRun));
    return allowIfThere(rules, program.parent_path().parent_path() / "lib", Right::ReadAndRun);
}

Result<void> confineFiles(const Reach& reach)
{
    CW_TRY(auto rules, Landlock::create());
    for (const char* path : kSystem)
        CW_CHECK(allowIfThere(rules, path, Right::ReadAndRun));
    for (const char* path : kSystemFacts)
        CW_CHECK(allowIfThere(rules, path, Right::Read));
    for (const char* path : kDevices)
        CW_CHECK(allowIfThere(rules, path, Right::UseDevice));
    for (const char* variable : kPathVariables)
        CW_CHECK(allowListed(rules, variable));
    CW_CHECK(allowNvidia(rules));
    CW_CHECK(allowProgram(rules));
    for (const auto& path : reach.readable)
        CW_CHECK(allowIfThere(rules, path, Right::Read));
    for (const auto& path : reach.writable)
        CW_CHECK(rules.allow(path, Right::Write));
    return rules.enforce();
}

} // namespace

Result<void> confine(const Reach& reach)
{
    // A crash must not fill the disk with an image of the memory.
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return errnoError("this kernel cannot keep a program from gaining privileges");
    CW_CHECK(confineFiles(reach));
    return refuseCalls();
}

fs::path claimDeviceCache()
{
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    fs::path folder;
    if (cache != nullptr && *cache == '/')
        folder = fs::path(cache) / "commonweight";
    else if (home != nullptr && *home == '/')
        folder = fs::path(home) / ".cache" / "commonweight";
    if (folder.empty() || !makeFolder(folder, 0700))
        return {};
    ::setenv("MESA_SHADER_CACHE_DIR", (folder / "mesa").c_str(), 1);
    ::setenv("CUDA_CACHE_PATH", (folder / "cuda").c_str(), 1);
    return folder;
}

} // namespace commonweight::trainer
