#include "bench/train_step_sides.h"

#include "engine/base/random.h"
#include "engine/model/transformer.h"
#include "gpu/registry.h"
#include "tests/model/torch_model.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>

namespace commonweight::bench {
namespace {

template <class T> T valueOrExit(Result<T> result)
{
    if (!result) {
        std::cerr << result.error().message << '\n';
        std::exit(1);
    }
    return std::move(*result);
}

std::vector<std::int32_t> randomTokens(const TrainStepSetting& setting, std::uint64_t key)
{
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(setting.batch * setting.length));
    for (std::size_t i = 0; i < tokens.size(); ++i)
        tokens[i] = static_cast<std::int32_t>(
            uniformBelow(static_cast<std::uint64_t>(setting.config.vocabularySize), key, i));
    return tokens;
}

class OurSide final : public TrainStepSide {
public:
    explicit OurSide(const TrainStepSetting& setting)
        : m_device(valueOrExit(
              gpu::Registry().open("cpu", {.threads = setting.threads,
                                           .numericClass = setting.bf16 ? "bf16" : "fp32"}))),
          m_model(valueOrExit(model::Transformer::create(
              *m_device, setting.config, {setting.batch, setting.length}, model::Purpose::Train))),
          m_tokens(randomTokens(setting, 1)), m_targets(randomTokens(setting, 2))
    {
        if (!m_model->setParameters(model::initialParameters(setting.config, 1)))
            std::exit(1);
    }

    void step() override
    {
        ++m_step;
        const bool zeroed = m_model->zeroGradient().ok();
        const double loss = valueOrExit(m_model->forwardBackward(m_tokens, m_targets));
        const double norm = valueOrExit(m_model->gradientNorm());
        const bool moved = m_model
                               ->adamW({.learningRate = 1e-3,
                                        .correction1 = 1 - std::pow(0.9, m_step),
                                        .correction2 = 1 - std::pow(0.99, m_step),
                                        .gradientScale = std::min(1.0, 1 / norm)})
                               .ok();
        if (!zeroed || !moved || !std::isfinite(loss))
            std::exit(1);
    }

private:
    std::unique_ptr<gpu::Device> m_device;
    std::unique_ptr<model::Transformer> m_model;
    std::vector<std::int32_t> m_tokens, m_targets;
    int m_step = 0;
};

class ModulesSide final : public TrainStepSide {
public:
    explicit ModulesSide(const TrainStepSetting& setting)
        : m_setting(setting),
          m_model({setting.config.vocabularySize, setting.config.hiddenSize,
                   setting.config.intermediateSize, setting.config.layers, setting.config.heads,
                   setting.config.kvHeads, setting.config.headSize, setting.config.ropeTheta,
                   setting.config.rmsNormEpsilon, setting.config.tieEmbeddings},
                  false),
          m_tokens(randomTokens(setting, 1)), m_targets(randomTokens(setting, 2))
    {
        if (setting.bf16)
            m_model.useBf16();
        const auto parameters = model::initialParameters(setting.config, 1);
        const float* next = parameters.data();
        for (const auto& tensor : model::parameterLayout(setting.config)) {
            m_model.setParameter(tensor.name, next, tensor.elements());
            next += tensor.elements();
        }
    }

    void step() override
    {
        test::TorchModel::setThreads(m_setting.threads); // the other side leaves this thread at one
        m_model.zeroGradient();
        const double loss = m_model.forwardBackward(m_tokens.data(), m_targets.data(),
                                                    m_setting.batch, m_setting.length);
        m_model.clipGradient(1);
        m_model.adamW({1e-3, 0.9, 0.99, 1e-8, 0.1});
        if (!std::isfinite(loss))
            std::exit(1);
    }

private:
    TrainStepSetting m_setting;
    test::TorchModel m_model;
    std::vector<std::int32_t> m_tokens, m_targets;
};

double secondsOf(TrainStepSide& side, int steps)
{
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < steps; ++i)
        side.step();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double cpuSeconds()
{
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double statusBytes(const std::string& member)
{
    std::ifstream file("/proc/self/status");
    for (std::string name; file >> name;) {
        double kibibytes = 0;
        if (name == member && file >> kibibytes)
            return kibibytes * 1024;
    }
    return 0;
}

} // namespace

double TrainStepSetting::flopsPerToken() const
{
    const auto& c = config;
    const double embedding = static_cast<double>(c.vocabularySize * c.hiddenSize);
    const double weights = parameters - (c.tieEmbeddings ? 0 : embedding);
    const double attention = 6.0 * static_cast<double>(c.layers * c.heads * c.headSize * length);
    return 6 * weights + attention;
}

bool computesBf16()
{
    const auto classes = valueOrExit(gpu::Registry().find("cpu")).numericClasses;
    return std::find(classes.begin(), classes.end(), "bf16") != classes.end();
}

double sgemmPeak(int threads)
{
    constexpr std::int64_t kSide = 2048;
    test::TorchModel::setThreads(threads);
    const double torch = test::TorchModel::productFlops(kSide);
    const auto device = valueOrExit(gpu::Registry().open("cpu", {.threads = threads}));
    const auto buffer = valueOrExit(device->allocate(gpu::ElementType::F32, 3 * kSide * kSide));
    const auto part = [&](std::int64_t i) {
        return gpu::Slice{buffer.get(), i * kSide * kSide, kSide * kSide};
    };
    double best = torch;
    for (int i = 0; i < 5; ++i) {
        const auto start = std::chrono::steady_clock::now();
        device->matmul(
            {.out = part(0), .a = part(1), .b = part(2), .m = kSide, .n = kSide, .k = kSide});
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        best = std::max(best, 2.0 * static_cast<double>(kSide * kSide * kSide) / seconds.count());
    }
    return best;
}

bool complete(TrainStepSetting& setting)
{
    const auto config = model::presetByName(setting.preset, 256);
    if (!config)
        return false;
    const bool small = setting.preset == "nanogpt-cpu";
    setting.config = *config;
    setting.parameters = static_cast<double>(config->parameters());
    setting.length = small ? 64 : 256;
    if (setting.batch <= 0)
        setting.batch = small ? 12 : 4;
    return true;
}

std::unique_ptr<TrainStepSide> makeOurSide(const TrainStepSetting& setting)
{
    return std::make_unique<OurSide>(setting);
}

std::unique_ptr<TrainStepSide> makeModulesSide(const TrainStepSetting& setting)
{
    return std::make_unique<ModulesSide>(setting);
}

int stepsFor(TrainStepSide& side, double seconds)
{
    secondsOf(side, 2);
    return std::max(1, static_cast<int>(seconds / (secondsOf(side, 2) / 2)));
}

Speed measure(TrainStepSide& side, const TrainStepSetting& setting, int steps)
{
    const double tokens = static_cast<double>(setting.batch * setting.length) * steps;
    const double before = cpuSeconds();
    const double seconds = secondsOf(side, steps);
    return {tokens / seconds, tokens / (cpuSeconds() - before)};
}

double peakBytes(const TrainStepSetting& setting, bool modules, int steps)
{
    const double before = statusBytes("VmRSS:");
    const auto side = modules ? makeModulesSide(setting) : makeOurSide(setting);
    secondsOf(*side, steps);
    return statusBytes("VmHWM:") - before;
}

} // namespace commonweight::bench
