// What a confined process could try, for tst_sandbox: confines itself as the trainer does, makes
// one attempt and ends with the errno that it met, 0 when it worked. With --free it does not
// confine itself, which shows that the attempt is one. With --without-landlock it runs another
// program as on a kernel that has none.
#include "engine/programs/trainer/sandbox.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>

namespace {

namespace fs = std::filesystem;
using namespace commonweight;

struct Places {
    fs::path slot;    ///< writable; holds "link", which points to outside/secret
    fs::path blobs;   ///< readable; holds "blob"
    fs::path outside; ///< holds "secret"
};

int closeIt(int file)
{
    if (file < 0)
        return errno;
    ::close(file);
    return 0;
}

int openIt(const fs::path& path, int flags)
{
    return closeIt(::open(path.c_str(), flags | O_CLOEXEC, 0600));
}

int errnoUnlessZero(long result)
{
    return result == 0 ? 0 : errno;
}

int makeSocket(int family, int type)
{
    return closeIt(::socket(family, type, 0));
}

int makeProcess(const std::function<pid_t()>& start)
{
    const pid_t child = start();
    if (child < 0)
        return errno;
    if (child == 0)
        ::_exit(0);
    return errnoUnlessZero(::waitpid(child, nullptr, 0) == child ? 0 : -1);
}

int startByVfork()
{
    // Not in a function of its own: the child must not return from where it was started.
    const pid_t child = ::vfork();
    if (child == 0)
        ::_exit(0);
    return child < 0 ? errno : errnoUnlessZero(::waitpid(child, nullptr, 0) == child ? 0 : -1);
}

int mountOverSlot(const fs::path& slot)
{
    if (::mount("none", slot.c_str(), "tmpfs", 0, nullptr) != 0)
        return errno;
    return errnoUnlessZero(::umount(slot.c_str()));
}

int runProgram()
{
    // Ends the process with 0 when it works.
    ::execl("/bin/true", "true", nullptr);
    return errno;
}

int readParent()
{
    char here[8];
    const iovec local{here, sizeof here};
    // An address that the parent, a copy of the same program or not, need not have: EFAULT is a
    // sign that reading was allowed.
    const iovec remote{nullptr, sizeof here};
    const auto got = ::process_vm_readv(::getppid(), &local, 1, &remote, 1, 0);
    return got >= 0 || errno == EFAULT ? 0 : errno;
}

int traceParent()
{
    if (::ptrace(PTRACE_SEIZE, ::getppid(), nullptr, nullptr) != 0)
        return errno;
    ::ptrace(PTRACE_DETACH, ::getppid(), nullptr, nullptr);
    return 0;
}

int startThread()
{
    int result = EINVAL;
    std::thread([&] { result = 0; }).join();
    return result;
}

int makeSocketOnAThread()
{
    int result = 0;
    std::thread([&] { result = makeSocket(AF_INET, SOCK_STREAM); }).join();
    return result;
}

fs::path ofParent(const char* name)
{
    return fs::path("/proc") / std::to_string(::getppid()) / name;
}

int perf()
{
    perf_event_attr attributes = {};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_DUMMY;
    return closeIt(static_cast<int>(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0)));
}

std::map<std::string, std::function<int()>> attempts(const Places& at)
{
    return {
        // what must go on working
        {"write in the slot", [&] { return openIt(at.slot / "new", O_WRONLY | O_CREAT); }},
        {"rename in the slot",
         [&] {
             openIt(at.slot / "old", O_WRONLY | O_CREAT);
             return errnoUnlessZero(
                 ::rename((at.slot / "old").c_str(), (at.slot / "renamed").c_str()));
         }},
        {"make a folder in the slot",
         [&] { return errnoUnlessZero(::mkdir((at.slot / "out").c_str(), 0700)); }},
        {"read a blob", [&] { return openIt(at.blobs / "blob", O_RDONLY); }},
        {"read a library", [&] { return openIt("/proc/self/exe", O_RDONLY); }},
        {"use /dev/null", [&] { return openIt("/dev/null", O_RDWR); }},
        {"start a thread", startThread},
        {"interrupt itself", [&] { return errnoUnlessZero(::kill(::getpid(), 0)); }},
        // network
        {"an IPv4 socket", [&] { return makeSocket(AF_INET, SOCK_STREAM); }},
        {"an IPv6 socket", [&] { return makeSocket(AF_INET6, SOCK_DGRAM); }},
        {"a local socket", [&] { return makeSocket(AF_UNIX, SOCK_STREAM); }},
        {"a netlink socket", [&] { return makeSocket(AF_NETLINK, SOCK_RAW); }},
        {"a socket on a thread", makeSocketOnAThread},
        // files
        {"read outside", [&] { return openIt(at.outside / "secret", O_RDONLY); }},
        {"list outside", [&] { return openIt(at.outside, O_RDONLY | O_DIRECTORY); }},
        {"read through a link", [&] { return openIt(at.slot / "link", O_RDONLY); }},
        {"write through a link", [&] { return openIt(at.slot / "link", O_WRONLY); }},
        {"read through ..",
         [&] { return openIt(at.slot / ".." / "outside" / "secret", O_RDONLY); }},
        {"write outside", [&] { return openIt(at.outside / "new", O_WRONLY | O_CREAT); }},
        {"make a folder outside",
         [&] { return errnoUnlessZero(::mkdir((at.outside / "new").c_str(), 0700)); }},
        {"write a blob", [&] { return openIt(at.blobs / "blob", O_WRONLY); }},
        {"remove a blob", [&] { return errnoUnlessZero(::unlink((at.blobs / "blob").c_str())); }},
        {"move a secret in",
         [&] {
             return errnoUnlessZero(
                 ::rename((at.outside / "secret").c_str(), (at.slot / "secret").c_str()));
         }},
        {"link a secret in",
         [&] {
             return errnoUnlessZero(
                 ::link((at.outside / "secret").c_str(), (at.slot / "secret").c_str()));
         }},
        {"make a symbolic link",
         [&] { return errnoUnlessZero(::symlink("/", (at.slot / "root").c_str())); }},
        {"make a pipe in the slot",
         [&] { return errnoUnlessZero(::mkfifo((at.slot / "pipe").c_str(), 0600)); }},
        {"empty a file outside",
         [&] { return errnoUnlessZero(::truncate((at.outside / "secret").c_str(), 0)); }},
        {"open a file outside to all",
         [&] { return errnoUnlessZero(::chmod((at.outside / "secret").c_str(), 0777)); }},
        // programs and processes
        {"run a program", runProgram},
        {"fork", [&] { return makeProcess([] { return ::fork(); }); }},
        {"vfork", startByVfork},
        {"clone",
         [&] {
             return makeProcess([] {
                 return static_cast<pid_t>(
                     ::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
             });
         }},
        {"signal its parent", [&] { return errnoUnlessZero(::kill(::getppid(), 0)); }},
        {"trace its parent", traceParent},
        {"read its parent's memory", readParent},
        {"read its parent's environment", [&] { return openIt(ofParent("environ"), O_RDONLY); }},
        {"open its parent's memory", [&] { return openIt(ofParent("mem"), O_RDWR); }},
        {"hold its parent",
         [&] { return closeIt(static_cast<int>(::syscall(SYS_pidfd_open, ::getppid(), 0))); }},
        // ways into the kernel
        {"new namespaces", [&] { return errnoUnlessZero(::unshare(CLONE_NEWUSER)); }},
        {"mount", [&] { return mountOverSlot(at.slot); }},
        {"count events", perf},
        {"asynchronous calls",
         [&] {
             char parameters[256] = {};
             return closeIt(static_cast<int>(::syscall(SYS_io_uring_setup, 1, parameters)));
         }},
        {"a key",
         [&] {
             const long key = ::syscall(SYS_add_key, "user", "commonweight-test", "x", 1, -1);
             return key > 0 ? 0 : errno;
         }},
        {"the kernel's messages",
         [&] { return ::syscall(SYS_syslog, 10, nullptr, 0) >= 0 ? 0 : errno; }},
    };
}

/// As in a container whose filter does not know Landlock.
int withoutLandlock(char** program)
{
    auto* filter = ::seccomp_init(SCMP_ACT_ALLOW);
    ::seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(landlock_create_ruleset), 0);
    if (::seccomp_load(filter) == 0)
        ::execv(program[0], program);
    return EINVAL;
}

} // namespace

int main(int argc, char** argv)
{
    const std::string how = argc > 2 ? argv[1] : "";
    if (how == "--without-landlock")
        return withoutLandlock(argv + 2);
    if (argc != 4 || (how != "--free" && how != "--confined"))
        return 255;
    const fs::path folder = argv[2];
    const Places places{folder / "slot", folder / "blobs", folder / "outside"};
    if (how == "--confined") {
        const auto confined = trainer::confine({{places.slot}, {places.blobs}});
        if (!confined) {
            std::fprintf(stderr, "%s\n", confined.error().message.c_str());
            return 254;
        }
    }
    const auto all = attempts(places);
    const auto attempt = all.find(argv[3]);
    return attempt == all.end() ? 255 : attempt->second();
}
