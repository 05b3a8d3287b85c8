#pragma once
// What `status`, `leases` and `replay` say, as JSON for programs and as text for people. The
// caller's thread.

#include "server/project/opened_project.h"

namespace commonweight::server {

Result<Json> statusJson(OpenedProject& project);
std::string statusText(const Json& status);

/// Every range of lanes that was ever leased: {lanes_per_epoch, totals, leases: [{epoch, first,
/// count, state, unit?, host?, …}]}.
Result<Json> leasesJson(OpenedProject& project);
std::string leasesText(const Json& leases);

/// Rebuilds every version from the merge log; `visit` after each. {versions, equal}. Corrupt when
/// one differs.
Result<Json> replayJson(OpenedProject& project,
                        const std::function<void(const std::string&)>& visit);

} // namespace commonweight::server
