#pragma once
// A unit's model on a compute device. Owned by the runner, which drops it to give the device's
// memory back; one thread.

#include "engine/training/unit_recipe.h"
#include "gpu/registry.h"

#include <functional>

namespace commonweight::training {

struct DeviceModel {
    std::unique_ptr<gpu::Device> device; ///< outlives the transformer
    std::unique_ptr<model::Transformer> transformer;
    std::string deviceName; ///< for people
    std::string backend;    ///< "cpu" | "cuda" | "vulkan"
};

/// How a runner gets its model; called again after each release.
using OpenModel = std::function<Result<DeviceModel>(const UnitRecipe&)>;

/// What `--check-against` calls the plain loops that every build has; slow.
constexpr const char* kLoops = "loops";

struct DeviceChoice {
    std::string device;            ///< id of the registry
    int threads = 1;               ///< of processors
    std::string checkAgainst = {}; ///< id of a second device or kLoops; empty: none
};

/// Opens the device of the registry (which must outlive the function) and makes the transformer
/// there, or on it and a second one side by side (gpu::CheckDevice). Device, also for an id that is
/// not known; OutOfMemory; Protocol when the unit's numeric class is not the device's.
OpenModel openModelOn(const gpu::Registry& registry, DeviceChoice choice);

} // namespace commonweight::training
