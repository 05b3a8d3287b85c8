#include "engine/agent/agent_log.h"

#include "engine/base/log.h"

namespace commonweight::agent {

namespace {

constexpr std::size_t kLines = 200;
constexpr std::size_t kWarningsRemembered = 200;
constexpr std::chrono::hours kQuiet{1};

} // namespace

void AgentLog::say(const std::string& text)
{
    spdlog::info("{}", text);
    keep(text);
}

void AgentLog::warn(const std::string& text)
{
    spdlog::warn("{}", text);
    keep(text);
}

void AgentLog::warnOnce(const std::string& text)
{
    const auto now = m_clock.monotonic();
    const auto known = m_warned.find(text);
    if (known != m_warned.end() && now - known->second < kQuiet)
        return;
    if (m_warned.size() >= kWarningsRemembered)
        m_warned.clear();
    m_warned[text] = now;
    warn(text);
}

void AgentLog::keep(const std::string& text)
{
    if (m_lines.size() >= kLines)
        m_lines.erase(m_lines.begin());
    m_lines.push_back({m_clock.wall(), text});
    if (onLine)
        onLine(m_lines.back());
}

} // namespace commonweight::agent
