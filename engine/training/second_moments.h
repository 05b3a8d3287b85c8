#pragma once
// AdamW's second moments in a few kilobytes: a matrix is kept as the means of its rows and of its
// columns (Adafactor, Shazeer and Stern 2018, section 3), a vector in full. The table belongs to an
// anchor, so that a unit can start with moments that everybody can rebuild. Pure functions, any
// thread.
//
// Form: safetensors, F32. A tensor "name" of rank 2 gives "name.row" [rows] and "name.column"
// [columns], any other gives "name" with its own shape. Metadata: format = "commonweight second
// moments", version = "1".

#include "engine/base/safetensors.h"

namespace commonweight::training {

/// `second`: all elements of the layout, one tensor after another. Sums are taken in double, in a
/// fixed order.
Bytes factorSecondMoments(const std::vector<TensorSpec>& layout, std::span<const float> second);

/// v_ij = row_i · column_j / mean(row); all zero where the mean is zero. `out` holds all elements
/// of the layout. Corrupt: a tensor is missing, too many, of another shape, negative or not finite.
Result<void> expandSecondMoments(const std::vector<TensorSpec>& layout, ByteView table,
                                 std::span<float> out);

} // namespace commonweight::training
