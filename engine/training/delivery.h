#pragma once
// The end of a unit on the disk: `<slot>/out/<sha256>` for each blob, then `<slot>/result.json`,
// which appears last and whole. Free functions on plain values, called by the runner's thread.

#include "engine/training/start_point.h"
#include "engine/work/unit_result.h"

namespace commonweight::training {

/// What computed the result, for people and for the verifier.
struct Maker {
    std::string device;
    std::string backend;
};

std::filesystem::path resultPath(const std::filesystem::path& slot);

/// The result that this slot already holds for this unit, when it and all its blobs are whole.
/// Anything else that an earlier unit or an interrupted delivery left is removed.
std::optional<work::UnitResult> existingResult(const UnitRecipe& recipe,
                                               const std::filesystem::path& slot);

/// A number that this slot draws once and keeps (`<slot>/nonce`), so that the result's id stays the
/// same however often the process is killed. Full, Denied, Io.
Result<std::string> slotNonce(const std::filesystem::path& slot);

/// Writes everything for `state`. Outer gradients, their encoding and the second moments are
/// decided by the unit alone – and by its shifts, and by what the run's state folder holds for the
/// codec topk and for carried moments, which is written anew before the result appears. The id is
/// the first 32 hex digits of SHA-256("<unit>\n<nonce>"). Full, Denied, Io; Device when the
/// parameters are not finite.
Result<work::UnitResult> deliver(const UnitRecipe& recipe, const AnchorParameters& anchor,
                                 const TrainingState& state, const Maker& maker,
                                 const StartFolders& folders);

} // namespace commonweight::training
