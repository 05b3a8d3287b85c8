#include "engine/agent/trainer_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>

namespace commonweight::agent {

Result<void> TrainerLock::acquire()
{
    release();
    m_descriptor = ::open(m_file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (m_descriptor < 0)
        return errnoError("cannot open " + m_file.string());
    if (::flock(m_descriptor, LOCK_EX | LOCK_NB) == 0)
        return {};
    const bool held = errno == EWOULDBLOCK;
    const Error error = held ? Error{ErrorKind::Conflict, "an earlier trainer has not ended yet"}
                             : errnoError("cannot lock " + m_file.string());
    release();
    return error;
}

void TrainerLock::inherit() const
{
    ::fcntl(m_descriptor, F_SETFD, 0);
}

void TrainerLock::note(long process) const
{
    const std::string text = std::to_string(process) + "\n";
    if (m_descriptor >= 0 && ::ftruncate(m_descriptor, 0) == 0) [[maybe_unused]]
        const auto written = ::pwrite(m_descriptor, text.data(), text.size(), 0);
}

void TrainerLock::killHolder() const
{
    // The lock is held, so the process that is named lives and its number was not given to another.
    long process = 0;
    std::ifstream file(m_file);
    if (file >> process && process > 1)
        ::kill(static_cast<pid_t>(process), SIGKILL);
}

void TrainerLock::release()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
    m_descriptor = -1;
}

} // namespace commonweight::agent
