#pragma once
// A small file that may be lost but never be believed wrongly: what a device learned about itself.
// It carries a key and a hash; a file that is damaged, cut off or of another key reads as absent.
// Plain value; any thread.

#include "engine/base/bytes.h"
#include "engine/base/sha256.h"

#include <filesystem>
#include <optional>

namespace commonweight::gpu::vulkan {

class KeptFile {
public:
    /// Without a path nothing is kept.
    KeptFile(std::filesystem::path path, Sha256 key) : m_path(std::move(path)), m_key(key) {}

    std::optional<Bytes> read() const;
    /// Replaces the file atomically; a failure is logged and costs only time at the next start.
    void write(ByteView content) const;

private:
    std::filesystem::path m_path;
    Sha256 m_key;
};

/// $XDG_CACHE_HOME/commonweight or ~/.cache/commonweight; empty when neither is known.
std::filesystem::path defaultCacheFolder();

} // namespace commonweight::gpu::vulkan
