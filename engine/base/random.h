#pragma once
// Counter-based random numbers: Philox 4x32-10 (Salmon et al. 2011, "Parallel random numbers: as
// easy as 1, 2, 3"). The same (key, counter) gives the same numbers on every machine; there is no
// state to checkpoint.

#include <array>
#include <cstdint>

namespace commonweight {

/// One block of four uniform 32-bit numbers.
std::array<std::uint32_t, 4> philox(std::uint64_t key, std::uint64_t counterLow,
                                    std::uint64_t counterHigh = 0);

inline float uniform01(std::uint32_t bits)
{
    return static_cast<float>(bits >> 8) * 0x1.0p-24f;
} ///< [0, 1)

/// Uniform in [0, n), without modulo bias worth a thought for n < 2^32 (64-bit multiply-shift).
std::uint64_t uniformBelow(std::uint64_t n, std::uint64_t key, std::uint64_t counter);

/// A bijection of [0, n): Feistel network with cycle walking over Philox. Shuffles an epoch without
/// storing it.
std::uint64_t permuted(std::uint64_t index, std::uint64_t n, std::uint64_t key);

} // namespace commonweight
