#pragma once
// Answers the hosts' periodic call: takes back what failed, says what is no longer wanted, and
// gives out signed work units. One call is one transaction. Owned by the program; thread-safe, as
// the store is.

#include "server/schedule/offer.h"

#include "engine/work/scheduler_messages.h"

namespace commonweight::server {

class Scheduler {
public:
    /// All must outlive the scheduler. `key` is the project's.
    Scheduler(Store& store, const SigningKey& key, const Clock& clock)
        : m_store(store), m_key(key), m_clock(clock)
    {}

    /// `host` is whose signature was verified. NotFound: no such run. Denied: the request speaks
    /// for another host.
    Result<work::SchedulerReply> answer(const std::string& host,
                                        const work::SchedulerRequest& request);

private:
    struct Call;
    Result<void> serve(Call& call);
    Result<void> takeBackFailures(Call& call);
    Result<void> withdraw(Call& call);
    Result<bool> isWanted(const Call& call, const std::string& unit);
    Result<void> offerTo(Call& call, const work::DeviceReport& device);
    Result<OfferView> viewOf(Call& call, const work::DeviceReport& device);
    Result<void> giveUnit(Call& call, const Offer& offer, double tokensPerSecond);
    Result<void> giveUpLostUnits(Call& call);
    Result<std::uint64_t> tokensOfLastRound(const VersionRecord& newest);

    Store& m_store;
    const SigningKey& m_key;
    const Clock& m_clock;
};

/// Bounds of a new unit's work.
struct UnitSize {
    std::uint64_t stepsAtMost = 1;
    std::uint64_t stepsAtLeast = 1;
};
/// H of the run, or twice what the host will manage in `timeLeft` if that is less (so that no data
/// is leased in vain), never more than an epoch, or than the run still needs with `activeHosts` at
/// work; a quarter of the expected steps counts.
UnitSize unitSize(const RunDefinition& run, const VersionRecord& anchor, std::uint64_t activeHosts,
                  double tokensPerSecond, Seconds timeLeft);

/// When the lease of a unit ends whose round closes at `closesAt`: one round and the grace later, a
/// minute at least.
WallTime leaseDeadline(const work::RunConfig& config, WallTime closesAt);

} // namespace commonweight::server
