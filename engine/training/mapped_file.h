#pragma once
// A file as read-only bytes in memory. The mapping outlives the file's name: a cache may drop a
// blob that is in use. Movable (the bytes stay where they are), owned by whoever needs the bytes,
// any thread.

#include "engine/base/bytes.h"

#include <filesystem>

namespace commonweight::training {

class MappedFile {
public:
    /// NotFound, Denied, Io, OutOfMemory. An empty file is an empty view.
    static Result<MappedFile> open(const std::filesystem::path& path);

    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    ~MappedFile();

    ByteView bytes() const { return m_bytes; }

private:
    explicit MappedFile(ByteView bytes) : m_bytes(bytes) {}

    ByteView m_bytes;
};

} // namespace commonweight::training
