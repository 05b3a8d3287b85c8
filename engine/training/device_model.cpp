#include "engine/training/device_model.h"

namespace commonweight::training {

namespace {

std::string backendOf(const std::string& device)
{
    return device.substr(0, device.find(':'));
}

} // namespace

OpenModel openModelOn(const gpu::Registry& registry, std::string device, gpu::OpenOptions options)
{
    return [&registry, device = std::move(device),
            options](const UnitRecipe& recipe) -> Result<DeviceModel> {
        DeviceModel opened;
        auto chosen = options;
        chosen.numericClass = recipe.unit.numericClass;
        CW_TRY(opened.device, registry.open(device, chosen));
        CW_TRY(opened.transformer, model::Transformer::create(*opened.device, recipe.model,
                                                              recipe.batch, model::Purpose::Train));
        opened.deviceName = opened.device->capabilities().name;
        opened.backend = backendOf(device);
        return opened;
    };
}

} // namespace commonweight::training
