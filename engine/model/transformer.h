#pragma once
// A decoder-only transformer of the Llama layout (RMSNorm, RoPE, grouped-query attention, SwiGLU,
// tied or untied head): forward and backward written once over gpu::Device, without an autograd
// graph, on buffers that are all allocated at creation. Owned by one thread. All parameters live in
// one flat fp32 buffer in parameterLayout order; so do gradient and moments.

#include "engine/model/config.h"
#include "gpu/device.h"

#include <memory>
#include <span>

namespace commonweight::model {

struct BatchShape {
    std::int64_t sequences = 1; ///< micro-batch B
    std::int64_t length = 64;   ///< T
};

enum class Purpose { Evaluate, Train };

struct AdamWStep {
    double learningRate = 0;
    double beta1 = 0.9;
    double beta2 = 0.99;
    double epsilon = 1e-8;
    double weightDecay = 0.1; ///< applied to tensors of rank 2 only, decoupled
    double correction1 = 1;   ///< 1 − β1^t, or 1 when there is no bias correction
    double correction2 = 1;   ///< 1 − β2^t, or 1
    double gradientScale =
        1; ///< multiplies the gradient first (averaging over micro-batches and clipping)
};

class Transformer {
public:
    /// OutOfMemory says how much is needed ("this model needs 3.1 GiB …"). `device` must outlive
    /// the model.
    static Result<std::unique_ptr<Transformer>>
    create(gpu::Device& device, const ModelConfig& config, BatchShape shape, Purpose purpose);
    virtual ~Transformer() = default;

    /// Bytes that create() would allocate on the device.
    static std::uint64_t bytesNeeded(const ModelConfig& config, BatchShape shape, Purpose purpose);

    virtual Result<void> setParameters(std::span<const float> flat) = 0;
    virtual Result<void> getParameters(std::span<float> flat) = 0;
    virtual Result<void> setMoments(std::span<const float> first,
                                    std::span<const float> second) = 0;
    virtual Result<void> getMoments(std::span<float> first, std::span<float> second) = 0;
    virtual Result<void> getGradient(std::span<float> flat) = 0;

    /// Mean cross-entropy in nats per token of B·T tokens (row-major [B, T]) against `targets`. No
    /// gradient.
    virtual Result<double> loss(std::span<const std::int32_t> tokens,
                                std::span<const std::int32_t> targets) = 0;

    virtual Result<void> zeroGradient() = 0;
    /// As loss(), and adds the gradient of that mean to the gradient buffer.
    virtual Result<double> forwardBackward(std::span<const std::int32_t> tokens,
                                           std::span<const std::int32_t> targets) = 0;
    /// L2 norm of the gradient buffer.
    virtual Result<double> gradientNorm() = 0;
    virtual Result<void> adamW(const AdamWStep& step) = 0;

    /// Logits (vocabularySize) for the token after the first `length` tokens of row 0 (1 ≤ length ≤
    /// T).
    virtual Result<void> nextTokenLogits(std::span<const std::int32_t> tokens,
                                         std::span<float> logits) = 0;
};

} // namespace commonweight::model
