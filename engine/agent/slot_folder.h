#pragma once
// A task's folder in slots/: the unit for the trainer, its checkpoints, and what it delivers.
// Functions on files, any thread that owns the slot at the moment.

#include "engine/work/unit_result.h"

#include <filesystem>
#include <vector>

namespace commonweight::agent {

/// Makes the folder hold this unit; what another unit left there goes. Full, Denied, Io.
Result<void> prepareSlot(const std::filesystem::path& slot, const work::WorkUnit& unit);

/// What the trainer delivered. NotFound when there is nothing; Corrupt when it is not of this unit
/// or not whole (sizes only: the trainer wrote each file atomically, and the server looks at the
/// hashes).
Result<work::UnitResult> readResult(const std::filesystem::path& slot, const work::WorkUnit& unit);

/// Puts into the slot of a unit that has not begun what the last one delivered in `before`, so that
/// the trainer begins where that one ended (docs/protocol.md, "Shift on arrival"). Does nothing
/// when the unit has begun. Full, Denied, Io.
Result<void> putContinuation(const std::filesystem::path& slot, const std::filesystem::path& before,
                             const work::UnitResult& result);
/// Offers the trainer a newer version.
Result<void> putShift(const std::filesystem::path& slot, const work::Anchor& version);

/// The file of a delivered blob.
std::filesystem::path deliveredFile(const std::filesystem::path& slot, const work::BlobRef& blob);
std::vector<work::BlobRef> blobsOf(const work::UnitResult& result);

/// Removes all folders of `slots` but the numbers in `used`.
void sweepSlots(const std::filesystem::path& slots, const std::vector<int>& used);

} // namespace commonweight::agent
