#pragma once
// Is an outer gradient of plausible size? Trust layer 1: within a tenth and ten times the running
// median, once eight are known. Sizes are compared as norm / steps^0.75, because a unit of four
// times the steps moves about three times as far. Pure functions.

#include <cstdint>
#include <vector>

namespace commonweight::server {

double normRate(double norm, std::uint64_t steps);
bool isPlausible(double rate, std::vector<double> recent);

} // namespace commonweight::server
