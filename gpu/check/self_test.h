#pragma once
// Whether a device can be trusted with work: every operation on small odd shapes against plain
// loops in double precision, writes out of bounds, and the same bytes twice. Needs no library; a
// fraction of a second on a processor. Pure function of the device; the device's thread.

#include "gpu/device.h"

namespace commonweight::gpu {

/// Device with the operation, the shape and the values that are wrong; OutOfMemory and others as
/// the device says them. Takes a few MiB of its memory and gives them back.
Result<void> selfTest(Device& device);

} // namespace commonweight::gpu
