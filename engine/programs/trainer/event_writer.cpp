#include "engine/programs/trainer/event_writer.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace commonweight::trainer {

void EventWriter::write(const work::TrainerEvent& event)
{
    const auto line = work::toLine(event) + "\n";
    const std::lock_guard lock(m_mutex);
    if (std::holds_alternative<work::ProgressEvent>(event) && !hasRoom())
        return;
    std::size_t done = 0;
    while (done < line.size()) {
        const auto written = ::write(m_descriptor, line.data() + done, line.size() - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            ::kill(::getpid(), SIGTERM);
            return;
        }
        done += static_cast<std::size_t>(written);
    }
}

/// A pipe is writable when it takes PIPE_BUF bytes, more than a progress line, without blocking.
bool EventWriter::hasRoom() const
{
    pollfd request{m_descriptor, POLLOUT, 0};
    return ::poll(&request, 1, 0) > 0;
}

} // namespace commonweight::trainer
