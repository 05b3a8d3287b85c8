#pragma once
// Runs a piece of a test in a forked child, where it may lock, limit or kill itself without harm to
// the test program.

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace commonweight {

/// The child's body gives its exit code. No exit handlers run in it.
inline pid_t startChild(const std::function<int()>& body)
{
    const pid_t child = ::fork();
    if (child == 0)
        ::_exit(body());
    return child;
}

/// The exit code, or minus the signal that ended the child.
inline int waitForChild(pid_t child)
{
    int status = 0;
    if (::waitpid(child, &status, 0) != child)
        return -1000;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

inline int runInChild(const std::function<int()>& body)
{
    return waitForChild(startChild(body));
}

} // namespace commonweight
