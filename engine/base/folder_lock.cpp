#include "engine/base/atomic_file.h"
#include "engine/base/descriptor.h"

#include <fcntl.h>
#include <sys/file.h>

#include <array>
#include <cerrno>
#include <charconv>

namespace commonweight {

namespace {

std::string holderOf(int file)
{
    std::array<char, 16> text{};
    const ssize_t length = ::pread(file, text.data(), text.size(), 0);
    long process = 0;
    if (length > 0)
        std::from_chars(text.data(), text.data() + length, process);
    return process > 0 ? "process " + std::to_string(process) : "another process";
}

/// Only for the message that others show, so a failure (a full disk) does not matter.
void writeHolder(int file)
{
    const auto text = std::to_string(::getpid()) + "\n";
    if (::ftruncate(file, 0) == 0) [[maybe_unused]]
        const auto written = ::pwrite(file, text.data(), text.size(), 0);
}

} // namespace

Result<FolderLock> FolderLock::acquire(const std::filesystem::path& folder)
{
    const auto path = folder / "lock";
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (!file.isOpen())
        return errnoError("cannot open " + path.string());
    int result = 0;
    do
        result = ::flock(file.get(), LOCK_EX | LOCK_NB);
    while (result != 0 && errno == EINTR);
    if (result != 0 && errno == EWOULDBLOCK)
        return Error{ErrorKind::Conflict,
                     folder.string() + " is already in use by " + holderOf(file.get())};
    if (result != 0)
        return errnoError("cannot lock " + path.string());
    writeHolder(file.get());
    return FolderLock(file.release());
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1))
{}

FolderLock::~FolderLock()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

} // namespace commonweight
