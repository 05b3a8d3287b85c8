#include "engine/agent/blob_cache.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "engine/work/catch_up.h"

#include <algorithm>

namespace commonweight::agent {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kHexDigits = 64;

struct CachedFile {
    fs::path path;
    std::uint64_t bytes = 0;
    fs::file_time_type used;
};

std::vector<CachedFile> filesOf(const fs::path& folder)
{
    std::vector<CachedFile> files;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code gone;
        if (!entry->is_regular_file(gone))
            continue;
        const CachedFile file{entry->path(), entry->file_size(gone), entry->last_write_time(gone)};
        if (!gone)
            files.push_back(file);
    }
    std::sort(files.begin(), files.end(),
              [](const auto& a, const auto& b) { return a.used < b.used; });
    return files;
}

} // namespace

std::vector<work::BlobRef> blobsOf(const work::WorkUnit& unit)
{
    std::vector<work::BlobRef> blobs;
    for (const auto& fragment : unit.anchor.fragments)
        blobs.push_back(fragment.blob);
    if (unit.anchor.secondMoments)
        blobs.push_back(*unit.anchor.secondMoments);
    blobs.insert(blobs.end(), unit.shards.begin(), unit.shards.end());
    if (!unit.script)
        return blobs;
    for (const auto& fragment : unit.script->start)
        blobs.push_back(fragment.blob);
    for (const auto& shift : unit.script->shifts)
        for (const auto& fragment : shift.anchor.fragments)
            blobs.push_back(fragment.blob);
    return blobs;
}

/// All files that could be used for it, those of the chains to its fragments included.
static std::vector<std::string> namesOf(const work::WorkUnit& unit)
{
    std::vector<std::string> names;
    for (const auto& blob : blobsOf(unit))
        names.push_back(blob.sha256.hex());
    for (const auto& chain : unit.anchor.chain)
        for (const auto& delta : chain.deltas) {
            names.push_back(delta.base.hex());
            names.push_back(delta.blob.sha256.hex());
        }
    return names;
}

bool BlobCache::has(const work::BlobRef& ref) const
{
    std::error_code error;
    return fs::file_size(pathOf(ref.sha256), error) == ref.bytes && !error;
}

std::vector<work::BlobRef> BlobCache::missing(const work::WorkUnit& unit) const
{
    std::vector<work::BlobRef> list;
    const auto& anchor = unit.anchor;
    for (std::size_t i = 0; i < anchor.fragments.size(); ++i) {
        const auto& whole = anchor.fragments[i].blob;
        if (has(whole))
            continue;
        // One of its name and another size is not it.
        const auto isThere = [&](const Sha256& file) {
            std::error_code error;
            return file != whole.sha256 && fs::exists(pathOf(file), error);
        };
        const auto* chain = i < anchor.chain.size() ? &anchor.chain[i] : nullptr;
        const auto way = work::cheapestWay(anchor.fragments[i], chain, isThere);
        list.insert(list.end(), way.downloads.begin(), way.downloads.end());
    }
    const auto blobs = blobsOf(unit);
    std::copy_if(blobs.begin() + static_cast<std::ptrdiff_t>(anchor.fragments.size()), blobs.end(),
                 std::back_inserter(list), [this](const auto& blob) { return !has(blob); });
    return list;
}

std::uint64_t BlobCache::missingBytes(const work::WorkUnit& unit) const
{
    std::uint64_t bytes = 0;
    for (const auto& blob : missing(unit))
        bytes += blob.bytes;
    return bytes;
}

void BlobCache::adopt(const work::Anchor& anchor, const fs::path& folder) const
{
    for (const auto& fragment : anchor.fragments) {
        std::error_code error; // what stays there is only rebuilt again
        const auto file = folder / fragment.blob.sha256.hex();
        if (!has(fragment.blob) && fs::file_size(file, error) == fragment.blob.bytes && !error)
            fs::rename(file, pathOf(fragment.blob.sha256), error);
    }
}

void BlobCache::pin(const work::WorkUnit& unit)
{
    const std::lock_guard lock(m_mutex);
    for (const auto& name : namesOf(unit))
        ++m_pins[name];
}

void BlobCache::unpin(const work::WorkUnit& unit)
{
    const std::lock_guard lock(m_mutex);
    for (const auto& name : namesOf(unit)) {
        const auto pin = m_pins.find(name);
        if (pin != m_pins.end() && --pin->second <= 0)
            m_pins.erase(pin);
    }
}

void BlobCache::touch(const work::WorkUnit& unit) const
{
    for (const auto& blob : blobsOf(unit))
        ::utimensat(AT_FDCWD, pathOf(blob.sha256).c_str(), nullptr, 0);
}

/// The lock is held while the name goes, so that nothing is removed that was pinned a moment ago.
bool BlobCache::removeUnpinned(const fs::path& file)
{
    const std::lock_guard lock(m_mutex);
    if (m_pins.contains(file.filename().string().substr(0, kHexDigits)))
        return false;
    std::error_code error;
    return fs::remove(file, error);
}

std::uint64_t BlobCache::trim(std::uint64_t maxBytes)
{
    const auto files = filesOf(m_folder);
    std::uint64_t total = 0;
    for (const auto& file : files)
        total += file.bytes;
    std::uint64_t removed = 0;
    for (const auto& file : files) {
        if (total - removed <= maxBytes)
            break;
        if (removeUnpinned(file.path))
            removed += file.bytes;
    }
    return removed;
}

} // namespace commonweight::agent
