#pragma once
// Where the matrices of a model lie in its flat parameter vector, as the passes use them: query,
// key and value as one matrix, gate and up as one. Follows parameterLayout(). Plain value, any
// thread.

#include "engine/model/config.h"

#include <vector>

namespace commonweight::model {

struct Range {
    std::int64_t first = 0;
    std::int64_t count = 0;
};

struct LayerRanges {
    Range qkv;                    ///< [(heads + 2·kvHeads) · headSize, hidden]
    Range attentionOut;           ///< [hidden, heads · headSize]
    Range gateUp;                 ///< [2 · intermediate, hidden]
    Range down;                   ///< [hidden, intermediate]
    Range attentionNorm, mlpNorm; ///< [hidden]
};

struct ParameterRanges {
    explicit ParameterRanges(const ModelConfig& config);

    Range embedding; ///< [vocabulary, hidden]
    std::vector<LayerRanges> layers;
    Range norm; ///< [hidden]
    Range head; ///< [vocabulary, hidden]; the embedding when tied
    std::int64_t total = 0;
    std::vector<Range> matrices,
        vectors; ///< rank 2 (with weight decay) and rank 1, joined where adjacent
};

} // namespace commonweight::model
