#include "engine/programs/trainer/command_reader.h"

#include "engine/work/limits.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace commonweight::trainer {

namespace {

/// One byte more than a command may have: enough for the parser to refuse it.
constexpr std::size_t kKeptOfLine = work::limits::kTrainerLine.bytes + 1;

} // namespace

CommandReader::CommandReader(training::TrainerSession& session, int commands, int signals)
    : m_session(session), m_commands(commands), m_signals(signals),
      m_leave(::eventfd(0, EFD_CLOEXEC)), m_thread([this] { listen(); })
{}

CommandReader::~CommandReader()
{
    ::eventfd_write(m_leave, 1);
    m_thread.join();
    ::close(m_leave);
}

void CommandReader::listen()
{
    while (true) {
        // A negative descriptor is passed over by poll.
        std::array<pollfd, 3> sources{
            {{m_leave, POLLIN, 0}, {m_signals, POLLIN, 0}, {m_commands, POLLIN, 0}}};
        if (::poll(sources.data(), sources.size(), -1) < 0 && errno != EINTR)
            return m_session.end();
        if (sources[0].revents != 0)
            return;
        signalfd_siginfo info;
        if (sources[1].revents != 0 && ::read(m_signals, &info, sizeof info) > 0)
            m_session.end();
        if (sources[2].revents != 0 && !readCommands()) {
            m_commands = -1;
            m_session.end();
        }
    }
}

/// False at the end of the pipe.
bool CommandReader::readCommands()
{
    std::array<char, 4096> bytes;
    const auto got = ::read(m_commands, bytes.data(), bytes.size());
    if (got < 0)
        return errno == EINTR || errno == EAGAIN;
    take({bytes.data(), static_cast<std::size_t>(got)});
    return got > 0;
}

void CommandReader::take(std::string_view bytes)
{
    while (!bytes.empty()) {
        const auto end = bytes.find('\n');
        const auto piece = bytes.substr(0, end);
        m_line.append(piece.substr(0, kKeptOfLine - m_line.size()));
        if (end == std::string_view::npos)
            return;
        m_session.receive(m_line);
        m_line.clear();
        bytes.remove_prefix(end + 1);
    }
}

} // namespace commonweight::trainer
