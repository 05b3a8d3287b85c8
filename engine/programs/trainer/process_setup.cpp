#include "engine/programs/trainer/process_setup.h"

#include "engine/base/log.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace commonweight::trainer {

namespace {

// From linux/ioprio.h, which Debian's headers do not install: ioprio_set(WHO_PROCESS, this one,
// class "idle").
constexpr int kIoPriorityWhoProcess = 1;
constexpr int kIoPriorityIdle = 3 << 13;
constexpr int kLowestNice = 19;

void reportUnless(bool worked, const char* what)
{
    if (!worked)
        spdlog::warn("the trainer could not be given {}: {}", what, std::strerror(errno));
}

} // namespace

void yieldToEverybody()
{
    reportUnless(::setpriority(PRIO_PROCESS, 0, kLowestNice) == 0, "the lowest priority");
    const sched_param parameters{};
    reportUnless(::sched_setscheduler(0, SCHED_IDLE, &parameters) == 0, "idle scheduling");
    reportUnless(::syscall(SYS_ioprio_set, kIoPriorityWhoProcess, 0, kIoPriorityIdle) == 0,
                 "idle disk priority");
}

void dieWithParent()
{
    reportUnless(::prctl(PR_SET_PDEATHSIG, SIGTERM) == 0, "an end together with its parent");
}

int catchEndSignals()
{
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    sigset_t ends;
    ::sigemptyset(&ends);
    for (const int number : {SIGTERM, SIGINT, SIGHUP})
        ::sigaddset(&ends, number);
    if (::pthread_sigmask(SIG_BLOCK, &ends, nullptr) != 0)
        return -1;
    return ::signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
}

int takeStandardOutput()
{
    const int events = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (events >= 0)
        ::dup2(STDERR_FILENO, STDOUT_FILENO);
    return events;
}

} // namespace commonweight::trainer
