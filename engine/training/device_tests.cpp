#include "engine/training/device_tests.h"

#include "engine/base/sha256.h"
#include "engine/training/canary.h"
#include "gpu/check/self_test.h"

namespace commonweight::training {
namespace {

Result<gpu::DeviceInfo> infoOf(const gpu::Registry& registry, const work::RunCommand& command)
{
    auto info = registry.find(command.device);
    if (!info)
        return Error{ErrorKind::Device, info.error().message};
    return info;
}

Result<std::string> identityOf(const gpu::Registry& registry, const work::RunCommand& command)
{
    CW_TRY(const auto info, infoOf(registry, command));
    const std::string text = info.id + '\n' + info.name + '\n' + info.driver + '\n' + info.build +
                             '\n' + COMMONWEIGHT_VERSION;
    return sha256(asBytes(text)).hex();
}

Result<void> testAll(const gpu::Registry& registry, const work::RunCommand& command)
{
    CW_TRY(const auto info, infoOf(registry, command));
    for (const auto& numericClass : info.numericClasses) {
        CW_TRY(const auto device,
               registry.open(info.id, {.threads = command.threads, .numericClass = numericClass}));
        CW_CHECK(gpu::selfTest(*device));
        CW_CHECK(runCanary(*device));
    }
    return {};
}

} // namespace

DeviceTests deviceTestsOn(const gpu::Registry& registry)
{
    return {[&registry](const work::RunCommand& command) { return identityOf(registry, command); },
            [&registry](const work::RunCommand& command) { return testAll(registry, command); },
            runCanary};
}

} // namespace commonweight::training
