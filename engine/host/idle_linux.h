#pragma once
// The detectors behind makeIdleMonitor(), each tested for at most a second before it is taken.
// Agent's thread.

#include "engine/host/monitors.h"

#include <vector>

namespace commonweight::host {

std::unique_ptr<IdleMonitor> makeMutterIdleMonitor(); ///< nullptr: it does not work here
std::unique_ptr<IdleMonitor> makeX11IdleMonitor();    ///< the same

/// Asks one after another until one knows.
class IdleChain final : public IdleMonitor {
public:
    explicit IdleChain(std::vector<std::unique_ptr<IdleMonitor>> monitors)
        : m_monitors(std::move(monitors))
    {}
    std::string name() const override; ///< of the one that knew last
    std::optional<Seconds> sinceInput() override;

private:
    std::vector<std::unique_ptr<IdleMonitor>> m_monitors;
    std::size_t m_active = 0;
};

} // namespace commonweight::host
