#pragma once
// The shape of a model of the Llama family, as in Hugging Face's config.json. Plain value, any
// thread.

#include "engine/base/json.h"
#include "engine/base/tensor_spec.h"

namespace commonweight::model {

struct ModelConfig {
    std::int64_t vocabularySize = 256;
    std::int64_t hiddenSize = 128;
    std::int64_t intermediateSize = 344;
    std::int64_t layers = 4;
    std::int64_t heads = 4;
    std::int64_t kvHeads = 4;   ///< grouped-query attention when smaller than heads; divides heads
    std::int64_t headSize = 32; ///< even; hiddenSize / heads unless config.json has head_dim
    std::int64_t maxPositions = 1024;
    double ropeTheta = 10000;
    double rmsNormEpsilon = 1e-5;
    double initializerRange = 0.02;
    bool tieEmbeddings = true;

    std::int64_t parameters() const;
    bool operator==(const ModelConfig&) const = default;
};

/// Protocol, naming the member, when it is missing, not of this family or beyond the limits (2^31
/// parameters a tensor, 1,024 layers). Ignores members it does not know.
Result<ModelConfig> modelConfigFromJson(const Json& json);
Json toJson(
    const ModelConfig& config); ///< architectures ["LlamaForCausalLM"], model_type "llama" …

/// "tiny", "demo", "nanogpt-cpu" (4 layers, 4 heads, width 128), "shakespeare" (6 layers, 6 heads,
/// width 384), "small", "base", "large" for a given vocabulary. NotFound lists the names.
Result<ModelConfig> presetByName(std::string_view name, std::int64_t vocabularySize);

/// All parameter tensors in the order of the flat parameter vector. The tied head has no tensor of
/// its own.
std::vector<TensorSpec> parameterLayout(const ModelConfig& config);

/// Fresh parameters in layout order: normal(0, initializerRange), residual projections scaled by
/// 1/√(2·layers), norms 1. Counter-based: same config and seed give the same floats everywhere.
std::vector<float> initialParameters(const ModelConfig& config, std::uint64_t seed);

} // namespace commonweight::model
