#include "engine/exchange/philox_block.h"

#include "engine/exchange/cpu_dispatch.h"

#include <cassert>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace commonweight::exchange {

namespace {

constexpr int kRounds = 10;
constexpr std::uint32_t kMultiplier0 = 0xD2511F53;
constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85;

std::uint32_t low(std::uint64_t wide)
{
    return static_cast<std::uint32_t>(wide);
}

std::uint32_t high(std::uint64_t wide)
{
    return static_cast<std::uint32_t>(wide >> 32);
}

void philoxPortable(std::uint64_t key, std::uint64_t counter, std::uint32_t* words)
{
    for (std::uint32_t j = 0; j < kPhiloxLanes; ++j) {
        std::uint32_t c0 = low(counter) + j, c1 = high(counter), c2 = 0, c3 = 0;
        for (std::uint32_t round = 0; round < kRounds; ++round) {
            const std::uint64_t product0 = std::uint64_t{kMultiplier0} * c0;
            const std::uint64_t product1 = std::uint64_t{kMultiplier1} * c2;
            c0 = high(product1) ^ c1 ^ (low(key) + round * kWeyl0);
            c1 = low(product1);
            c2 = high(product0) ^ c3 ^ (high(key) + round * kWeyl1);
            c3 = low(product0);
        }
        words[j] = c0;
        words[kPhiloxLanes + j] = c1;
        words[2 * kPhiloxLanes + j] = c2;
        words[3 * kPhiloxLanes + j] = c3;
    }
}

#if defined(__x86_64__)

/// Four counters. Each word sits in the low half of a 64-bit lane; the high half is noise that no
/// operation lets down.
struct Lanes {
    __m256i c0, c1, c2, c3;
};

[[gnu::target("avx2"), gnu::always_inline]] inline Lanes nextRound(Lanes c, __m256i key0,
                                                                   __m256i key1)
{
    const __m256i product0 = _mm256_mul_epu32(c.c0, _mm256_set1_epi64x(kMultiplier0));
    const __m256i product1 = _mm256_mul_epu32(c.c2, _mm256_set1_epi64x(kMultiplier1));
    return {
        _mm256_xor_si256(_mm256_srli_epi64(product1, 32), _mm256_xor_si256(c.c1, key0)), product1,
        _mm256_xor_si256(_mm256_srli_epi64(product0, 32), _mm256_xor_si256(c.c3, key1)), product0};
}

/// Eight neighbouring words from the even and the odd counters'.
[[gnu::target("avx2"), gnu::always_inline]] inline void store(std::uint32_t* words, __m256i even,
                                                              __m256i odd)
{
    const __m256i joined = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xAA);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(words), joined);
}

[[gnu::target("avx2")]] void philoxAvx2(std::uint64_t key, std::uint64_t counter,
                                        std::uint32_t* words)
{
    const __m256i zero = _mm256_setzero_si256();
    const __m256i highWord = _mm256_set1_epi64x(high(counter));
    for (std::size_t j = 0; j < kPhiloxLanes; j += 8) {
        const __m256i first = _mm256_set1_epi64x(static_cast<long long>(low(counter) + j));
        Lanes even{_mm256_add_epi64(first, _mm256_set_epi64x(6, 4, 2, 0)), highWord, zero, zero};
        Lanes odd{_mm256_add_epi64(first, _mm256_set_epi64x(7, 5, 3, 1)), highWord, zero, zero};
        for (std::uint32_t round = 0; round < kRounds; ++round) {
            const __m256i key0 = _mm256_set1_epi64x(low(key) + round * kWeyl0);
            const __m256i key1 = _mm256_set1_epi64x(high(key) + round * kWeyl1);
            even = nextRound(even, key0, key1);
            odd = nextRound(odd, key0, key1);
        }
        store(words + j, even.c0, odd.c0);
        store(words + kPhiloxLanes + j, even.c1, odd.c1);
        store(words + 2 * kPhiloxLanes + j, even.c2, odd.c2);
        store(words + 3 * kPhiloxLanes + j, even.c3, odd.c3);
    }
}

#endif

} // namespace

void philoxBlock(std::uint64_t key, std::uint64_t counter, std::uint32_t* words)
{
    assert(counter % kPhiloxLanes == 0);
#if defined(__x86_64__)
    if (hasAvx2())
        return philoxAvx2(key, counter, words);
#endif
    philoxPortable(key, counter, words);
}

} // namespace commonweight::exchange
