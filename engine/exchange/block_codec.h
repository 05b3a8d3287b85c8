#pragma once
// The arithmetic behind the codecs: flat arrays of floats to codes and back, at memory speed. Knows
// nothing of files, names or shapes; codec.cpp does. Bits of the result depend on the input only,
// never on the machine. Pure, any thread.
//
// A block is 256 elements of one tensor (fewer at its end) with one scale, bf16, absmax / limit
// rounded up (limit 127 or 7). code = floor(x / scale + r), r uniform in [0, 1) in steps of 2^-15:
// unbiased, and never more than one scale away from x. r of element e of block n (counted through
// the fragment) is 15 bits of word (e mod 128) of philox(seed, 32 n + …).

#include "engine/base/bytes.h"

#include <cstddef>
#include <cstdint>

namespace commonweight::exchange {

inline constexpr std::size_t kBlock = 256;

inline std::size_t blocksOf(std::size_t elements)
{
    return (elements + kBlock - 1) / kBlock;
}
inline std::size_t int4BytesOf(std::size_t elements)
{
    return elements / kBlock * (kBlock / 2) + (elements % kBlock + 1) / 2;
}

/// Where the random numbers of a tensor come from.
struct Rounding {
    std::uint64_t seed = 0;
    std::uint64_t firstBlock = 0; ///< blocks of the fragment before this tensor
};

/// Encoders refuse (false) what is not finite or beyond 2^120, which no outer gradient is.
bool encodeFp32(const float* values, std::size_t count, Byte* out);
bool encodeBf16(const float* values, std::size_t count, Byte* out); ///< to nearest, ties to even
bool encodeInt8(const float* values, std::size_t count, Rounding rounding, Byte* codes,
                Byte* scales);
/// In a block of m elements, h = ⌈m/2⌉, byte i holds code + 8 of element i (low half) and of
/// element i + h (high half).
bool encodeInt4(const float* values, std::size_t count, Rounding rounding, Byte* codes,
                Byte* scales);

/// Decoders refuse (false) what is not finite, and scales that are negative or beyond 2^120. Input
/// may be unaligned.
bool decodeFp32(const Byte* in, std::size_t count, float* out);
bool decodeBf16(const Byte* in, std::size_t count, float* out);
bool decodeInt8(const Byte* codes, const Byte* scales, std::size_t count, float* out);
bool decodeInt4(const Byte* codes, const Byte* scales, std::size_t count, float* out);

} // namespace commonweight::exchange
