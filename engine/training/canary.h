#pragma once
// A tiny model's training steps, known on every machine: whether a device still computes what it
// should. Milliseconds on a processor. Pure function of the device; the device's thread.

#include "gpu/device.h"

namespace commonweight::training {

/// Two steps of a model with every operation of a real one, each operation and then the losses,
/// gradients and parameters of an undisturbed run against plain loops in double precision; and the
/// run a second time, which must give the same bytes. Device with a sentence; other kinds as the
/// device says them.
Result<void> runCanary(gpu::Device& device);

} // namespace commonweight::training
