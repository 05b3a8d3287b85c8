#pragma once
// A unit in the middle, on the disk: two generations in the unit's slot, written in turn, so that
// whatever kills the process or the power in any instant leaves at least one that is whole. Owned
// by the runner, one thread.
//
// Form: safetensors `checkpoint-{a,b}.safetensors`; tensors "parameters", "first_moments",
// "second_moments", and "base" where it is not the anchor (F32, flat, in layout order); metadata
// format = "commonweight checkpoint", version = "1", unit = SHA-256 of the unit's canonical JSON,
// state = JSON of the counters, checksum = SHA-256 over unit, state and the tensors' bytes.

#include "engine/base/safetensors.h"
#include "engine/base/sha256.h"
#include "engine/training/loss_trace.h"
#include "engine/training/mapped_file.h"
#include "engine/work/unit_result.h"

#include <array>
#include <filesystem>
#include <optional>

namespace commonweight::training {

/// All that must be kept to go on with a unit as if nothing had happened.
struct TrainingProgress {
    std::uint64_t step = 0;   ///< whole steps done
    std::uint64_t tokens = 0; ///< trained on so far
    double seconds = 0;       ///< computing time, pauses left out
    LossTrace trace;
    std::vector<work::Shift> shifts;
    std::optional<work::Continuation> continues;
    std::uint64_t stepsBefore = 0; ///< of the units that the moments were carried through
    bool operator==(const TrainingProgress&) const = default;
};
struct TrainingState {
    TrainingProgress progress;
    std::vector<float> parameters;
    std::vector<float> first;
    std::vector<float> second;
    /// What the outer gradient is taken against, where that is not the anchor: the unit continued
    /// from another one, or was shifted.
    std::vector<float> base = {};
};

class CheckpointStore {
public:
    /// `unit` is UnitRecipe::hash, `elements` the size of each of the three tensors.
    CheckpointStore(std::filesystem::path slot, const Sha256& unit, std::int64_t elements);

    /// The newest generation of this unit that is whole; nothing when there is none. A damaged one
    /// is logged and passed over, one of another unit is ignored.
    std::optional<TrainingState> load();

    /// Replaces the generation that is not the newest. On failure (Full, Denied, Io) both
    /// generations stay as they were.
    Result<void> save(const TrainingState& state);

    /// Gives the older generation's space back; the newest stays.
    void removeOlder();
    /// Gives the space of both back: the unit's result is on the disk.
    void removeAll();

private:
    /// A file that claims to be a checkpoint of this unit; its checksum has not been compared.
    struct Generation {
        std::size_t number;
        MappedFile file;
        Safetensors tensors; ///< looks into the file
        TrainingProgress progress;
    };
    std::filesystem::path pathOf(std::size_t generation) const;
    Result<Generation> open(std::size_t number) const;
    Result<TrainingState> read(const Generation& generation) const;

    std::filesystem::path m_slot;
    std::string m_unit;
    std::int64_t m_elements;
    std::size_t m_next = 0; ///< the generation to write
};

} // namespace commonweight::training
