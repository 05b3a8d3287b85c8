#pragma once
// How long the header of a fragment's file can be: bounds for parsing, and for what an upload may
// take. Pure, any thread.

#include "engine/base/safetensors.h"
#include "engine/exchange/fragments.h"

namespace commonweight::exchange {

/// Of a file with at most three tensors ("<name>.picks", ".scales", ".levels") for each of the
/// fragment's.
inline std::size_t headerBytesAtMost(const Fragment& fragment)
{
    constexpr std::size_t kMetadata =
        1024;                             // identifiers of at most 64 characters and a few numbers
    constexpr std::size_t kMembers = 160; // "data_offsets", "dtype", "shape" and their punctuation
    std::size_t bytes = 16 + kMetadata;
    for (const TensorSpec& spec : fragment.tensors)
        bytes +=
            3 * (6 * spec.name.size() + 20 * (spec.shape.size() + 1) + kMembers); // \u00xx at worst
    return bytes;
}

/// A header may be written with more white space than ours.
inline SafetensorsLimits limitsFor(const Fragment& fragment)
{
    return {2 * headerBytesAtMost(fragment), 3 * fragment.tensors.size() + 1};
}

} // namespace commonweight::exchange
