#pragma once
// When a device is tested, and what for: all that it has to show before its first unit and after
// each change of driver or build, and a canary before a result is delivered. Plain values over the
// registry; called by the thread that trains.

#include "engine/work/trainer_messages.h"
#include "gpu/registry.h"

#include <functional>

namespace commonweight::training {

struct DeviceTests {
    /// SHA-256 over the device, its driver and the build, as text. Device when there is no such
    /// device.
    std::function<Result<std::string>(const work::RunCommand&)> identity;
    /// gpu::selfTest() and runCanary() in every numeric class that the device offers. Device with
    /// the sentence of what is wrong; other kinds when it could not be tested.
    std::function<Result<void>(const work::RunCommand&)> beforeWork;
    /// runCanary() on the device that has trained.
    std::function<Result<void>(gpu::Device&)> beforeDelivery;
};

/// `registry` must outlive the functions.
DeviceTests deviceTestsOn(const gpu::Registry& registry);

} // namespace commonweight::training
