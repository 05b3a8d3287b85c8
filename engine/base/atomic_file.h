#pragma once
// Files that survive kill -9 and power loss: temporary name, fsync, rename, fsync of the folder.

#include "engine/base/bytes.h"

#include <filesystem>
#include <functional>

namespace commonweight {

/// Replaces `path` with `content` so that a reader, or the next start, sees the old bytes or the
/// new ones, never a mix. Errors: Full, Denied, Io. The temporary file is removed on failure.
Result<void> writeFileAtomically(const std::filesystem::path& path, ByteView content,
                                 int mode = 0644);
/// The same for content in pieces that follow each other, for what is too large to be held twice.
Result<void> writePiecesAtomically(const std::filesystem::path& path,
                                   std::span<const ByteView> pieces, int mode = 0644);

/// Reads a whole file. NotFound; Protocol when it is longer than `maxBytes`.
Result<Bytes> readFile(const std::filesystem::path& path, std::uint64_t maxBytes);
Result<std::string> readTextFile(const std::filesystem::path& path, std::uint64_t maxBytes);

Result<void> syncFile(const std::filesystem::path& path);
Result<void> syncFolder(const std::filesystem::path& path);
/// fsync(file), rename, fsync(folder): publishes a file that was written under a temporary name on
/// the same volume.
Result<void> publishFile(const std::filesystem::path& temporary,
                         const std::filesystem::path& final);
/// mkdir -p with the given mode for what it makes.
Result<void> makeFolder(const std::filesystem::path& path, int mode = 0755);

/// Holds an advisory lock (flock) on `<folder>/lock` for as long as it lives; the file holds the
/// process id.
class FolderLock {
public:
    /// Conflict: "<folder> is already in use by process N".
    static Result<FolderLock> acquire(const std::filesystem::path& folder);
    FolderLock(FolderLock&& other) noexcept;
    FolderLock& operator=(FolderLock&&) = delete;
    ~FolderLock();

private:
    explicit FolderLock(int descriptor) : m_descriptor(descriptor) {}
    int m_descriptor;
};

} // namespace commonweight
