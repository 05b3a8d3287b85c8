#pragma once
// Reads the files that a result names, whole: what does not decode, or is not what the result says,
// is wrong. The caller's thread; nothing is kept.

#include "server/blobs/blob_store.h"
#include "server/store/run_records.h"

#include "engine/work/unit_result.h"

namespace commonweight::server {

struct ResultFiles {
    double norm = 0;     ///< of all outer gradients together
    std::string content; ///< hash of their decoded values: a copy of another's has the same
};

/// `base`: the version that the outer gradients are against. Protocol, in a sentence: what is
/// wrong. Timeout: a named upload is not there (yet).
Result<ResultFiles> checkResultFiles(BlobStore& blobs, const RunDefinition& run,
                                     const work::WorkUnit& unit, const work::UnitResult& result,
                                     std::uint64_t base);

} // namespace commonweight::server
