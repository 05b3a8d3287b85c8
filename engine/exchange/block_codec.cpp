#include "engine/exchange/block_codec.h"

#include "engine/exchange/cpu_dispatch.h"
#include "engine/exchange/philox_block.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace commonweight::exchange {

static_assert(std::endian::native == std::endian::little);

namespace {

constexpr std::int32_t kInfinity = 0x7F800000;
constexpr std::int32_t kLargest = (127 + 120) << 23; ///< bits of 2^120: 127 codes of it stay finite
constexpr std::uint32_t kLargestScale = kLargest >> 16;
/// Smaller scales are raised to it, so that its inverse is finite; no gradient is lost by steps of
/// 1e-36.
constexpr float kSmallestScale = 0x1.0p-120f;

constexpr std::size_t kPiece = 2048;

constexpr int kFractionBits = 15;
constexpr float kFraction = 1 << kFractionBits;
/// Adding it to a float below 2^22 leaves the nearest whole number in the low bits of the sum.
constexpr float kRounder = 0x1.8p23f;

CW_LOOP std::int32_t magnitudeBits(float value)
{
    return std::bit_cast<std::int32_t>(value) & 0x7FFFFFFF;
}

/// Bits of the greatest magnitude; NaN and infinity are above all numbers.
CW_LOOP std::int32_t greatestMagnitude(const float* values, std::size_t count)
{
    std::int32_t greatest = 0;
    for (std::size_t i = 0; i < count; ++i)
        greatest = std::max(greatest, magnitudeBits(values[i]));
    return greatest;
}

CW_LOOP float fromBf16(std::uint16_t half)
{
    return std::bit_cast<float>(std::uint32_t{half} << 16);
}

/// absmax / limit, rounded up to bf16: no code can be above the limit.
CW_LOOP std::uint16_t scaleOf(std::int32_t greatest, float limit)
{
    if (greatest == 0)
        return 0;
    const float exact = std::max(std::bit_cast<float>(greatest) / limit, kSmallestScale);
    return static_cast<std::uint16_t>((std::bit_cast<std::uint32_t>(exact) + 0xFFFF) >> 16);
}

/// floor(x · inverse + r) in fixed point; `random` holds r in its low 15 bits.
CW_LOOP std::int32_t quantized(float value, float inverse, std::uint32_t random, std::int32_t limit)
{
    const float shifted = value * inverse + kRounder;
    const std::int32_t fixed =
        std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(kRounder);
    const std::int32_t code = (fixed + static_cast<std::int32_t>(random)) >> kFractionBits;
    return std::min(std::max(code, -limit), limit);
}

/// One whole block to codes.
template <std::int32_t Limit>
CW_LOOP void quantizeBlock(const float* __restrict values, float scale,
                           const std::uint32_t* __restrict words, std::int8_t* __restrict codes)
{
    const float inverse = scale == 0 ? 0 : kFraction / scale;
    for (std::size_t i = 0; i < kPhiloxWords; ++i)
        codes[i] =
            static_cast<std::int8_t>(quantized(values[i], inverse, words[i] & 0x7FFF, Limit));
    for (std::size_t i = 0; i < kPhiloxWords; ++i)
        codes[kPhiloxWords + i] = static_cast<std::int8_t>(
            quantized(values[kPhiloxWords + i], inverse, words[i] >> 17, Limit));
}

CW_LOOP void packInt8(const std::int8_t* codes, std::size_t count, Byte* out)
{
    std::memcpy(out, codes, count);
}

CW_LOOP void packInt4(const std::int8_t* __restrict codes, std::size_t count, Byte* __restrict out)
{
    const std::size_t half = (count + 1) / 2;
    for (std::size_t i = 0; i < half; ++i)
        out[i] = static_cast<Byte>((codes[i] + 8) | ((codes[i + half] + 8) << 4));
}

template <std::int32_t Limit>
CW_LOOP bool encodeBlock(const float* values, std::size_t count, std::uint64_t key,
                         std::uint64_t block, Byte* out, Byte* scaleOut)
{
    alignas(64) std::uint32_t words[kPhiloxWords];
    alignas(64) std::int8_t codes[kBlock];
    const std::int32_t greatest = greatestMagnitude(values, kBlock);
    if (greatest > kLargest)
        return false;
    const std::uint16_t scale = scaleOf(greatest, Limit);
    std::memcpy(scaleOut, &scale, sizeof scale);
    philoxBlock(key, block * kPhiloxLanes, words);
    quantizeBlock<Limit>(values, fromBf16(scale), words, codes);
    if constexpr (Limit == 127)
        packInt8(codes, count, out);
    else
        packInt4(codes, count, out);
    return true;
}

template <std::int32_t Limit>
CW_LOOP bool encodeBlocks(const float* values, std::size_t count, Rounding rounding, Byte* codes,
                          Byte* scales)
{
    constexpr std::size_t kBytes = Limit == 127 ? kBlock : kBlock / 2;
    const std::size_t whole = count / kBlock;
    for (std::size_t b = 0; b < whole; ++b)
        if (!encodeBlock<Limit>(values + b * kBlock, kBlock, rounding.seed, rounding.firstBlock + b,
                                codes + b * kBytes, scales + 2 * b))
            return false;
    const std::size_t rest = count % kBlock;
    if (rest == 0)
        return true;
    alignas(64) float last[kBlock] = {};
    std::memcpy(last, values + whole * kBlock, rest * sizeof(float));
    return encodeBlock<Limit>(last, rest, rounding.seed, rounding.firstBlock + whole,
                              codes + whole * kBytes, scales + 2 * whole);
}

CW_LOOP bool encodeBf16Loop(const float* __restrict values, std::size_t count, Byte* __restrict out)
{
    if (greatestMagnitude(values, count) > kLargest)
        return false;
    for (std::size_t i = 0; i < count; ++i) {
        const auto bits = std::bit_cast<std::uint32_t>(values[i]);
        const auto half = static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
        std::memcpy(out + 2 * i, &half, sizeof half);
    }
    return true;
}

/// Copies and returns the greatest magnitude, in pieces that stay in the first cache between the
/// two.
CW_LOOP std::int32_t copyAndMeasure(const void* in, std::size_t count, void* out)
{
    std::int32_t greatest = 0;
    alignas(64) float piece[kPiece];
    for (std::size_t first = 0; first < count; first += kPiece) {
        const std::size_t size = std::min(kPiece, count - first);
        std::memcpy(piece, static_cast<const Byte*>(in) + first * sizeof(float),
                    size * sizeof(float));
        std::memcpy(static_cast<Byte*>(out) + first * sizeof(float), piece, size * sizeof(float));
        greatest = std::max(greatest, greatestMagnitude(piece, size));
    }
    return greatest;
}

CW_LOOP bool decodeBf16Loop(const Byte* __restrict in, std::size_t count, float* __restrict out)
{
    std::int32_t greatest = 0;
    for (std::size_t i = 0; i < count; ++i) {
        std::uint16_t half;
        std::memcpy(&half, in + 2 * i, sizeof half);
        out[i] = fromBf16(half);
        greatest = std::max(greatest, magnitudeBits(out[i]));
    }
    return greatest < kInfinity;
}

CW_LOOP void unpackInt8(const Byte* __restrict in, std::size_t count, float scale,
                        float* __restrict out)
{
    for (std::size_t i = 0; i < count; ++i)
        out[i] = static_cast<float>(static_cast<std::int8_t>(in[i])) * scale;
}

CW_LOOP void unpackInt4(const Byte* __restrict in, std::size_t count, float scale,
                        float* __restrict out)
{
    const std::size_t half = (count + 1) / 2;
    for (std::size_t i = 0; i < half; ++i)
        out[i] = static_cast<float>((in[i] & 15) - 8) * scale;
    for (std::size_t i = 0; i < count / 2; ++i)
        out[half + i] = static_cast<float>((in[i] >> 4) - 8) * scale;
}

template <std::int32_t Limit>
CW_LOOP bool decodeBlocks(const Byte* codes, const Byte* scales, std::size_t count, float* out)
{
    constexpr std::size_t kBytes = Limit == 127 ? kBlock : kBlock / 2;
    for (std::size_t b = 0; b * kBlock < count; ++b) {
        std::uint16_t scale;
        std::memcpy(&scale, scales + 2 * b, sizeof scale);
        if (scale > kLargestScale)
            return false;
        // A constant count lets the compiler drop the loop's remainder.
        const bool whole = (b + 1) * kBlock <= count;
        const auto unpack = Limit == 127 ? unpackInt8 : unpackInt4;
        if (whole)
            unpack(codes + b * kBytes, kBlock, fromBf16(scale), out + b * kBlock);
        else
            unpack(codes + b * kBytes, count % kBlock, fromBf16(scale), out + b * kBlock);
    }
    return true;
}

} // namespace

bool encodeFp32(const float* values, std::size_t count, Byte* out)
{
    return runFastest<copyAndMeasure>(static_cast<const void*>(values), count,
                                      static_cast<void*>(out)) <= kLargest;
}

bool encodeBf16(const float* values, std::size_t count, Byte* out)
{
    return runFastest<encodeBf16Loop>(values, count, out);
}

bool encodeInt8(const float* values, std::size_t count, Rounding rounding, Byte* codes,
                Byte* scales)
{
    return runFastest<encodeBlocks<127>>(values, count, rounding, codes, scales);
}

bool encodeInt4(const float* values, std::size_t count, Rounding rounding, Byte* codes,
                Byte* scales)
{
    return runFastest<encodeBlocks<7>>(values, count, rounding, codes, scales);
}

bool decodeFp32(const Byte* in, std::size_t count, float* out)
{
    return runFastest<copyAndMeasure>(static_cast<const void*>(in), count,
                                      static_cast<void*>(out)) < kInfinity;
}

bool decodeBf16(const Byte* in, std::size_t count, float* out)
{
    return runFastest<decodeBf16Loop>(in, count, out);
}

bool decodeInt8(const Byte* codes, const Byte* scales, std::size_t count, float* out)
{
    return runFastest<decodeBlocks<127>>(codes, scales, count, out);
}

bool decodeInt4(const Byte* codes, const Byte* scales, std::size_t count, float* out)
{
    return runFastest<decodeBlocks<7>>(codes, scales, count, out);
}

} // namespace commonweight::exchange
