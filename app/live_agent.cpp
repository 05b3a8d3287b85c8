#include "app/live_agent.h"

namespace commonweight::app {

using agent::Agent;

LiveAgent::LiveAgent(std::unique_ptr<Agent> agent) : m_agent(std::move(agent))
{
    connect(m_agent.get(), &Agent::changed, this, &AgentPort::changed);
    connect(m_agent.get(), &Agent::attached, this, &AgentPort::attached);
    connect(m_agent.get(), &Agent::stopped, this, &AgentPort::stopped);
    connect(m_agent.get(), &Agent::raiseWindowRequested, this, &AgentPort::raiseWindowRequested);
}

LiveAgent::~LiveAgent() = default;

const agent::Snapshot& LiveAgent::snapshot() const
{
    return m_agent->snapshot();
}

void LiveAgent::attach(const QString& address)
{
    m_agent->attach(address);
}

void LiveAgent::detach(const QString& address)
{
    m_agent->detach(address);
}

void LiveAgent::pauseUntil(std::optional<WallTime> until)
{
    m_agent->pauseUntil(until);
}

void LiveAgent::resume()
{
    m_agent->resume();
}

Result<void> LiveAgent::setPreferences(const agent::Preferences& preferences)
{
    return m_agent->setPreferences(preferences);
}

Result<void> LiveAgent::undoPreferences()
{
    return m_agent->undoPreferences();
}

void LiveAgent::abandon(const QString& unit)
{
    m_agent->abandon(unit);
}

void LiveAgent::stop()
{
    m_agent->stop();
}

} // namespace commonweight::app
