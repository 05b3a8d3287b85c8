#include "gpu/vulkan/kept_file.h"

#include "engine/base/atomic_file.h"
#include "engine/base/log.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace commonweight::gpu::vulkan {
namespace {

// magic (8 bytes) · key (32) · SHA-256 of the content (32) · content
constexpr std::array<Byte, 8> kMagic = {Byte('c'), Byte('w'), Byte('k'), Byte('e'),
                                        Byte('p'), Byte('t'), Byte('0'), Byte('1')};
constexpr std::size_t kHeader = kMagic.size() + 2 * sizeof(Sha256::bytes);
constexpr std::uint64_t kMostBytes = 256 << 20;

} // namespace

std::optional<Bytes> KeptFile::read() const
{
    if (m_path.empty())
        return std::nullopt;
    auto file = readFile(m_path, kMostBytes);
    if (!file || file->size() < kHeader)
        return std::nullopt;
    const ByteView bytes(*file);
    const auto content = bytes.subspan(kHeader);
    const auto hash = sha256(content);
    const auto sameAs = [&](const auto& part, std::size_t at) {
        return std::equal(part.begin(), part.end(),
                          bytes.begin() + static_cast<std::ptrdiff_t>(at));
    };
    if (!sameAs(kMagic, 0) || !sameAs(m_key.bytes, kMagic.size()) ||
        !sameAs(hash.bytes, kMagic.size() + m_key.bytes.size()))
        return std::nullopt;
    return Bytes(content.begin(), content.end());
}

void KeptFile::write(ByteView content) const
{
    if (m_path.empty())
        return;
    const auto hash = sha256(content);
    Bytes header(kMagic.begin(), kMagic.end());
    header.insert(header.end(), m_key.bytes.begin(), m_key.bytes.end());
    header.insert(header.end(), hash.bytes.begin(), hash.bytes.end());
    const std::array<ByteView, 2> pieces = {ByteView(header), content};
    auto written = makeFolder(m_path.parent_path(), 0700);
    if (written)
        written = writePiecesAtomically(m_path, pieces);
    if (!written)
        spdlog::debug("Not kept for the next start: {}", written.error().message);
}

std::filesystem::path defaultCacheFolder()
{
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache && cache[0] == '/')
        return std::filesystem::path(cache) / "commonweight";
    const char* home = std::getenv("HOME");
    if (home && home[0] == '/')
        return std::filesystem::path(home) / ".cache" / "commonweight";
    return {};
}

} // namespace commonweight::gpu::vulkan
