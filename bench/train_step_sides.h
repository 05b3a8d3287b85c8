#pragma once
// The two sides of bench/train_step: engine/model on the CPU device, and LibTorch's modules. One
// thread.

#include "engine/model/config.h"

#include <memory>
#include <string>

namespace commonweight::bench {

struct TrainStepSetting {
    std::string preset = "nanogpt-cpu";
    std::int64_t batch = 0, length = 0;
    int threads = 2;
    bool bf16 = false;
    model::ModelConfig config;
    double parameters = 0;

    /// Floating-point operations that one token's step needs: six for each weight of a product, and
    /// the causal half of attention's.
    double flopsPerToken() const;
};

/// Fills in what follows from the preset; false when there is no such preset.
bool complete(TrainStepSetting& setting);

class TrainStepSide {
public:
    virtual ~TrainStepSide() = default;
    /// Zero gradient, forward, backward, clip to 1, AdamW.
    virtual void step() = 0;
};

std::unique_ptr<TrainStepSide> makeOurSide(const TrainStepSetting& setting);
std::unique_ptr<TrainStepSide> makeModulesSide(const TrainStepSetting& setting);

/// Steps that take about `seconds`, after some to warm up.
int stepsFor(TrainStepSide& side, double seconds);

struct Speed {
    double tokensPerSecond = 0;
    double tokensPerCpuSecond =
        0; ///< of all threads together, waiting in a loop included; steady on a busy machine
};
Speed measure(TrainStepSide& side, const TrainStepSetting& setting, int steps);
/// Whether this machine's CPU device offers bf16.
bool computesBf16();
/// Floating-point operations per second of a large fp32 product with so many threads: the better of
/// LibTorch's and the CPU device's.
double sgemmPeak(int threads);
/// Highest resident memory during some steps, above that before the model was made.
double peakBytes(const TrainStepSetting& setting, bool modules, int steps);

} // namespace commonweight::bench
