#pragma once
// What `status`, `leases` and `replay` say, as JSON for programs and as text for people. The
// caller's thread.

#include "server/project/opened_project.h"

namespace commonweight::server {

Result<Json> statusJson(OpenedProject& project);
std::string statusText(const Json& status);

/// Which ranges to list; empty or not set: all.
struct LeaseFilter {
    std::string state; ///< "free" | "leased" | "merged"
    std::string host;
    std::optional<std::uint64_t> epoch;
};

/// Every range of lanes that was ever leased: {lanes_per_epoch, totals, epochs: [{epoch, free,
/// leased, merged, untouched}], hosts: [{host, leased, merged}], leases: [{epoch, first, count,
/// state, unit?, host?, …}]}. Totals, epochs and hosts count lanes of what the filter leaves.
Result<Json> leasesJson(OpenedProject& project, const LeaseFilter& filter = {});
std::string leasesText(const Json& leases);

/// Every host: {hosts: [{host, name, validated_units, trust, tokens_per_second, quarantine, banned,
/// seen}]}.
Result<Json> hostsJson(OpenedProject& project);
std::string hostsText(const Json& hosts);

/// Rebuilds every version from the merge log; `visit` after each. {versions, equal}. Corrupt when
/// one differs.
Result<Json> replayJson(OpenedProject& project,
                        const std::function<void(const std::string&)>& visit);

} // namespace commonweight::server
