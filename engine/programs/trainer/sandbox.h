#pragma once
// Confines the trainer by the operating system, so that a fault in a driver, a library or our own
// decoders cannot be used to reach the person's files, programs or network: docs/decisions/
// 0009-the-trainer-confines-itself.md says with what and why. Called by main, before there are
// threads.

#include "engine/base/result.h"

#include <filesystem>
#include <vector>

namespace commonweight::trainer {

/// What a confined trainer may still reach, besides the system's libraries, its own program and
/// compute devices.
struct Reach {
    std::vector<std::filesystem::path> writable; ///< folders with all below them
    std::vector<std::filesystem::path> readable; ///< folders or files; what is missing is left out
};

/// From now on, and for every thread that is started later: no sockets, no other programs, no other
/// processes, no files but those of `reach`. Cannot be undone. Denied, with a sentence for people:
/// this system cannot confine; the trainer may then be confined in part and should end unless the
/// person said that it may go on. Io: a folder of `reach.writable` cannot be opened.
Result<void> confine(const Reach& reach);

/// Makes the one folder in which drivers and backends keep what they compiled, below
/// $XDG_CACHE_HOME or ~/.cache, and tells them through the environment. Empty when there can be
/// none; then they compile again each time.
std::filesystem::path claimDeviceCache();

} // namespace commonweight::trainer
