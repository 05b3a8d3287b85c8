#pragma once
// The unfinished file of one download, "<destination>.part": continues what a dead process left,
// hashes what comes, becomes the destination at the end. Locked, so that two processes never write
// the same part. Lives on the stack of downloadBlob.

#include "engine/base/descriptor.h"
#include "engine/work/unit.h"

namespace commonweight::transfer {

class DownloadPart {
public:
    /// Opens or creates the part and hashes what it holds. Conflict when somebody else is at it;
    /// Full, Denied, Io.
    static Result<DownloadPart> open(const std::filesystem::path& destination,
                                     const work::BlobRef& ref);

    std::uint64_t size() const { return m_size; }
    bool isComplete() const { return m_size == m_ref.bytes; }

    Result<void> restart(); ///< forgets all bytes
    Result<void>
    append(ByteView piece); ///< Corrupt when there are more bytes than the blob has; Full, Io
    /// Checks the hash, fsyncs, renames. Corrupt: the part is still there.
    Result<void> publish();
    void remove();

private:
    DownloadPart(Descriptor file, std::filesystem::path destination, const work::BlobRef& ref)
        : m_file(std::move(file)), m_destination(std::move(destination)), m_ref(ref)
    {}
    static std::filesystem::path partOf(const std::filesystem::path& destination);
    Result<void> hashWhatIsThere();

    Descriptor m_file;
    std::filesystem::path m_destination;
    work::BlobRef m_ref;
    std::uint64_t m_size = 0;
    Sha256Hasher m_hasher;
};

} // namespace commonweight::transfer
