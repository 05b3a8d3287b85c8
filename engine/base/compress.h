#pragma once
// Zstandard (RFC 8878) for whole byte strings, with a hard bound on what comes out. Pure functions,
// any thread.

#include "engine/base/bytes.h"

namespace commonweight {

/// One frame that names its content's size. Level 1 (fast) to 19 (small).
Bytes compress(ByteView content, int level = 3);

/// The content of exactly one frame. Corrupt when it is damaged, cut short, followed by other
/// bytes, or longer than `maxBytes`. Memory stays within about 8 MiB and three times
/// `maxBytes`, whatever the frame claims.
Result<Bytes> decompress(ByteView frame, std::uint64_t maxBytes);

} // namespace commonweight
