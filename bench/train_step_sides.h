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
    model::ModelConfig config;
    double parameters = 0;
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
/// Highest resident memory during some steps, above that before the model was made.
double peakBytes(const TrainStepSetting& setting, bool modules);

} // namespace commonweight::bench
