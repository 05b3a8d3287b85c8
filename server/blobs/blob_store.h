#pragma once
// Large immutable bytes by their SHA-256. FolderBlobStore keeps them as files "<first two
// hex>/<hex>"; an S3-compatible store comes behind the same page. Thread-safe.

#include "engine/base/sha256.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

namespace commonweight::server {

class BlobStore {
public:
    virtual ~BlobStore() = default;
    /// Stores bytes durably (fsync) before it returns; storing what is there again costs nothing.
    virtual Result<Sha256> put(ByteView bytes) = 0;
    /// Takes over a finished file whose hash the caller has just computed; durable on return. The
    /// file is moved or removed.
    virtual Result<void> adopt(const std::filesystem::path& file, const Sha256& sha256) = 0;
    /// NotFound; Corrupt when the content no longer fits its name.
    virtual Result<Bytes> get(const Sha256& sha256, std::uint64_t maxBytes) = 0;
    virtual Result<std::uint64_t> size(const Sha256& sha256) = 0; ///< NotFound
    /// A local file with the content (the folder's own, or a cached copy). NotFound.
    virtual Result<std::filesystem::path> file(const Sha256& sha256) = 0;
    virtual Result<void> remove(const Sha256& sha256) = 0; ///< ok when it is not there
    /// Calls `visit` for each blob; for the sweep of what nobody refers to.
    using Visit =
        std::function<void(const Sha256&, std::uint64_t bytes, std::filesystem::file_time_type)>;
    virtual Result<void> forEach(const Visit& visit) = 0;
};

/// Removes what a killed process left behind: only for whoever has the folder to itself.
Result<std::unique_ptr<BlobStore>> makeFolderBlobStore(const std::filesystem::path& folder);
/// The same beside a server that may be writing.
Result<std::unique_ptr<BlobStore>> shareFolderBlobStore(const std::filesystem::path& folder);

} // namespace commonweight::server
