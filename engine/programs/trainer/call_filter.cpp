#include "engine/programs/trainer/call_filter.h"

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <string_view>

namespace commonweight::trainer {

namespace {

using Filter = std::unique_ptr<void, decltype(&::seccomp_release)>;

/// By name, since not every architecture and not every kernel has each of them.
constexpr std::array kRefused{
    // network, and services of the desktop behind sockets
    "socket", "bind", "listen", "accept", "accept4",
    // other programs and processes
    "execve", "execveat", "fork", "vfork", "ptrace", "process_vm_readv", "process_vm_writev",
    "process_madvise", "process_mrelease", "pidfd_open", "pidfd_getfd", "pidfd_send_signal",
    "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "migrate_pages", "move_pages",
    // what Landlock does not watch on older kernels, or at all
    "truncate", "chmod", "fchmodat", "fchmodat2", "chown", "lchown", "fchownat", "setxattr",
    "lsetxattr", "removexattr", "lremovexattr", "open_by_handle_at", "name_to_handle_at",
    // other ways around, and ways into the kernel
    "io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "perf_event_open",
    "userfaultfd", "add_key", "request_key", "keyctl", "fanotify_init", "shmget", "shmat", "msgget",
    "semget", "mq_open", "personality", "modify_ldt", "vmsplice",
    // the system itself
    "mount", "umount2", "pivot_root", "chroot", "fsopen", "fsmount", "fsconfig", "fspick",
    "move_mount", "open_tree", "mount_setattr", "unshare", "setns", "swapon", "swapoff", "reboot",
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "acct",
    "quotactl", "quotactl_fd", "settimeofday", "clock_settime", "adjtimex", "clock_adjtime",
    "syslog", "sethostname", "setdomainname", "iopl", "ioperm", "vhangup", "lookup_dcookie"};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true; // the search for leaks clones and traces this process
#else
constexpr bool kSanitized = false;
#endif

bool refuse(scmp_filter_ctx filter, const char* name)
{
    const int number = ::seccomp_syscall_resolve_name(name);
    if (number == __NR_SCMP_ERROR || number < 0)
        return true;
    return ::seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), number, 0) == 0;
}

/// When the argument (0 is the first) compares so. `value` is a mask for SCMP_CMP_MASKED_EQ, and
/// `masked` what must be left.
bool refuseWhen(scmp_filter_ctx filter, int number, unsigned argument, scmp_compare compare,
                scmp_datum_t value, scmp_datum_t masked = 0)
{
    const scmp_arg_cmp comparison{argument, compare, value, masked};
    return ::seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), number, 1, &comparison) == 0;
}

/// Threads are started, processes are not.
bool refuseProcesses(scmp_filter_ctx filter)
{
    // The flags of clone3 are behind a pointer, which a filter cannot follow: without it, the C
    // library uses clone.
    const int clone3 = ::seccomp_syscall_resolve_name("clone3");
    const bool known = clone3 != __NR_SCMP_ERROR;
    return (!known || ::seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), clone3, 0) == 0) &&
           refuseWhen(filter, SCMP_SYS(clone), 0, SCMP_CMP_MASKED_EQ, CLONE_THREAD);
}

bool refuseOtherProcesses(scmp_filter_ctx filter)
{
    const auto self = static_cast<scmp_datum_t>(::getpid());
    return refuseWhen(filter, SCMP_SYS(kill), 0, SCMP_CMP_NE, self) &&
           refuseWhen(filter, SCMP_SYS(tgkill), 0, SCMP_CMP_NE, self) &&
           refuseWhen(filter, SCMP_SYS(prlimit64), 0, SCMP_CMP_NE, 0);
}

/// Typing into the terminal that the trainer was started from.
bool refuseTerminalTricks(scmp_filter_ctx filter)
{
    constexpr scmp_datum_t kLow = 0xffffffff; // the kernel looks at no more of it
    return refuseWhen(filter, SCMP_SYS(ioctl), 1, SCMP_CMP_MASKED_EQ, kLow, TIOCSTI) &&
           refuseWhen(filter, SCMP_SYS(ioctl), 1, SCMP_CMP_MASKED_EQ, kLow, TIOCLINUX);
}

} // namespace

Result<void> refuseCalls()
{
    const Filter filter(::seccomp_init(SCMP_ACT_ALLOW), ::seccomp_release);
    bool built = filter != nullptr;
    for (const char* name : kRefused)
        if (!kSanitized || std::string_view(name) != "ptrace")
            built = built && refuse(filter.get(), name);
    built = built && (kSanitized || refuseProcesses(filter.get())) &&
            refuseOtherProcesses(filter.get()) && refuseTerminalTricks(filter.get());
    if (!built)
        return Error{ErrorKind::Denied, "the list of refused system calls could not be made"};
    if (const int code = ::seccomp_load(filter.get()); code != 0) {
        errno = -code;
        return errnoError("this kernel cannot refuse system calls (seccomp)");
    }
    return {};
}

} // namespace commonweight::trainer
