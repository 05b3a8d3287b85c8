#pragma once
// The files of a version's fragments as a trainer gets them: whole from the blob cache, or rebuilt
// from an older one and the differences since (docs/protocol.md, "Versions"), with the hash that
// the project signed either way. What was rebuilt is left in a folder of the slot, where the agent
// takes it over into the cache. Plain value, the runner's thread.

#include "engine/training/blob_folder.h"

namespace commonweight::training {

class VersionFiles {
public:
    /// `rebuilt` may be empty: then nothing is rebuilt.
    VersionFiles(BlobFolder blobs, std::filesystem::path rebuilt)
        : m_blobs(std::move(blobs)), m_rebuilt(std::move(rebuilt))
    {}

    const BlobFolder& blobs() const { return m_blobs; }

    /// NotFound, Corrupt as BlobFolder::open; Corrupt when the differences do not lead to the file
    /// that the anchor names; Full, Denied, Io.
    Result<MappedFile> open(const work::Anchor& anchor, std::size_t fragment,
                            const std::string& run, const std::string& what) const;

private:
    bool has(const Sha256& file) const;
    Result<MappedFile> openNamed(const Sha256& file, const std::string& what) const;
    Result<MappedFile> rebuild(const work::Anchor& anchor, std::size_t fragment,
                               const std::string& run, const std::string& what) const;

    BlobFolder m_blobs;
    std::filesystem::path m_rebuilt;
};

} // namespace commonweight::training
