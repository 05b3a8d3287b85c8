#include "engine/programs/trainer/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

namespace commonweight::trainer {

namespace {

// Debian 12's headers know version 2 of the interface; what later kernels added is written out.
constexpr std::uint64_t kTruncate = 1ULL << 14;    // version 3
constexpr std::uint64_t kDeviceIoctl = 1ULL << 15; // version 5
constexpr std::uint64_t kBindAndConnectTcp = 0b11; // version 4
constexpr std::uint64_t kSocketsAndSignals = 0b11; // version 6: abstract unix sockets, signals

struct RulesetAttributes {
    std::uint64_t handledFiles;
    std::uint64_t handledNet;
    std::uint64_t scoped;
};

constexpr std::uint64_t kReadFile = LANDLOCK_ACCESS_FS_READ_FILE;
constexpr std::uint64_t kRead = kReadFile | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kWriteFile = LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;
constexpr std::uint64_t kWrite = kRead | kWriteFile | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
                                 LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REFER;
/// All that a kernel of the first version denies unless it is allowed.
constexpr std::uint64_t kFirstVersion = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
/// A rule for a file must not name what only a folder can do.
constexpr std::uint64_t kForFiles =
    LANDLOCK_ACCESS_FS_EXECUTE | kReadFile | kWriteFile | kDeviceIoctl;

std::uint64_t filesHandledBy(long version)
{
    std::uint64_t files = kFirstVersion;
    if (version >= 2)
        files |= LANDLOCK_ACCESS_FS_REFER;
    if (version >= 3)
        files |= kTruncate;
    if (version >= 5)
        files |= kDeviceIoctl;
    return files;
}

std::uint64_t filesOf(Landlock::Right right)
{
    switch (right) {
    case Landlock::Right::Read:
        return kRead;
    case Landlock::Right::ReadAndRun:
        return kRead | LANDLOCK_ACCESS_FS_EXECUTE;
    case Landlock::Right::Write:
        return kWrite;
    case Landlock::Right::UseDevice:
        return kRead | kWriteFile | kDeviceIoctl;
    }
    return 0;
}

} // namespace

Result<Landlock> Landlock::create()
{
    const long version =
        ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1)
        return Error{
            ErrorKind::Denied,
            errno == EOPNOTSUPP
                ? "Landlock, with which programs are confined, is turned off in this kernel"
                : "this kernel has no Landlock, with which programs are confined (Linux "
                  "5.13 and later have it)"};
    const RulesetAttributes attributes{.handledFiles = filesHandledBy(version),
                                       .handledNet = version >= 4 ? kBindAndConnectTcp : 0,
                                       .scoped = version >= 6 ? kSocketsAndSignals : 0};
    const long rules = ::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    if (rules < 0)
        return errnoError("Landlock cannot be used");
    return Landlock(static_cast<int>(rules), version);
}

Landlock::Landlock(Landlock&& other) noexcept
    : m_rules(std::exchange(other.m_rules, -1)), m_version(other.m_version)
{}

Landlock::~Landlock()
{
    if (m_rules >= 0)
        ::close(m_rules);
}

Result<void> Landlock::allow(const std::filesystem::path& path, Right right)
{
    const int file = ::open(path.c_str(), O_PATH | O_CLOEXEC);
    if (file < 0)
        return errnoError("cannot open " + path.string());
    struct stat status = {};
    std::uint64_t files = filesOf(right) & filesHandledBy(m_version);
    if (::fstat(file, &status) == 0 && !S_ISDIR(status.st_mode))
        files &= kForFiles;
    const landlock_path_beneath_attr rule{.allowed_access = files, .parent_fd = file};
    const long added =
        ::syscall(SYS_landlock_add_rule, m_rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    const auto result =
        added == 0 ? Result<void>() : Result<void>(errnoError("cannot allow " + path.string()));
    ::close(file);
    return result;
}

Result<void> Landlock::enforce() const
{
    if (::syscall(SYS_landlock_restrict_self, m_rules, 0) != 0)
        return errnoError("Landlock cannot be enforced");
    return {};
}

} // namespace commonweight::trainer
