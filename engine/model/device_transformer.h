#pragma once
// The Transformer over any gpu::Device. Made by Transformer::create(), which documents its use.

#include "engine/model/activation_plan.h"
#include "engine/model/parameter_ranges.h"
#include "engine/model/transformer.h"

namespace commonweight::model {

class DeviceTransformer final : public Transformer {
public:
    DeviceTransformer(gpu::Device& device, const ModelConfig& config, BatchShape shape,
                      Purpose purpose);

    /// Takes all memory; call once.
    Result<void> allocate();

    Result<void> setParameters(std::span<const float> flat) override;
    Result<void> getParameters(std::span<float> flat) override;
    Result<void> setMoments(std::span<const float> first, std::span<const float> second) override;
    Result<void> getMoments(std::span<float> first, std::span<float> second) override;
    Result<void> getGradient(std::span<float> flat) override;
    Result<double> loss(std::span<const std::int32_t> tokens,
                        std::span<const std::int32_t> targets) override;
    Result<void> zeroGradient() override;
    Result<double> forwardBackward(std::span<const std::int32_t> tokens,
                                   std::span<const std::int32_t> targets) override;
    Result<double> gradientNorm() override;
    Result<void> adamW(const AdamWStep& step) override;
    Result<void> nextTokenLogits(std::span<const std::int32_t> tokens,
                                 std::span<float> logits) override;

private:
    /// A matrix with its gradient.
    struct Weight {
        gpu::Slice value, gradient;
    };
    Weight weight(const Range& range) const;
    gpu::Slice keep(const Range& range) const
    {
        return whole(*m_activations).part(range.first, range.count);
    }
    /// The beginning of a range, for as many rows as the batch at hand has.
    gpu::Slice keep(const Range& range, std::int64_t count) const
    {
        return keep(range).part(0, count);
    }
    static gpu::Slice whole(gpu::Buffer& buffer) { return {&buffer, 0, buffer.elements()}; }
    gpu::AttentionShape attentionShape() const;
    std::int64_t rows() const { return m_batch.sequences * m_batch.length; }

    Result<void> load(std::span<const std::int32_t> tokens, gpu::Buffer& to, const char* what);
    void uploadRopeTable();
    Result<double> meanLoss();

    void forward();
    void forwardAttention(const LayerRanges& weights, const LayerActivations& kept);
    void forwardMlp(const LayerRanges& weights, const LayerActivations& kept, const Range& out);
    void classify(bool train);
    void backward();
    void backwardMlp(const LayerRanges& weights, const LayerActivations& kept);
    void backwardAttention(const LayerRanges& weights, const LayerActivations& kept);

    /// out[rows, width] = x[rows, inner] · Wᵀ (+ residual).
    void project(gpu::Slice out, gpu::Slice x, const Weight& w, gpu::Slice residual = {});
    /// gradX = gradOut · W, and the gradient of W += gradOutᵀ · x.
    void projectBackward(gpu::Slice gradX, gpu::Slice gradOut, gpu::Slice x, const Weight& w,
                         std::int64_t inner);
    void norm(gpu::Slice x, const Range& weights, gpu::Slice y, gpu::Slice reciprocal);
    /// Reads the gradient of the normed rows from gradNormed and adds to gradStream.
    void normBackward(gpu::Slice x, const Range& weights, gpu::Slice reciprocal);

    gpu::Device& m_device;
    ModelConfig m_config;
    BatchShape m_shape; ///< what there is memory for
    BatchShape m_batch; ///< what the current pass works on
    Purpose m_purpose;
    ParameterRanges m_ranges;
    ActivationPlan m_plan;
    std::unique_ptr<gpu::Buffer> m_parameters, m_gradient, m_first, m_second, m_activations;
    std::unique_ptr<gpu::Buffer> m_tokens, m_targets;
};

} // namespace commonweight::model
