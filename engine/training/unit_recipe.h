#pragma once
// A work unit together with what this build makes of it: its model, its codec, its identity. Made
// once when a unit is opened, immutable afterwards, any thread.

#include "engine/exchange/codec.h"
#include "engine/model/transformer.h"
#include "engine/work/unit.h"

#include <filesystem>

namespace commonweight::training {

struct UnitRecipe {
    work::WorkUnit unit;
    Sha256 hash; ///< of the unit's canonical JSON: tells its checkpoints from those of any other
    model::ModelConfig model;
    std::vector<TensorSpec> layout;
    std::int64_t parameters = 0;
    exchange::Codec codec = exchange::Codec::Fp32;
    model::BatchShape batch;
};

/// Protocol when this build cannot run the unit: its kind, codec or model is unknown, or a sequence
/// is longer than the model's context.
Result<UnitRecipe> recipeOf(work::WorkUnit unit);

/// Reads `<slot>/unit.json`, the plain body of a unit whose signature was verified by whoever put
/// it there. NotFound, Io, Protocol.
Result<UnitRecipe> readUnit(const std::filesystem::path& slot);

} // namespace commonweight::training
