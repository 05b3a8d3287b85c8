#include "engine/training/canary.h"

#include "engine/base/random.h"
#include "engine/model/transformer.h"
#include "gpu/check/check_device.h"
#include "gpu/check/reference_device.h"

#include <cmath>

namespace commonweight::training {
namespace {

constexpr int kSteps = 2;
constexpr model::BatchShape kBatch{2, 13};

model::ModelConfig tinyModel()
{
    model::ModelConfig config;
    config.vocabularySize = 19;
    config.hiddenSize = 24;
    config.intermediateSize = 40;
    config.layers = 2;
    config.heads = 3;
    config.kvHeads = 1;
    config.headSize = 8;
    config.maxPositions = kBatch.length;
    config.initializerRange = 0.3; // so that no layer is lost in the residual stream
    return config;
}

std::vector<std::int32_t> tokens(std::uint64_t key)
{
    std::vector<std::int32_t> list(static_cast<std::size_t>(kBatch.sequences * kBatch.length));
    for (std::size_t i = 0; i < list.size(); ++i)
        list[i] = static_cast<std::int32_t>(
            uniformBelow(static_cast<std::uint64_t>(tinyModel().vocabularySize), key, i));
    return list;
}

/// What a run leaves.
struct Track {
    std::vector<double> losses;
    std::vector<float> gradient; ///< of the last step
    std::vector<float> parameters;
};

Result<Track> train(gpu::Device& device)
{
    const auto config = tinyModel();
    Track track;
    track.parameters = model::initialParameters(config, 1);
    track.gradient.resize(track.parameters.size());
    const std::vector<float> zeros(track.parameters.size(), 0.0F);
    CW_TRY(const auto transformer,
           model::Transformer::create(device, config, kBatch, model::Purpose::Train));
    CW_CHECK(transformer->setParameters(track.parameters));
    CW_CHECK(transformer->setMoments(zeros, zeros));
    for (std::uint64_t step = 0; step < kSteps; ++step) {
        CW_CHECK(transformer->zeroGradient());
        CW_TRY(const double loss,
               transformer->forwardBackward(tokens(2 * step + 1), tokens(2 * step + 2)));
        track.losses.push_back(loss);
        CW_TRY(const double norm, transformer->gradientNorm());
        model::AdamWStep update;
        update.learningRate = 0.01;
        update.epsilon = 1e-3; // keeps the sign of tiny gradients from deciding anything
        update.gradientScale = 1 / std::max(norm, 1.0);
        CW_CHECK(transformer->adamW(update));
    }
    CW_CHECK(transformer->getGradient(track.gradient));
    CW_CHECK(transformer->getParameters(track.parameters));
    return track;
}

/// Errors of single operations add up over the depth of the model and the steps.
gpu::Bound boundOf(const std::string& numericClass)
{
    if (numericClass == "fp32")
        return {1e-4, 1e-3};
    return numericClass == "fp16" ? gpu::Bound{1e-2, 1e-1} : gpu::Bound{5e-2, 5e-1};
}

Result<void> compareTracks(const gpu::Device& device, const Track& got, const Track& right)
{
    const auto bound = boundOf(device.capabilities().numericClass);
    const std::string name = device.capabilities().name;
    for (std::size_t i = 0; i < right.losses.size(); ++i)
        if (!(std::abs(got.losses[i] - right.losses[i]) <= bound.largest * right.losses[i]))
            return Error{ErrorKind::Device, name + " gives a loss of " +
                                                std::to_string(got.losses[i]) + " instead of " +
                                                std::to_string(right.losses[i]) +
                                                " for the test batch"};
    const auto check = [&](const char* what, const std::vector<float>& ours,
                           const std::vector<float>& theirs) -> Result<void> {
        const auto mismatch = gpu::compare(ours, std::span<const float>(theirs), bound);
        if (!mismatch)
            return {};
        return Error{ErrorKind::Device, name + " gives wrong " + what + " for the test batch: " +
                                            gpu::textOf(*mismatch, bound)};
    };
    CW_CHECK(check("gradients", got.gradient, right.gradient));
    return check("parameters", got.parameters, right.parameters);
}

bool sameBytes(const Track& a, const Track& b)
{
    const auto bytes = [](const std::vector<float>& values) {
        const auto view = std::as_bytes(std::span(values));
        return std::vector<std::byte>(view.begin(), view.end());
    };
    return a.losses == b.losses && bytes(a.gradient) == bytes(b.gradient) &&
           bytes(a.parameters) == bytes(b.parameters);
}

} // namespace

Result<void> runCanary(gpu::Device& device)
{
    gpu::ReferenceDevice reference;
    CW_TRY(const auto right, train(reference));
    {
        gpu::CheckDevice both(device, reference);
        CW_CHECK(train(both));
    }
    CW_TRY(const auto once, train(device));
    CW_CHECK(compareTracks(device, once, right));
    CW_TRY(const auto again, train(device));
    if (sameBytes(once, again))
        return {};
    return Error{ErrorKind::Device, device.capabilities().name +
                                        " does not give the same bytes twice for the test batch"};
}

} // namespace commonweight::training
