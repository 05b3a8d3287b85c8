#pragma once
// The merge log: for each version and fragment what went in, with which weights, and the hashes
// before and after. With the outer gradients it rebuilds the parameters bit for bit. Plain values
// and their JSON (MergeRecord::body), any thread.

#include "engine/exchange/merge.h"
#include "server/store/records.h"

namespace commonweight::server {

/// A host's table of second moments and what it weighs.
struct TableInput {
    std::string result;
    double weight = 0;
    work::BlobRef table;
};

struct MergeInput {
    std::string result;
    double weight = 0;
    std::uint64_t staleness = 0;
    work::BlobRef outerGradient;
};

struct MergeStep {
    exchange::OuterSettings settings;
    std::vector<MergeInput> inputs; ///< in the order of the merge
    exchange::MergeReport report;
};

/// A version's table of second moments: from what, and of which weight.
struct TableStep {
    work::BlobRef before;
    work::BlobRef after;
    std::vector<TableInput> inputs;
};

struct MergeLogEntry {
    exchange::OuterSettings settings;
    std::vector<MergeInput> inputs; ///< in the order of the merge
    FragmentVersion before;
    FragmentVersion after; ///< without momentum: it was dropped after the merge (the warm-up)
    exchange::MergeReport report;
    /// Merges that follow in the same version: what a rollback kept of the versions it undid.
    std::vector<MergeStep> more{};
    /// Nothing was merged: the content of this version is back.
    std::optional<std::uint64_t> restored{};
    std::optional<TableStep> table{}; ///< of the version; with fragment 0
};

Json toJson(const MergeLogEntry& entry);
Result<MergeLogEntry> mergeLogEntryFromJson(const Json& json);

/// The settings of a run's merges, with its momentum for fresh contributions.
exchange::OuterSettings outerSettings(const work::RunConfig& config);

} // namespace commonweight::server
