#pragma once
// The steps on one trusted machine before the volunteers come: an ordinary work unit, run by a
// trainer as a child process. It gives version 1 and the table of second moments that later units
// start from. Called by create; one thread.

#include "server/schedule/lane_book.h"
#include "server/sync/fragment_merge.h"

#include "engine/work/unit_result.h"

namespace commonweight::server {

struct WarmUpOptions {
    std::uint64_t steps = 300;
    std::uint32_t accumulation = 1; ///< the warm-up may use larger batches than one volunteer does
    std::filesystem::path trainer;  ///< the program
    int threads = 1;
    std::filesystem::path slot; ///< a folder of its own; kept when the warm-up is interrupted, so
                                ///< that it goes on from there
};

struct WarmUp {
    work::WorkUnit unit;
    LanePick lanes;
    work::UnitResult result;
    VersionRecord version; ///< version 1; its blobs are stored
    std::vector<MergeLogEntry> log;
};

/// A line for people while it goes on.
using ProgressSink = std::function<void(const std::string&)>;

/// Protocol: the text is too short, or the trainer delivered nonsense; NotFound: no trainer; the
/// trainer's own errors.
Result<WarmUp> runWarmUp(const RunDefinition& run, const VersionRecord& first, BlobStore& blobs,
                         const WarmUpOptions& options, const ProgressSink& progress);

/// How a warm-up's outer gradient becomes a version: taken as it is, no momentum kept.
exchange::OuterSettings warmUpSettings();

} // namespace commonweight::server
