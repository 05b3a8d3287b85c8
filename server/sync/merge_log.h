#pragma once
// The merge log: for each version and fragment what went in, with which weights, and the hashes
// before and after. With the outer gradients it rebuilds the parameters bit for bit. Plain values
// and their JSON (MergeRecord::body), any thread.

#include "engine/exchange/merge.h"
#include "server/store/records.h"

namespace commonweight::server {

struct MergeInput {
    std::string result;
    double weight = 0;
    std::uint64_t staleness = 0;
    work::BlobRef outerGradient;
};

struct MergeLogEntry {
    exchange::OuterSettings settings;
    std::vector<MergeInput> inputs; ///< in the order of the merge
    FragmentVersion before;
    FragmentVersion after; ///< without momentum: it was dropped after the merge (the warm-up)
    exchange::MergeReport report;
};

Json toJson(const MergeLogEntry& entry);
Result<MergeLogEntry> mergeLogEntryFromJson(const Json& json);

/// The settings of a run's merges.
exchange::OuterSettings outerSettings(const work::RunConfig& config);

} // namespace commonweight::server
