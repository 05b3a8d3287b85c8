#pragma once
// The agent of this process behind the windows' door. Owner: main(); GUI thread.

#include "app/agent_port.h"
#include "engine/agent/agent.h"

#include <memory>

namespace commonweight::app {

class LiveAgent final : public AgentPort {
    Q_OBJECT

public:
    explicit LiveAgent(std::unique_ptr<agent::Agent> agent);
    ~LiveAgent() override;

    const agent::Snapshot& snapshot() const override;
    void attach(const QString& address) override;
    void detach(const QString& address) override;
    void pauseUntil(std::optional<WallTime> until) override;
    void resume() override;
    Result<void> setPreferences(const agent::Preferences& preferences) override;
    Result<void> undoPreferences() override;
    void abandon(const QString& unit) override;
    void stop() override;

private:
    std::unique_ptr<agent::Agent> m_agent;
};

} // namespace commonweight::app
