#pragma once
// Where a unit begins, and how it moves onto a newer version: the anchor's parameters, or the place
// where the host's last unit ended; moments from the anchor's table, or carried on from the last
// unit. Free functions, the runner's thread. docs/protocol.md, "Shift on arrival".

#include "engine/training/anchor.h"
#include "engine/training/checkpoint.h"
#include "engine/training/run_state.h"

namespace commonweight::training {

/// `<slot>/continues.json`, which the agent puts there for a unit that may shift, with the outer
/// gradients as `<slot>/continues/<sha256>`. Nothing when there is none.
Result<std::optional<work::Continuation>> continuationIn(const std::filesystem::path& slot);

struct StartFolders {
    std::filesystem::path slot;
    std::filesystem::path blobs;
    std::filesystem::path state; ///< of the run; may be empty
};

/// The state before the first step. NotFound, Corrupt as AnchorParameters and BlobFolder; a
/// continuation that cannot be used is logged, and the unit begins at its anchor.
Result<TrainingState> startPointOf(const UnitRecipe& recipe, const AnchorParameters& anchor,
                                   const StartFolders& folders);

/// θ ← Θ_new + (θ − b), b ← Θ_new, and notes the shift after the state's steps.
Result<void> shiftOnto(const UnitRecipe& recipe, const work::Anchor& newer,
                       const VersionFiles& files, TrainingState& state);

/// The carried moments of a run, and what `state` leaves of them.
RunState momentsOf(const UnitRecipe& recipe, const std::filesystem::path& folder);
Result<void> keepMoments(const UnitRecipe& recipe, const std::filesystem::path& folder,
                         const TrainingState& state);

} // namespace commonweight::training
