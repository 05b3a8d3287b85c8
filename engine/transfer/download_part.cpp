#include "engine/transfer/download_part.h"

#include "engine/base/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

namespace commonweight::transfer {

namespace {

using Path = std::filesystem::path;

constexpr std::size_t kPiece = 1 << 20;

/// A file that was renamed or removed between open and lock is somebody else's by now.
bool isStillNamed(int file, const Path& path)
{
    struct stat opened = {};
    struct stat named = {};
    return ::fstat(file, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
           opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

} // namespace

Path DownloadPart::partOf(const Path& destination)
{
    return destination.string() + ".part";
}

Result<DownloadPart> DownloadPart::open(const Path& destination, const work::BlobRef& ref)
{
    const auto path = partOf(destination);
    Descriptor file(
        ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644));
    if (!file.isOpen())
        return errnoError("cannot create " + path.string());
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0 || !isStillNamed(file.get(), path))
        return Error{ErrorKind::Conflict, "another transfer is writing " + path.string()};
    DownloadPart part(std::move(file), destination, ref);
    CW_CHECK(part.hashWhatIsThere());
    return part;
}

Result<void> DownloadPart::hashWhatIsThere()
{
    struct stat status = {};
    if (::fstat(m_file.get(), &status) != 0)
        return errnoError("cannot read " + partOf(m_destination).string());
    if (static_cast<std::uint64_t>(status.st_size) > m_ref.bytes)
        return restart();
    Bytes piece(kPiece);
    while (true) {
        const auto got =
            ::pread(m_file.get(), piece.data(), piece.size(), static_cast<off_t>(m_size));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return errnoError("cannot read " + partOf(m_destination).string());
        if (got == 0)
            return {};
        m_hasher.update(ByteView(piece).first(static_cast<std::size_t>(got)));
        m_size += static_cast<std::uint64_t>(got);
    }
}

Result<void> DownloadPart::restart()
{
    if (::ftruncate(m_file.get(), 0) != 0)
        return errnoError("cannot empty " + partOf(m_destination).string());
    m_size = 0;
    m_hasher = Sha256Hasher();
    return {};
}

Result<void> DownloadPart::append(ByteView piece)
{
    if (piece.size() > m_ref.bytes - m_size)
        return Error{ErrorKind::Corrupt, "the server sends more bytes than the blob has"};
    while (!piece.empty()) {
        const auto written =
            ::pwrite(m_file.get(), piece.data(), piece.size(), static_cast<off_t>(m_size));
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return errnoError("cannot write " + partOf(m_destination).string());
        const auto done = piece.first(static_cast<std::size_t>(written));
        m_hasher.update(done);
        m_size += done.size();
        piece = piece.subspan(done.size());
    }
    return {};
}

Result<void> DownloadPart::publish()
{
    assert(isComplete());
    auto hasher = m_hasher;
    if (hasher.finish() == m_ref.sha256)
        return publishFile(partOf(m_destination), m_destination);
    return Error{ErrorKind::Corrupt,
                 "what was downloaded does not fit its hash " + m_ref.sha256.hex()};
}

void DownloadPart::remove()
{
    ::unlink(partOf(m_destination).c_str());
}

} // namespace commonweight::transfer
