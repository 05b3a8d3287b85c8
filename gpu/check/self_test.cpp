#include "gpu/check/self_test.h"

#include "gpu/check/check_device.h"
#include "gpu/check/operation_cases.h"
#include "gpu/check/reference_device.h"

namespace commonweight::gpu {
namespace {

Result<void> compareWithLoops(Device& device, const OperationCase& which)
{
    ReferenceDevice reference;
    CheckDevice both(device, reference);
    CW_TRY(const auto prepared, PreparedCase::prepare(both, which));
    CW_CHECK(prepared.run());
    return both.synchronise();
}

Result<std::vector<std::byte>> contentsAfter(Device& device, const OperationCase& which)
{
    CW_TRY(const auto prepared, PreparedCase::prepare(device, which));
    CW_CHECK(prepared.run());
    return prepared.contents(device);
}

Result<void> repeat(Device& device, const OperationCase& which)
{
    CW_TRY(const auto once, contentsAfter(device, which));
    CW_TRY(const auto again, contentsAfter(device, which));
    if (once == again)
        return {};
    return Error{ErrorKind::Device, device.capabilities().name +
                                        " does not give the same bytes twice: " + which.text()};
}

} // namespace

Result<void> selfTest(Device& device)
{
    CW_CHECK(device.synchronise());
    const std::uint64_t before = device.allocatedBytes();
    for (const auto& which : shortCases()) {
        CW_CHECK(compareWithLoops(device, which));
        CW_CHECK(repeat(device, which));
    }
    if (device.allocatedBytes() != before)
        return Error{ErrorKind::Device,
                     device.capabilities().name + " does not count its memory rightly"};
    return {};
}

} // namespace commonweight::gpu
