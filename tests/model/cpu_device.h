#pragma once
// The reference device for tests of the model.

#include "gpu/registry.h"

#include <QtGlobal>

namespace commonweight::test {

inline std::unique_ptr<gpu::Device> openCpu(int threads)
{
    auto device = gpu::Registry(COMMONWEIGHT_LIB_DIR).open("cpu", {.threads = threads});
    if (!device)
        qFatal("%s", device.error().message.c_str());
    return std::move(*device);
}

} // namespace commonweight::test
