#include "app/unix_signals.h"

#include <QSocketNotifier>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace commonweight::app {

namespace {

std::array<int, 2> g_pipe{-1, -1};
constexpr std::array kSignals{SIGTERM, SIGINT, SIGHUP};

void wake(int)
{
    const int before = errno;
    const char byte = 1;
    [[maybe_unused]] const auto written = ::write(g_pipe[1], &byte, 1);
    errno = before;
}

} // namespace

UnixSignals::UnixSignals()
{
    std::signal(SIGPIPE, SIG_IGN); // a display or a trainer that goes away is an error, not our end
    if (::pipe2(g_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        return; // without the pipe the signals keep their usual effect
    m_notifier = std::make_unique<QSocketNotifier>(g_pipe[0], QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, [this] {
        std::array<char, 16> bytes{};
        while (::read(g_pipe[0], bytes.data(), bytes.size()) > 0) {
        }
        Q_EMIT terminationRequested();
    });
    struct sigaction action = {};
    action.sa_handler = wake;
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    for (const int signal : kSignals)
        ::sigaction(signal, &action, nullptr);
}

UnixSignals::~UnixSignals()
{
    m_notifier.reset();
    for (const int signal : kSignals)
        std::signal(signal, SIG_DFL);
    for (int& end : g_pipe)
        if (end >= 0) {
            ::close(end);
            end = -1;
        }
}

} // namespace commonweight::app
