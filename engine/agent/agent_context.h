#pragma once
// What the parts of an agent share, so that each can be given it in one piece. Owner: Agent, whose
// parts it outlives.

#include "engine/agent/agent_log.h"
#include "engine/agent/agent_store.h"
#include "engine/transfer/http.h"

namespace commonweight::agent {

struct AgentContext {
    const Clock& clock;
    AgentStore& store;
    AgentLog& log;
    transfer::Transport& transport;
    const SigningKey& key; ///< this computer's, for all projects
    std::filesystem::path dataFolder;
    std::string checkAgainst = {}; ///< see AgentOptions
    bool allowUnconfined = false;  ///< see AgentOptions

    std::filesystem::path blobs() const { return dataFolder / "blobs"; }
    std::filesystem::path states() const { return dataFolder / "state"; }
    std::filesystem::path slots() const { return dataFolder / "slots"; }
    std::filesystem::path slot(int number) const { return slots() / std::to_string(number); }
};

} // namespace commonweight::agent
