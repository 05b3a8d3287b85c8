#pragma once
// Fragments: the parts of a model that are merged and sent on their own (Streaming and Decoupled
// DiLoCo). Pure functions.

#include "engine/base/tensor_spec.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace commonweight::exchange {

/// How a tensor is treated by codec and merge rule.
enum class TensorKind { Matrix, Embedding, Head, Vector };
/// By name and rank: "model.embed_tokens.weight", "lm_head.weight", rank 1, and all else.
TensorKind kindOf(const TensorSpec& spec);

struct Fragment {
    std::uint32_t index = 0;
    std::vector<TensorSpec> tensors; ///< in the order of the model's layout

    std::int64_t elements() const;
};

/// Splits a layout: one fragment when all parameters (fp32) take at most `maxBytes`; else as many
/// as needed, balanced by longest-processing-time with embeddings and head apart (Decoupled DiLoCo,
/// balanced tensor fragmentation). Deterministic: depends on names and shapes only.
std::vector<Fragment> fragmentsOf(const std::vector<TensorSpec>& layout, std::uint64_t maxBytes);

} // namespace commonweight::exchange
