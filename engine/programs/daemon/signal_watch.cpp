#include "engine/programs/daemon/signal_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <initializer_list>

namespace commonweight::daemon {

namespace {

int pipeEnds[2] = {-1, -1};

/// Runs in the signal handler: only async-signal-safe calls, and errno stays what it was.
void passOn(int)
{
    const int before = errno;
    [[maybe_unused]] const auto written = ::write(pipeEnds[1], "x", 1);
    errno = before;
}

} // namespace

SignalWatch::SignalWatch()
{
    if (::pipe2(pipeEnds, O_CLOEXEC | O_NONBLOCK) != 0)
        return; // the signals then end the process at once, which it survives like a kill
    m_notifier = std::make_unique<QSocketNotifier>(pipeEnds[0], QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, &SignalWatch::drain);
    struct sigaction action {};
    action.sa_handler = passOn;
    action.sa_flags = SA_RESTART;
    for (const int number : {SIGTERM, SIGINT, SIGHUP})
        ::sigaction(number, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
}

SignalWatch::~SignalWatch()
{
    for (const int number : {SIGTERM, SIGINT, SIGHUP})
        std::signal(number, SIG_DFL);
    m_notifier.reset();
    for (int& end : pipeEnds) {
        if (end >= 0)
            ::close(end);
        end = -1;
    }
}

void SignalWatch::drain()
{
    char bytes[16];
    while (::read(pipeEnds[0], bytes, sizeof bytes) > 0) {
    }
    Q_EMIT endRequested();
}

} // namespace commonweight::daemon
