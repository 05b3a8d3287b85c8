#include "engine/training/device_model.h"

#include "gpu/check/check_device.h"
#include "gpu/check/reference_device.h"

namespace commonweight::training {

namespace {

std::string backendOf(const std::string& device)
{
    return device.substr(0, device.find(':'));
}

/// NotFound means files of a unit to whoever reads it.
Result<std::unique_ptr<gpu::Device>>
openDevice(const gpu::Registry& registry, const std::string& id, const gpu::OpenOptions& options)
{
    auto device = registry.open(id, options);
    if (!device && device.error().kind == ErrorKind::NotFound)
        return Error{ErrorKind::Device, device.error().message};
    return device;
}

/// The reference computes in fp32 whatever the class: bounds allow for the subject's.
Result<std::unique_ptr<gpu::Device>> withCheck(const gpu::Registry& registry,
                                               std::unique_ptr<gpu::Device> subject,
                                               const DeviceChoice& choice)
{
    std::unique_ptr<gpu::Device> reference;
    if (choice.checkAgainst == kLoops) {
        reference = std::make_unique<gpu::ReferenceDevice>();
    } else {
        auto opened = openDevice(registry, choice.checkAgainst, {.threads = choice.threads});
        if (!opened)
            return opened.error().withContext("the device to check against");
        reference = std::move(*opened);
    }
    return std::unique_ptr<gpu::Device>(
        std::make_unique<gpu::CheckDevice>(std::move(subject), std::move(reference)));
}

} // namespace

OpenModel openModelOn(const gpu::Registry& registry, DeviceChoice choice)
{
    return [&registry,
            choice = std::move(choice)](const UnitRecipe& recipe) -> Result<DeviceModel> {
        DeviceModel opened;
        const auto& numericClass = recipe.unit.numericClass;
        auto device = openDevice(registry, choice.device,
                                 {.threads = choice.threads, .numericClass = numericClass});
        if (!device && device.error().kind == ErrorKind::Protocol)
            return device.error().withContext("the unit asks for " + numericClass + " arithmetic");
        CW_TRY(opened.device, std::move(device));
        if (!choice.checkAgainst.empty()) {
            CW_TRY(opened.device, withCheck(registry, std::move(opened.device), choice));
        }
        CW_TRY(opened.transformer, model::Transformer::create(*opened.device, recipe.model,
                                                              recipe.batch, model::Purpose::Train));
        opened.deviceName = opened.device->capabilities().name;
        opened.backend = backendOf(choice.device);
        return opened;
    };
}

} // namespace commonweight::training
