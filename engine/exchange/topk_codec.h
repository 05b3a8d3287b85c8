#pragma once
// The arithmetic behind the codec topk (SparseLoCo, Sarfi et al. 2025): of each 4096 elements the
// 64 largest, their places in 8 bits and their values in 2. Knows nothing of files and names. Bits
// of the result depend on the input only. Pure, any thread.
//
// A chunk is 4096 elements of one tensor (fewer at its end); of m elements k = ⌈m / 64⌉ are kept,
// ties going to the lower place. It takes 80 bytes, little-endian bit order:
//     16  places: bit ⌊p_j / 64⌋ + j is set for the j-th place p_j, ascending (Elias–Fano)
//     48  p_j mod 64, six bits each
//     16  codes, two bits each: 1 = magnitude at least the chunk's scale, 2 = negative
// What is not used is zero. The chunk's scale is the mean magnitude of what it keeps, in bf16;
// value = scale · level[code], and a tensor's four levels are the means of the values that they
// stand for, in units of their scales.

#include "engine/base/bytes.h"

#include <cstddef>

namespace commonweight::exchange {

inline constexpr std::size_t kChunk = 4096;
inline constexpr std::size_t kChunkBytes = 80;
inline constexpr std::size_t kLevels = 4;

inline std::size_t chunksOf(std::size_t elements)
{
    return (elements + kChunk - 1) / kChunk;
}

/// Where a tensor's parts are or go.
struct TopkParts {
    Byte* picks = nullptr;  ///< chunksOf(count) · kChunkBytes
    Byte* scales = nullptr; ///< chunksOf(count) bf16
    Byte* levels = nullptr; ///< kLevels floats
};
struct TopkView {
    const Byte* picks = nullptr;
    const Byte* scales = nullptr;
    const Byte* levels = nullptr;
};

/// False: a value is not finite or beyond 2^120.
bool encodeTopk(const float* values, std::size_t count, TopkParts out);
/// Fills all of `out`. False: places that are not ascending or not in the chunk, unused bits that
/// are set, scales that are negative or beyond 2^120, levels that are not finite or beyond 128.
bool decodeTopk(TopkView in, std::size_t count, float* out);

} // namespace commonweight::exchange
