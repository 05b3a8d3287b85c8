#pragma once
// The two fleets that are measured: Decoupled DiLoCo's (arXiv 2604.21428) and computers at home.
// Pure functions.

#include "bench/fleet/scenario.h"

namespace commonweight::bench {

/// Decoupled DiLoCo's Table 1 and 11, as far as the public summaries tell (goodput in percent).
struct PublishedGoodput {
    std::uint64_t chips = 0;
    std::uint64_t learners = 0; ///< M; 1 = elastic data-parallel, 0 = data-parallel
    double percent = 0;
};
inline constexpr PublishedGoodput kPublished[] = {
    {1'200'000, 0, 27}, {1'200'000, 1, 58},  {1'200'000, 2, 70}, {1'200'000, 4, 82},
    {1'200'000, 8, 88}, {1'200'000, 16, 93}, {2'400'000, 0, 18}, {2'400'000, 1, 40},
    {2'400'000, 8, 80}, {2'400'000, 16, 86},
};

/// `chips` with a year between the interruptions of each, in `learners` parts that fail as a whole.
/// With `elastic` a part goes on without what broke after a short stop; without, it waits for the
/// repair. The stops' mean lengths are chosen so that the paper's two baselines come out as
/// printed; their law is exponentiated Weibull.
Scenario chipFleet(std::uint64_t chips, std::uint64_t learners, bool elastic);

/// Computers at home: sessions with a median of 3 hours, a tenth of the ends for good, nights, 20
/// Mbit/s up, speeds that differ by an order of magnitude; a model of 125 M parameters, int4 up.
Scenario homeFleet(std::uint64_t hosts);

} // namespace commonweight::bench
