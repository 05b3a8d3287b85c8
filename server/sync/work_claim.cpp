#include "server/sync/work_claim.h"

#include "engine/base/http_signature.h"
#include "server/store/claim_owner.h"

#include <utility>

namespace commonweight::server {

/// Long enough for the largest merge: a claim that runs out in the middle of one costs a Conflict,
/// never a version.
static constexpr std::chrono::minutes kHolds{30};

Result<std::optional<WorkClaim>> WorkClaim::take(Store& store, const Clock& clock,
                                                 const std::string& name)
{
    const auto now = clock.wall();
    WorkClaim claim(store, name, claimOwner(freshNonce()));
    CW_TRY(const bool mine, store.claim({claim.m_name, claim.m_owner, now + kHolds}, now));
    if (!mine)
        claim.m_store = nullptr; // nothing to release
    return mine ? std::optional(std::move(claim)) : std::optional<WorkClaim>();
}

WorkClaim::WorkClaim(WorkClaim&& other) noexcept
    : m_store(std::exchange(other.m_store, nullptr)), m_name(std::move(other.m_name)),
      m_owner(std::move(other.m_owner))
{}

WorkClaim::~WorkClaim()
{
    // One that could not be released ends with its time, or with the process.
    if (m_store != nullptr)
        static_cast<void>(m_store->releaseClaim(m_name, m_owner));
}

std::string publicationClaim(const std::string& run)
{
    return "publish/" + run;
}

} // namespace commonweight::server
