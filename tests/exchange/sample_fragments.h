#pragma once
// Small fragments with every kind of tensor, and numbers to fill them.

#include "engine/base/random.h"
#include "engine/exchange/fragments.h"

#include <cmath>
#include <numbers>

namespace commonweight::exchange::test {

/// A matrix of more than one block, an embedding, a head, and vectors of odd length.
inline Fragment mixedFragment()
{
    return {2,
            {{"model.embed_tokens.weight", {7, 11}},
             {"model.layers.0.self_attn.q_proj.weight", {19, 31}},
             {"model.layers.0.input_layernorm.weight", {31}},
             {"model.layers.0.mlp.up_proj.weight", {2, 3}},
             {"model.norm.weight", {1}},
             {"lm_head.weight", {7, 11}}}};
}

/// Normally distributed (Box–Muller).
inline std::vector<float> normal(std::size_t count, std::uint64_t seed, float deviation = 1)
{
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto bits = philox(seed, i);
        const float radius = std::sqrt(-2 * std::log(1 - uniform01(bits[0])));
        values[i] =
            deviation * radius * std::cos(2 * std::numbers::pi_v<float> * uniform01(bits[1]));
    }
    return values;
}

inline std::vector<float> normalFor(const Fragment& fragment, std::uint64_t seed,
                                    float deviation = 1)
{
    return normal(static_cast<std::size_t>(fragment.elements()), seed, deviation);
}

} // namespace commonweight::exchange::test
