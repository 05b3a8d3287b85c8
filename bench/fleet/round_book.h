#pragma once
// What one run's server remembers in the simulator: the rows of the store that the scheduler's and
// the syncer's pure decisions look at, in memory. Owned by the fleet; one thread.
//
// Decisions are the server's own: decideOffer, unitSize, leaseDeadline, pickLanes, decideRound,
// mergeWeights. This class keeps their inputs, as server/schedule/scheduler.cpp and
// server/sync/publication.cpp keep them in SQL.

#include "server/schedule/lane_book.h"
#include "server/schedule/scheduler.h"
#include "server/sync/round_policy.h"

#include <map>
#include <unordered_map>
#include <unordered_set>

namespace commonweight::bench {

struct IssuedUnit {
    std::uint64_t version = 0; ///< that it starts from
    std::uint64_t round = 0;   ///< the version that its round trains from: version, or the next one
    std::uint64_t number = 0;  ///< tells units apart; 0 = none
    double closesAt = 0;       ///< virtual seconds
    std::uint64_t stepsAtMost = 0;
    std::uint64_t stepsAtLeast = 0;
};

struct PostedResult {
    std::uint32_t host = 0;
    std::uint64_t version = 0; ///< that the outer gradient is against
    std::uint64_t number = 0;
    std::uint64_t steps = 0;
};

struct RoundTotals {
    std::uint64_t versions = 0;
    std::uint64_t units = 0;
    std::uint64_t results = 0;
    std::uint64_t stale = 0;    ///< merged, but not fresh
    std::uint64_t credited = 0; ///< came too late to be merged
    std::uint64_t expired = 0;  ///< units whose lease ended
    double tokensMerged = 0;
    double tokensCredited = 0;
    double weightLost = 0; ///< Σ tokens (1 − σ(s)) of merged results
};

class RoundBook {
public:
    /// `run` must outlive the book.
    explicit RoundBook(const server::RunDefinition& run) : m_run(run) {}

    struct Caller {
        std::uint32_t host = 0;
        double tokensPerSecond = 0; ///< 0 = not known yet
        std::uint64_t sending = 0;  ///< number of the unit whose result is on its way; 0 = none
    };
    /// What the caller is told at `now`; a new unit is written to `unit` and noted as its own.
    server::Offer offer(const Caller& caller, double now, IssuedUnit& unit);
    /// A result arrives. False: it only counts as credit.
    bool post(const PostedResult& result, double now);
    /// The host gives its unit up.
    void giveBack(std::uint64_t number);
    /// Ends the leases whose time is over.
    void expire(double now);

    server::RoundAction decide(double now) const;
    void stopClock() { m_clock.closesAt.reset(); }
    /// The merge takes what waits now; how many results that are. Later ones wait for the next.
    std::size_t beginMerge(double now);
    /// The version comes out at `now`.
    void publish(double now);
    /// The server died in the middle: everything waits as before.
    void abandonMerge() { m_merging = 0; }
    bool isMerging() const { return m_merging > 0; }

    std::uint64_t version() const { return m_version; }
    std::optional<double> closesAt() const;
    const RoundTotals& totals() const { return m_totals; }
    /// Each position of each epoch is free, leased, waiting or merged, and none is two of these.
    bool lanesAddUp() const;

private:
    struct Open {
        std::uint32_t host = 0;
        IssuedUnit unit;
        double deadline = 0;
        std::vector<server::LaneSpan> lanes;
    };
    enum class HostUnitState { Open, Accepted, Gone };
    struct HostUnit {
        std::uint64_t number = 0;
        std::uint64_t round = 0;
        HostUnitState state = HostUnitState::Open;
    };
    struct Waiting {
        PostedResult result;
        std::vector<server::LaneSpan> lanes;
    };
    using OpenUnits = std::map<std::uint64_t, Open>; ///< by number, so by deadline
    server::RoundCounts counts() const;
    server::OfferView viewFor(const Caller& caller, double now);
    IssuedUnit issue(const Caller& caller, const server::Offer& offer, double now);
    void openRound(double now);
    std::vector<server::LaneSpan> lease(std::uint64_t wanted);
    /// Back to the pool with all but the first `keep` lanes.
    void returnLanes(std::vector<server::LaneSpan>& held, std::uint64_t keep);
    void end(OpenUnits::iterator open, HostUnitState state);

    const server::RunDefinition& m_run;
    server::RoundClock m_clock;
    std::uint64_t m_version = 1;
    std::uint64_t m_tokens = 0;
    std::uint64_t m_number = 0;
    std::uint32_t m_openNow = 0; ///< units of this round
    std::uint32_t m_fresh = 0;   ///< waiting results on the newest version
    OpenUnits m_open;
    std::optional<double> m_firstReport; ///< of this round
    double m_mergeBegan = 0, m_mergeTook = 0;
    std::unordered_map<std::uint32_t, std::vector<HostUnit>> m_unitsOf; ///< of this round and later
    std::unordered_set<std::uint32_t> m_active;    ///< contributors to the newest, and its trainers
    std::unordered_set<std::uint32_t> m_returning; ///< contributors that have no new unit yet
    std::vector<Waiting> m_waiting;
    std::size_t m_merging = 0; ///< the first of m_waiting are being merged
    server::LeaseCursor m_cursor;
    std::vector<server::LeaseRecord> m_free; ///< ascending
    std::vector<server::LaneSpan> m_merged;
    RoundTotals m_totals;
};

} // namespace commonweight::bench
