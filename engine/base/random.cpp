#include "engine/base/random.h"

#include <bit>
#include <cassert>

namespace commonweight {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kMultiplier0 = 0xD2511F53;
constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85;
constexpr int kPhiloxRounds = 10;
constexpr int kFeistelRounds = 8;
/// Keeps the shuffle's stream apart from everybody's who counts upwards from zero.
constexpr std::uint64_t kShuffleStream = 0x73687566666c6500;

std::uint32_t low(std::uint64_t wide)
{
    return static_cast<std::uint32_t>(wide);
}

std::uint32_t high(std::uint64_t wide)
{
    return static_cast<std::uint32_t>(wide >> 32);
}

/// One pass of the network over 2·halfBits bits: a bijection whatever the round function is.
std::uint64_t feistel(std::uint64_t value, int halfBits, std::uint64_t key)
{
    const std::uint64_t mask = (std::uint64_t{1} << halfBits) - 1;
    std::uint64_t left = value >> halfBits;
    std::uint64_t right = value & mask;
    for (std::uint64_t round = 0; round < kFeistelRounds; ++round) {
        const auto mixed = left ^ (philox(key, right, kShuffleStream + round)[0] & mask);
        left = right;
        right = mixed;
    }
    return left << halfBits | right;
}

} // namespace

std::array<std::uint32_t, 4> philox(std::uint64_t key, std::uint64_t counterLow,
                                    std::uint64_t counterHigh)
{
    std::array<std::uint32_t, 4> c{low(counterLow), high(counterLow), low(counterHigh),
                                   high(counterHigh)};
    std::uint32_t key0 = low(key);
    std::uint32_t key1 = high(key);
    for (int round = 0; round < kPhiloxRounds; ++round) {
        const std::uint64_t product0 = kMultiplier0 * c[0];
        const std::uint64_t product1 = kMultiplier1 * c[2];
        c = {high(product1) ^ c[1] ^ key0, low(product1), high(product0) ^ c[3] ^ key1,
             low(product0)};
        key0 += kWeyl0;
        key1 += kWeyl1;
    }
    return c;
}

std::uint64_t uniformBelow(std::uint64_t n, std::uint64_t key, std::uint64_t counter)
{
    assert(n > 0);
    const auto block = philox(key, counter);
    const std::uint64_t bits = std::uint64_t{block[1]} << 32 | block[0];
    return static_cast<std::uint64_t>(Wide{bits} * n >> 64);
}

std::uint64_t permuted(std::uint64_t index, std::uint64_t n, std::uint64_t key)
{
    assert(index < n);
    if (n == 1)
        return 0;
    const int halfBits = (static_cast<int>(std::bit_width(n - 1)) + 1) / 2;
    // The network permutes a power of four that is below 4n; walking the cycle until it is back
    // inside [0, n) permutes exactly [0, n), in fewer than four steps on average.
    auto value = feistel(index, halfBits, key);
    while (value >= n)
        value = feistel(value, halfBits, key);
    return value;
}

} // namespace commonweight
