#pragma once
// The content-addressed folder of downloads: blobs/<sha256>. What a task needs is pinned; the rest
// is kept while there is room, least recently used goes first. May be deleted at any time by
// anybody. Owner: Agent. Thread-safe.

#include "engine/work/unit.h"

#include <filesystem>
#include <map>
#include <mutex>

namespace commonweight::agent {

/// All blobs that a unit reads.
std::vector<work::BlobRef> blobsOf(const work::WorkUnit& unit);

class BlobCache {
public:
    explicit BlobCache(std::filesystem::path folder) : m_folder(std::move(folder)) {}

    std::filesystem::path pathOf(const Sha256& sha256) const { return m_folder / sha256.hex(); }
    /// There, with the right size; the trainer looks at the hash.
    bool has(const work::BlobRef& ref) const;
    /// What has to come before the trainer can begin, in the fewest bytes: a fragment that it can
    /// rebuild from an older version and differences need not come whole (work::cheapestWay).
    std::vector<work::BlobRef> missing(const work::WorkUnit& unit) const;
    bool hasAll(const work::WorkUnit& unit) const { return missing(unit).empty(); }
    std::uint64_t missingBytes(const work::WorkUnit& unit) const;

    void pin(const work::WorkUnit& unit); ///< counted
    void unpin(const work::WorkUnit& unit);
    /// Notes that a unit's blobs were used now.
    void touch(const work::WorkUnit& unit) const;
    /// Takes over what the trainer rebuilt of these fragments, from a folder on the same volume.
    void adopt(const work::Anchor& anchor, const std::filesystem::path& folder) const;
    /// Removes unpinned files, least recently used first, until the rest takes at most `maxBytes`.
    /// Worker thread. The number of bytes that went.
    std::uint64_t trim(std::uint64_t maxBytes);

private:
    bool removeUnpinned(const std::filesystem::path& file);

    const std::filesystem::path m_folder;
    mutable std::mutex m_mutex;
    std::map<std::string, int> m_pins; ///< by hex name
};

} // namespace commonweight::agent
