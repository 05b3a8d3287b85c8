#pragma once
// How much a host's work weighs. Trust layer 4 of the training page; pure functions.

#include <cstdint>

namespace commonweight::server {

/// Units that a new host must have validated (merged, and not rolled back) to weigh fully.
inline constexpr std::uint64_t kUnitsToFullTrust = 10;

/// 0.25 for a new host, growing evenly to 1.
double trustOf(std::uint64_t validatedUnits);

/// Whether a unit asks its host for the second moments at its end: a host of full trust, with such
/// odds that about two of a round do. `unitNumber` of the run's units decides, so that a repetition
/// decides alike.
bool asksForSecondMoments(std::uint64_t validatedUnits, std::uint64_t activeHosts,
                          std::uint64_t runSeed, std::uint64_t unitNumber);

} // namespace commonweight::server
