#pragma once
// The same numbers as philox() of engine/base/random.h, for 32 neighbouring counters at once, in
// vector instructions. Pure, any thread.

#include <cstddef>
#include <cstdint>

namespace commonweight::exchange {

inline constexpr std::size_t kPhiloxLanes = 32;
inline constexpr std::size_t kPhiloxWords = 4 * kPhiloxLanes;

/// words[32 k + j] is word k of philox(key, counter + j). `counter` is a multiple of 32.
void philoxBlock(std::uint64_t key, std::uint64_t counter, std::uint32_t* words);

} // namespace commonweight::exchange
