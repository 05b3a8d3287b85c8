#pragma once
// A transformer that is none: a few lines of arithmetic that depend on every token, parameter and
// moment, so that a lost or repeated micro-batch changes the result, and hooks for the test. Counts
// how many are alive.

#include "engine/training/device_model.h"

#include <cmath>
#include <limits>

namespace commonweight::test {

/// What a test sees and steers of all fake models of one runner.
struct FakeModels {
    int opened = 0;
    int alive = 0;
    int microBatches = 0;
    std::function<void(int microBatches)> afterMicroBatch = [](int) {};
    int lossIsNanAt = -1; ///< number of a micro-batch, from 1

    training::OpenModel open();
};

class FakeTransformer final : public model::Transformer {
public:
    FakeTransformer(FakeModels& models, std::size_t parameters)
        : m_models(models), m_theta(parameters), m_first(parameters), m_second(parameters),
          m_gradient(parameters)
    {
        ++m_models.opened;
        ++m_models.alive;
    }
    ~FakeTransformer() override { --m_models.alive; }

    Result<void> setParameters(std::span<const float> flat) override { return put(flat, m_theta); }
    Result<void> getParameters(std::span<float> flat) override { return get(m_theta, flat); }
    Result<void> setMoments(std::span<const float> first, std::span<const float> second) override
    {
        CW_CHECK(put(first, m_first));
        return put(second, m_second);
    }
    Result<void> getMoments(std::span<float> first, std::span<float> second) override
    {
        CW_CHECK(get(m_first, first));
        return get(m_second, second);
    }
    Result<void> getGradient(std::span<float> flat) override { return get(m_gradient, flat); }
    Result<double> loss(std::span<const std::int32_t>, std::span<const std::int32_t>) override
    {
        return 0.0;
    }
    Result<void> zeroGradient() override
    {
        std::fill(m_gradient.begin(), m_gradient.end(), 0.0F);
        return {};
    }
    Result<double> forwardBackward(std::span<const std::int32_t> tokens,
                                   std::span<const std::int32_t> targets) override
    {
        std::uint32_t mix = 1;
        for (std::size_t i = 0; i < tokens.size(); ++i)
            mix = mix * 31 + static_cast<std::uint32_t>(tokens[i] * 3 + targets[i]);
        for (std::size_t i = 0; i < m_gradient.size(); ++i) {
            mix = mix * 1664525 + 1013904223;
            m_gradient[i] += 0.1F * m_theta[i] + 1e-3F * static_cast<float>(mix >> 24);
        }
        ++m_models.microBatches;
        m_models.afterMicroBatch(m_models.microBatches);
        if (m_models.microBatches == m_models.lossIsNanAt)
            return std::numeric_limits<double>::quiet_NaN();
        return 2.0 + 1e-3 * (mix >> 24);
    }
    Result<double> gradientNorm() override
    {
        double sum = 0;
        for (const float value : m_gradient)
            sum += static_cast<double>(value) * value;
        return std::sqrt(sum);
    }
    Result<void> adamW(const model::AdamWStep& step) override
    {
        const auto rate = static_cast<float>(step.learningRate);
        for (std::size_t i = 0; i < m_theta.size(); ++i) {
            const float g = m_gradient[i] * static_cast<float>(step.gradientScale);
            m_first[i] = 0.9F * m_first[i] + 0.1F * g;
            m_second[i] = 0.99F * m_second[i] + 0.01F * g * g;
            m_theta[i] -= rate * m_first[i] / (std::sqrt(m_second[i]) + 1e-8F);
        }
        return {};
    }
    Result<void> nextTokenLogits(std::span<const std::int32_t>, std::span<float>) override
    {
        return {};
    }

private:
    static Result<void> put(std::span<const float> from, std::vector<float>& to)
    {
        to.assign(from.begin(), from.end());
        return {};
    }
    static Result<void> get(const std::vector<float>& from, std::span<float> to)
    {
        std::copy(from.begin(), from.end(), to.begin());
        return {};
    }

    FakeModels& m_models;
    std::vector<float> m_theta;
    std::vector<float> m_first;
    std::vector<float> m_second;
    std::vector<float> m_gradient;
};

inline training::OpenModel FakeModels::open()
{
    return [this](const training::UnitRecipe& recipe) -> Result<training::DeviceModel> {
        training::DeviceModel fake;
        fake.transformer =
            std::make_unique<FakeTransformer>(*this, static_cast<std::size_t>(recipe.parameters));
        fake.deviceName = "A device that does not exist";
        fake.backend = "cpu";
        return fake;
    };
}

} // namespace commonweight::test
