#pragma once
// Parts of the snapshot's JSON form (docs/control-socket.md) that others need on their own. Pure
// functions, any thread.

#include "engine/agent/snapshot.h"

namespace commonweight::agent {

const char* toString(Reason reason);
const char* toString(Activity activity);
Json toJson(const std::vector<Blocker>& blockers);
Json toJson(const LogLine& line);

} // namespace commonweight::agent
