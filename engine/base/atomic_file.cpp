#include "engine/base/atomic_file.h"

#include "engine/base/descriptor.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace commonweight {

namespace {

using Path = std::filesystem::path;

Path folderOf(const Path& path)
{
    return path.has_parent_path() ? path.parent_path() : Path(".");
}

int lockWhole(int file)
{
    int result = 0;
    do
        result = ::flock(file, LOCK_EX);
    while (result != 0 && errno == EINTR);
    return result;
}

/// True while the open file is still what its name leads to, that is, nobody renamed or removed it.
bool isStillNamed(int file, const Path& path)
{
    struct stat opened = {};
    struct stat named = {};
    return ::fstat(file, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
           opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

/// Removes a temporary file that a killed process left behind; waits while its writer is alive.
Result<void> removeLeftover(const Path& temporary)
{
    const Descriptor file(
        ::open(temporary.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file.isOpen())
        return errno == ENOENT ? Result<void>() : errnoError("cannot open " + temporary.string());
    if (lockWhole(file.get()) != 0)
        return errnoError("cannot lock " + temporary.string());
    if (isStillNamed(file.get(), temporary) && ::unlink(temporary.c_str()) != 0)
        return errnoError("cannot remove " + temporary.string());
    return {};
}

/// A new, locked, empty file under the temporary name. The name is fixed, so that kills leave at
/// most one file behind; the lock makes writers of the same path take turns.
Result<Descriptor> createTemporary(const Path& temporary, int mode)
{
    while (true) {
        Descriptor file(
            ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
        if (!file.isOpen() && errno != EEXIST)
            return errnoError("cannot create " + temporary.string());
        if (!file.isOpen()) {
            CW_CHECK(removeLeftover(temporary));
            continue;
        }
        if (lockWhole(file.get()) != 0)
            return errnoError("cannot lock " + temporary.string());
        if (isStillNamed(file.get(), temporary))
            return file;
    }
}

Result<void> writeAll(int file, ByteView content, const Path& path)
{
    while (!content.empty()) {
        const auto piece = content.first(std::min<std::size_t>(content.size(), 64u << 20));
        const ssize_t written = ::write(file, piece.data(), piece.size());
        if (written < 0 && errno != EINTR)
            return errnoError("cannot write " + path.string());
        if (written > 0)
            content = content.subspan(static_cast<std::size_t>(written));
    }
    return {};
}

Result<void> writeDurably(int file, std::span<const ByteView> pieces, const Path& path)
{
    for (const auto piece : pieces)
        CW_CHECK(writeAll(file, piece, path));
    if (::fsync(file) != 0)
        return errnoError("cannot write " + path.string() + " to the disk");
    return {};
}

Result<void> renameOver(const Path& temporary, const Path& path)
{
    if (::rename(temporary.c_str(), path.c_str()) != 0)
        return errnoError("cannot rename " + temporary.string() + " to " + path.string());
    return {};
}

/// Appends up to `length` bytes; the number appended, 0 at the end of the file.
template <class Buffer>
Result<std::size_t> readPiece(int file, Buffer& buffer, std::size_t length, const Path& path)
{
    const auto start = buffer.size();
    buffer.resize(start + length);
    ssize_t got = 0;
    do
        got = ::read(file, buffer.data() + start, length);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return errnoError("cannot read " + path.string());
    buffer.resize(start + static_cast<std::size_t>(got));
    return static_cast<std::size_t>(got);
}

template <class Buffer> Result<Buffer> readWhole(const Path& path, std::uint64_t maxBytes)
{
    CW_TRY(const auto file, openRegular(path));
    struct stat status = {};
    if (::fstat(file.get(), &status) != 0)
        return errnoError("cannot read " + path.string());
    const Error tooLong{ErrorKind::Protocol,
                        path.string() + " is longer than " + std::to_string(maxBytes) + " bytes"};
    if (static_cast<std::uint64_t>(status.st_size) > maxBytes)
        return tooLong;
    Buffer buffer;
    buffer.reserve(static_cast<std::size_t>(status.st_size) + 1);
    // The size is only a hint: the file may grow meanwhile, and some systems' files claim to be
    // empty.
    while (true) {
        const auto spare = buffer.capacity() - buffer.size();
        const auto room = spare > 0 ? spare : 4096;
        CW_TRY(const auto got, readPiece(file.get(), buffer, room, path));
        if (buffer.size() > maxBytes)
            return tooLong;
        if (got == 0)
            return buffer;
    }
}

Result<void> syncAt(const Path& path, int flags)
{
    const Descriptor file(::open(path.c_str(), flags | O_CLOEXEC));
    if (!file.isOpen())
        return errnoError("cannot open " + path.string());
    // EINVAL: this file system has nothing to sync here.
    if (::fsync(file.get()) != 0 && errno != EINVAL)
        return errnoError("cannot write " + path.string() + " to the disk");
    return {};
}

} // namespace

Result<void> writeFileAtomically(const Path& path, ByteView content, int mode)
{
    return writePiecesAtomically(path, std::span(&content, 1), mode);
}

Result<void> writePiecesAtomically(const Path& path, std::span<const ByteView> pieces, int mode)
{
    const Path temporary = path.string() + ".tmp";
    CW_TRY(const auto file, createTemporary(temporary, mode));
    auto result = writeDurably(file.get(), pieces, path);
    if (result.ok())
        result = renameOver(temporary, path);
    if (!result.ok()) {
        ::unlink(temporary.c_str());
        return result;
    }
    return syncFolder(folderOf(path));
}

Result<Bytes> readFile(const Path& path, std::uint64_t maxBytes)
{
    return readWhole<Bytes>(path, maxBytes);
}

Result<std::string> readTextFile(const Path& path, std::uint64_t maxBytes)
{
    return readWhole<std::string>(path, maxBytes);
}

Result<void> syncFile(const Path& path)
{
    return syncAt(path, O_RDONLY);
}

Result<void> syncFolder(const Path& path)
{
    return syncAt(path, O_RDONLY | O_DIRECTORY);
}

Result<void> publishFile(const Path& temporary, const Path& final)
{
    CW_CHECK(syncFile(temporary));
    CW_CHECK(renameOver(temporary, final));
    return syncFolder(folderOf(final));
}

Result<void> makeFolder(const Path& path, int mode)
{
    std::error_code ignored;
    if (path.empty() || std::filesystem::is_directory(path, ignored))
        return {};
    const auto parent = folderOf(path);
    if (path.has_filename())
        CW_CHECK(makeFolder(parent, mode));
    else
        return makeFolder(parent, mode);
    if (::mkdir(path.c_str(), static_cast<mode_t>(mode)) == 0)
        return syncFolder(parent);
    const auto error = errnoError("cannot make the folder " + path.string());
    // Somebody else may have made it just now.
    return std::filesystem::is_directory(path, ignored) ? Result<void>() : error;
}

} // namespace commonweight
