#pragma once
// Is an outer gradient of possible and plausible size? Trust layer 1: no larger than the optimizer
// can move at all, and within a tenth and ten times the running
// median, once eight are known. Sizes are compared as norm / steps^0.75, because a unit of four
// times the steps moves about three times as far. Pure functions.

#include "engine/work/unit.h"

#include <cstdint>
#include <vector>

namespace commonweight::server {

double normRate(double norm, std::uint64_t steps);
bool isPlausible(double rate, std::vector<double> recent);

/// Above it no honest unit of `steps` steps comes: ten times the farthest that AdamW can move
/// `elements` parameters, |m| / √v being at most (1 − β₁) / √((1 − β₂)(1 − β₁² / β₂)) (Kingma and
/// Ba 2015, section 2.1).
double normAtMost(const work::WorkUnit& unit, std::uint64_t steps, std::uint64_t elements);

} // namespace commonweight::server
