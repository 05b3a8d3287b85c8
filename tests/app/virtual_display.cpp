#include "tests/app/virtual_display.h"

#include <QStandardPaths>
#include <QStringList>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>

namespace commonweight::app {

namespace {

/// Xvfb writes the number of the display that it found free.
QByteArray displayNumber(int pipe)
{
    constexpr int kPatienceMs = 20'000;
    pollfd waiting{pipe, POLLIN, 0};
    std::array<char, 32> text{};
    if (::poll(&waiting, 1, kPatienceMs) != 1)
        return {};
    const auto length = ::read(pipe, text.data(), text.size());
    return QByteArray(text.data(), int(length > 0 ? length : 0)).trimmed();
}

/// Until it has announced itself on the root window (EWMH, _NET_SUPPORTING_WM_CHECK), nobody hands
/// out the focus.
void waitForWindowManager()
{
    constexpr int kAttempts = 300;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        QProcess query;
        query.start(QStringLiteral("xprop"),
                    {QStringLiteral("-root"), QStringLiteral("_NET_SUPPORTING_WM_CHECK")});
        if (!query.waitForFinished() || query.readAllStandardOutput().contains("window id"))
            return;
        ::usleep(100'000);
    }
}

} // namespace

VirtualDisplay::VirtualDisplay()
{
    m_running = startServer();
    if (!m_running)
        return;
    if (startBeside(QStringLiteral("openbox"), {}))
        waitForWindowManager();
    m_tray =
        startBeside(QStringLiteral("trayer"),
                    {QStringLiteral("--edge"), QStringLiteral("bottom"), QStringLiteral("--align"),
                     QStringLiteral("right"), QStringLiteral("--height"), QStringLiteral("26"),
                     QStringLiteral("--width"), QStringLiteral("10")});
}

VirtualDisplay::~VirtualDisplay()
{
    while (!m_processes.empty()) {
        m_processes.back()->terminate();
        if (!m_processes.back()->waitForFinished(3000))
            m_processes.back()->kill();
        m_processes.pop_back();
    }
}

bool VirtualDisplay::startServer()
{
    if (QStandardPaths::findExecutable(QStringLiteral("Xvfb")).isEmpty())
        return false;
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0)
        return false;
    auto server = std::make_unique<QProcess>();
    server->setProgram(QStringLiteral("Xvfb"));
    server->setArguments({QStringLiteral("-displayfd"), QString::number(ends[1]),
                          QStringLiteral("-screen"), QStringLiteral("0"),
                          QStringLiteral("1280x1000x24"), QStringLiteral("-nolisten"),
                          QStringLiteral("tcp")});
    server->start();
    const bool started = server->waitForStarted();
    ::close(ends[1]);
    const auto number = started ? displayNumber(ends[0]) : QByteArray();
    ::close(ends[0]);
    if (number.isEmpty())
        return false;
    qputenv("DISPLAY", ":" + number);
    qputenv("QT_QPA_PLATFORM", "xcb");
    qunsetenv("WAYLAND_DISPLAY");
    m_processes.push_back(std::move(server));
    return true;
}

bool VirtualDisplay::startBeside(const QString& program, const QStringList& arguments)
{
    if (QStandardPaths::findExecutable(program).isEmpty())
        return false;
    auto process = std::make_unique<QProcess>();
    process->start(program, arguments);
    if (!process->waitForStarted())
        return false;
    m_processes.push_back(std::move(process));
    return true;
}

} // namespace commonweight::app
