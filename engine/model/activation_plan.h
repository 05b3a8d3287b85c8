#pragma once
// Where everything that a forward and a backward pass keep lies in one arena of fp32. Computed from
// the shape alone, so that the memory of a model is known before any is taken. Plain value, any
// thread.

#include "engine/model/parameter_ranges.h"
#include "engine/model/transformer.h"

namespace commonweight::model {

/// What one layer keeps for its backward pass; R = rows of a batch.
struct LayerActivations {
    Range in;          ///< [R, hidden] the stream before the layer
    Range normed1;     ///< [R, hidden]
    Range reciprocal1; ///< [R]
    Range qkv;         ///< [R, (heads + 2·kvHeads) · headSize]
    Range attention;   ///< [R, heads · headSize]
    Range logSum;      ///< [sequences, heads, length]
    Range middle;      ///< [R, hidden] the stream after attention
    Range normed2, reciprocal2;
    Range gateUp; ///< [R, 2 · intermediate]
    Range gated;  ///< [R, intermediate]
};

struct ActivationPlan {
    ActivationPlan(const ModelConfig& config, BatchShape shape, Purpose purpose);

    std::vector<LayerActivations> layers; ///< for Evaluate all are the same memory
    Range out;                            ///< [R, hidden] the stream after the last layer
    Range normed, reciprocal;             ///< of the last norm
    Range losses;                         ///< [R]
    Range ropeTable;                      ///< [length, headSize/2, 2]
    std::int64_t chunkRows = 0;           ///< rows whose logits exist at one time
    Range logits;                         ///< [chunkRows, vocabulary]
    // Gradients, for Train only. Those of attention, of the MLP and of the logits are never needed
    // together and share memory.
    Range gradStream, gradNormed; ///< [R, hidden]
    Range gradAttention, gradQkv;
    Range gradGated;
    std::int64_t total = 0;
};

} // namespace commonweight::model
