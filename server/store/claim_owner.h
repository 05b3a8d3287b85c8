#pragma once
// Who holds a claim: computer, process, and when the process began, so that a claim of a process
// that was killed is free again at once and not only when it expires. Pure but for the look at
// /proc, any thread.

#include <string>

namespace commonweight::server {

/// "<computer>/<process id>/<start time>" of this process; `part` tells several owners in one
/// process apart.
std::string claimOwner(const std::string& part);

/// The owner was a process of this computer that no longer runs. False when in doubt.
bool isGone(const std::string& owner);

} // namespace commonweight::server
