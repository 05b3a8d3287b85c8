#include "engine/training/inner_loop.h"

#include "engine/work/limits.h"

#include <cmath>

namespace commonweight::training {

namespace {

Error diverged(std::uint64_t step, const char* what)
{
    return {ErrorKind::Device, "the training diverged: the " + std::string(what) + " of step " +
                                   std::to_string(step + 1) + " is not a usable number"};
}

} // namespace

model::AdamWStep adamWStepOf(const work::WorkUnit& unit, std::uint64_t step, double norm,
                             std::uint64_t stepsBefore)
{
    const auto& optimizer = unit.optimizer;
    model::AdamWStep adamW;
    adamW.learningRate = work::learningRateAt(unit.learningRate, step);
    adamW.beta1 = optimizer.beta1;
    adamW.beta2 = optimizer.beta2;
    adamW.epsilon = optimizer.epsilon;
    adamW.weightDecay = optimizer.weightDecay;
    if (optimizer.biasCorrection) {
        const auto count = static_cast<double>(stepsBefore + step + 1);
        adamW.correction1 = 1 - std::pow(optimizer.beta1, count);
        adamW.correction2 = 1 - std::pow(optimizer.beta2, count);
    }
    adamW.gradientScale = 1.0 / unit.accumulation;
    const double meanNorm = norm * adamW.gradientScale;
    if (optimizer.clipNorm > 0 && meanNorm > optimizer.clipNorm)
        adamW.gradientScale *= optimizer.clipNorm / meanNorm;
    return adamW;
}

Result<void> InnerLoop::addMicroBatch(std::uint64_t step, std::uint32_t micro)
{
    if (micro == 0) {
        m_lossSum = 0;
        CW_CHECK(m_model.zeroGradient());
    }
    CW_TRY(const auto batch, m_cursor.read(step, micro));
    CW_TRY(const double loss, m_model.forwardBackward(batch.tokens, batch.targets));
    if (!std::isfinite(loss) || std::abs(loss) > work::limits::kLoss)
        return diverged(step, "loss");
    m_lossSum += loss;
    return {};
}

Result<double> InnerLoop::update(std::uint64_t step)
{
    CW_TRY(const double norm, m_model.gradientNorm());
    if (!std::isfinite(norm))
        return diverged(step, "gradient");
    CW_CHECK(m_model.adamW(adamWStepOf(m_unit, step, norm, m_stepsBefore)));
    return m_lossSum / m_unit.accumulation;
}

} // namespace commonweight::training
