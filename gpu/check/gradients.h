#pragma once
// Whether backward operations are the derivatives of the forward ones: differences along a random
// direction, on the device itself, without any reference. One thread.

#include "gpu/device.h"

#include <string>
#include <vector>

namespace commonweight::gpu {

struct GradientCheck {
    std::string text;    ///< "rmsNorm, weight"
    double numeric = 0;  ///< (f(x + εd) − f(x − εd)) / 2ε
    double analytic = 0; ///< gradient · d
    double error = 0;    ///< their difference, divided by the gradient's length

    /// fp32 sums and the third derivative leave about a thousandth.
    bool good() const { return error <= 5e-3; }
};

/// Every operation that has a backward one, for each of its inputs. Meant for "fp32": rounding of
/// factors is larger than the differences. Errors as the device says them.
Result<std::vector<GradientCheck>> checkGradients(Device& device);

} // namespace commonweight::gpu
