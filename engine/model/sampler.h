#pragma once
// Writes text with a model: temperature and top-k over next-token logits, counter-based random
// numbers. One thread.

#include "engine/model/tokenizer.h"
#include "engine/model/transformer.h"

namespace commonweight::model {

struct SamplingOptions {
    double temperature = 0.8; ///< 0 = always the likeliest token
    int topK = 40;            ///< 0 = all
    int tokens = 200;
    std::uint64_t seed = 1;
};

/// `model` was created with one sequence; the context slides when it is full. Returns the
/// continuation without the prompt.
Result<std::string> sample(Transformer& model, const ModelConfig& config, std::int64_t context,
                           const Tokenizer& tokenizer, std::string_view prompt,
                           const SamplingOptions& options);

/// Mean loss in nats per token over at most `maxTokens` of `tokens`, in windows spread evenly over
/// it (the last batch is padded by repeating windows, which do not count).
Result<double> heldOutLoss(Transformer& model, BatchShape shape,
                           std::span<const std::int32_t> tokens, std::uint64_t maxTokens);

} // namespace commonweight::model
