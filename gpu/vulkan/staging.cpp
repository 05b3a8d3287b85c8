#include "gpu/vulkan/staging.h"

#include <algorithm>
#include <cstring>

namespace commonweight::gpu::vulkan {
namespace {

constexpr VkDeviceSize kRing = 8 << 20;
constexpr VkDeviceSize kPiece = 1 << 20;
constexpr VkDeviceSize kWindow = 4 << 20;

} // namespace

Result<std::unique_ptr<Staging>> Staging::create(LogicalDevice& device, CommandStream& stream)
{
    CW_TRY(auto ring, MemoryBlock::create(device, MemoryBlock::Kind::Upload, kRing));
    CW_TRY(auto window, MemoryBlock::create(device, MemoryBlock::Kind::Download, kWindow));
    return std::unique_ptr<Staging>(new Staging(stream, std::move(ring), std::move(window)));
}

// A piece lies in the ring without a break.
Result<VkDeviceSize> Staging::reserve(VkDeviceSize bytes)
{
    const std::uint64_t place = m_used % kRing;
    if (place + bytes > kRing)
        m_used += kRing - place;
    while (m_used + bytes - m_freed > kRing && !m_pieces.empty()) {
        CW_CHECK(m_stream.wait(m_pieces.front().progress));
        m_freed = m_pieces.front().end;
        m_pieces.pop_front();
    }
    const VkDeviceSize begin = m_used % kRing;
    m_used += bytes;
    return begin;
}

Result<void> Staging::upload(const Region& to, std::span<const std::byte> from)
{
    for (VkDeviceSize done = 0; done < to.bytes;) {
        const VkDeviceSize count = std::min(kPiece, to.bytes - done);
        CW_TRY(const VkDeviceSize at, reserve(count));
        std::memcpy(m_ring->mapped() + at, from.data() + done, count);
        CW_CHECK(m_stream.copy(to.part(done, count), m_ring->whole().part(at, count)));
        m_pieces.push_back({m_used, m_stream.progressOfRecorded()});
        done += count;
    }
    return {};
}

Result<void> Staging::download(std::span<std::byte> to, const Region& from)
{
    for (VkDeviceSize done = 0; done < from.bytes;) {
        const VkDeviceSize count = std::min(kWindow, from.bytes - done);
        CW_CHECK(m_stream.copyToHost(m_window->whole().part(0, count), from.part(done, count)));
        CW_CHECK(m_stream.drain());
        std::memcpy(to.data() + done, m_window->mapped(), count);
        done += count;
    }
    return m_stream.drain();
}

} // namespace commonweight::gpu::vulkan
