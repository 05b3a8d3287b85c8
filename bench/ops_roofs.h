#pragma once
// What the machine could do at most, measured in the same run as what is held against it. One
// thread calls.

#include "gpu/registry.h"

#include <functional>
#include <string>

namespace commonweight::bench {

struct Roofs {
    double gigaflops = 0; ///< fp32; 0 = not known
    double gigabytesPerSecond = 0;
    std::string gigaflopsFrom, bytesFrom; ///< how they came about, for people
};

/// For a processor, also behind a GPU's interface: the BLAS's sgemm and a triad on `threads`
/// threads. For a GPU: what its driver reports, and its own sums of two long vectors.
Roofs measureRoofs(gpu::Device& device, const gpu::DeviceInfo& info, int threads);

/// Seconds of one run when `runMany(n)` does n of them: the best of five rounds of about `seconds`.
double bestSeconds(double seconds, const std::function<void(int)>& runMany);

} // namespace commonweight::bench
