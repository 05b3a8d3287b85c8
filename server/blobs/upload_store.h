#pragma once
// Unfinished uploads: a data file and its durable offset. Survives kill -9: an acknowledged offset
// is on the disk. Thread-safe; one writer at a time for an upload (Conflict).

#include "engine/base/clock.h"
#include "engine/base/sha256.h"

#include <filesystem>
#include <memory>
#include <string>

namespace commonweight::server {

struct Upload {
    std::string id;
    std::string host;
    Sha256 sha256; ///< promised at creation
    std::uint64_t length = 0;
    std::uint64_t offset = 0; ///< durable bytes
    WallTime expires;
    bool finished = false; ///< its bytes have become a blob
    std::string metadata;  ///< Upload-Metadata as the client sent it
};

class UploadStore {
public:
    virtual ~UploadStore() = default;
    virtual Result<Upload> create(const std::string& host, const Sha256& sha256,
                                  std::uint64_t length, WallTime expires,
                                  const std::string& metadata = {}) = 0; ///< Full
    virtual Result<Upload> find(const std::string& id) = 0;              ///< NotFound
    /// Lengths of the host's unfinished uploads, and 64 KiB for the record of each that has not
    /// expired, finished or not.
    virtual Result<std::uint64_t> unfinishedBytes(const std::string& host) = 0;

    /// Writes one chunk at the upload's offset. Nothing counts before commit(), which makes data
    /// and offset durable. Keeps other writers away for as long as it lives, so that whoever
    /// commits the last chunk can go on to adopt the file. The store must outlive it.
    class Chunk {
    public:
        virtual ~Chunk() = default; ///< without commit(): as if it had never come
        virtual Result<void> write(ByteView piece) = 0;
        virtual Result<Upload> commit() = 0;
    };
    virtual Result<std::unique_ptr<Chunk>>
    beginChunk(const std::string& id, std::uint64_t offset) = 0; ///< NotFound, Conflict
    /// The data file of a complete upload, to be hashed and adopted.
    virtual Result<std::filesystem::path> dataFile(const std::string& id) = 0;
    virtual Result<void> markFinished(const std::string& id) = 0;
    virtual Result<void> remove(const std::string& id) = 0;
    virtual Result<int> removeExpired(WallTime now) = 0; ///< but those that are being written
};

Result<std::unique_ptr<UploadStore>> makeFolderUploadStore(const std::filesystem::path& folder);

} // namespace commonweight::server
