#pragma once
// The volunteer's blob cache as a trainer sees it: read-only files named by their SHA-256. Nothing
// is used before its size and hash have been compared with what the unit asks for. Plain value, any
// thread.

#include "engine/training/mapped_file.h"
#include "engine/work/unit.h"

namespace commonweight::training {

class BlobFolder {
public:
    explicit BlobFolder(std::filesystem::path folder) : m_folder(std::move(folder)) {}

    /// `what` names the blob in errors, for example "shard 2". NotFound when it is not in the
    /// cache; Corrupt when its size or hash differs from the reference: whoever fetched it should
    /// fetch it again.
    Result<MappedFile> open(const work::BlobRef& ref, const std::string& what) const;

    /// `<folder>/<64 hex digits>`.
    std::filesystem::path pathOf(const Sha256& blob) const { return m_folder / blob.hex(); }

private:
    std::filesystem::path m_folder;
};

} // namespace commonweight::training
