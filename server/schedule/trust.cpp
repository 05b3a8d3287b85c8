#include "server/schedule/trust.h"

#include "engine/base/random.h"

#include <algorithm>

namespace commonweight::server {

namespace {

constexpr double kNewHost = 0.25;
constexpr std::uint64_t kTablesPerRound = 2;
constexpr std::uint64_t kTableStream = 0x7461626c65;

} // namespace

double trustOf(std::uint64_t validatedUnits)
{
    const auto units = std::min(validatedUnits, kUnitsToFullTrust);
    return kNewHost +
           (1 - kNewHost) * static_cast<double>(units) / static_cast<double>(kUnitsToFullTrust);
}

bool asksForSecondMoments(std::uint64_t validatedUnits, std::uint64_t activeHosts,
                          std::uint64_t runSeed, std::uint64_t unitNumber)
{
    if (validatedUnits < kUnitsToFullTrust)
        return false;
    const auto hosts = std::max<std::uint64_t>(1, activeHosts);
    return uniformBelow(hosts, runSeed ^ kTableStream, unitNumber) < kTablesPerRound;
}

} // namespace commonweight::server
