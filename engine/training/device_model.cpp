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
        CW_TRY(opened.device, registry.open(device, options));
        const auto& capabilities = opened.device->capabilities();
        if (capabilities.numericClass != recipe.unit.numericClass)
            return Error{ErrorKind::Protocol, "the unit asks for " + recipe.unit.numericClass +
                                                  " arithmetic, but " + capabilities.name +
                                                  " computes in " + capabilities.numericClass};
        CW_TRY(opened.transformer, model::Transformer::create(*opened.device, recipe.model,
                                                              recipe.batch, model::Purpose::Train));
        opened.deviceName = capabilities.name;
        opened.backend = backendOf(device);
        return opened;
    };
}

} // namespace commonweight::training
