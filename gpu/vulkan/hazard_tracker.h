#pragma once
// Decides where a barrier is needed: commands between two barriers may run in any order, so none of
// them may write what another one touches. Pure bookkeeping, owned by CommandStream.

#include "gpu/vulkan/region.h"

#include <algorithm>
#include <span>
#include <vector>

namespace commonweight::gpu::vulkan {

class HazardTracker {
public:
    /// Notes the next command's uses. True when a barrier must stand before it; the tracker then
    /// takes the barrier as given.
    bool next(std::span<const Use> uses)
    {
        constexpr std::size_t kMostOpen = 256; // a barrier now and then costs less than a long list
        const bool barrier = m_open.size() > kMostOpen ||
                             std::any_of(uses.begin(), uses.end(),
                                         [this](const Use& use) { return conflicts(use); });
        if (barrier)
            m_open.clear();
        m_open.insert(m_open.end(), uses.begin(), uses.end());
        return barrier;
    }

private:
    bool conflicts(const Use& use) const
    {
        return std::any_of(m_open.begin(), m_open.end(), [&use](const Use& earlier) {
            return (use.access == Access::Write || earlier.access == Access::Write) &&
                   use.region.overlaps(earlier.region);
        });
    }

    std::vector<Use> m_open; ///< of the commands behind the last barrier
};

} // namespace commonweight::gpu::vulkan
