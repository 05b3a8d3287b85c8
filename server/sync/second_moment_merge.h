#pragma once
// The anchor's table of second moments, refreshed from what trusted hosts report at the end of
// their units. Form: engine/training/second_moments.h. Deterministic; the caller's thread.

#include "server/sync/fragment_merge.h"

namespace commonweight::server {

/// Bytes that a table takes at most.
std::uint64_t tableBytesAtMost(const std::vector<exchange::Fragment>& fragments);

/// Protocol: it is not a table of this model, or holds something that is no mean of squares.
Result<void> checkTable(ByteView table, const std::vector<exchange::Fragment>& fragments);

/// The weighted mean of the reported tables, each element first brought within four times and a
/// quarter of the old one, so that nobody can move it far at once. Corrupt, NotFound: a table does
/// not read.
Result<Bytes> mergeTables(BlobStore& blobs, const std::vector<exchange::Fragment>& fragments,
                          const work::BlobRef& old, const std::vector<TableInput>& inputs);

} // namespace commonweight::server
