#pragma once
// How fast each device trained last: what the scheduler is told before the next unit has begun.
// Kept in the store. Owner: WorkLoop; agent's thread.

#include "engine/agent/agent_store.h"

namespace commonweight::agent {

class DeviceSpeeds {
public:
    explicit DeviceSpeeds(AgentStore& store);

    /// Tokens per second; 0 when not known.
    double of(const std::string& device) const;
    void note(const std::string& device, double tokensPerSecond);
    void save(); ///< now and then: a lost value is measured again

private:
    AgentStore& m_store;
    std::map<std::string, double> m_speeds;
};

} // namespace commonweight::agent
