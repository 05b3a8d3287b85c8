#pragma once
// Turns the agent's inner state into the plain value that is shown. Pure reading; agent's thread.

#include "engine/agent/work_loop.h"

namespace commonweight::agent {

struct SnapshotSources {
    const AgentContext& context;
    const WorkLoop& loop;
    const Wishes& wishes;
    std::string idleSource;
    bool stopping = false;
};

Snapshot buildSnapshot(const SnapshotSources& sources);

} // namespace commonweight::agent
