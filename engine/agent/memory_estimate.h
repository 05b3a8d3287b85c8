#pragma once
// What a unit needs in memory, from the unit alone, and what the preferences grant. Pure functions,
// any thread.

#include "engine/agent/decide.h"
#include "engine/work/unit.h"

namespace commonweight::agent {

/// Bytes of the computer's memory that a trainer takes at its peak, rather too much than too
/// little. On a graphics card only the copies that pass through the computer count.
std::uint64_t trainingMemory(const work::WorkUnit& unit, const std::string& backend);

/// Nobody at the computer, or nothing known about it.
bool isAway(const Conditions& conditions, const Preferences& preferences);
/// Bytes that training may use now, by the shares in the preferences. Zero total means unknown: no
/// bound.
std::uint64_t memoryGranted(const Conditions& conditions, const Preferences& preferences);
/// Bytes that training may use at best.
std::uint64_t memoryGrantedAtMost(const Conditions& conditions, const Preferences& preferences);

} // namespace commonweight::agent
