#include "engine/host/idle_linux.h"

namespace commonweight::host {

std::string IdleChain::name() const
{
    return m_active < m_monitors.size() ? m_monitors[m_active]->name() : std::string();
}

std::optional<Seconds> IdleChain::sinceInput()
{
    for (std::size_t i = 0; i < m_monitors.size(); ++i)
        if (const auto idle = m_monitors[i]->sinceInput()) {
            m_active = i;
            return idle;
        }
    return std::nullopt;
}

std::unique_ptr<IdleMonitor> makeIdleMonitor()
{
    std::vector<std::unique_ptr<IdleMonitor>> monitors;
    for (auto* make : {makeMutterIdleMonitor, makeX11IdleMonitor})
        if (auto monitor = make())
            monitors.push_back(std::move(monitor));
    return monitors.empty() ? nullptr : std::make_unique<IdleChain>(std::move(monitors));
}

} // namespace commonweight::host
