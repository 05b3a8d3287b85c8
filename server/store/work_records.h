#pragma once
// What the store keeps about units, leases, results, merges and the ledger, as plain values. Any
// thread.

#include "engine/work/unit.h"

namespace commonweight::server {

enum class UnitState {
    Open,     ///< a host works on it
    Reported, ///< its result is in
    Expired,  ///< its deadline passed
    Failed,   ///< the host gave it back, or its result was refused
    Lost,     ///< the host no longer knows it
};

struct UnitRecord {
    std::string id;
    std::string run;
    std::string host;
    std::uint64_t baseVersion = 0;
    UnitState state = UnitState::Open;
    WallTime issued{};
    WallTime ended{};
    WallTime closesAt{};
    WallTime deadline{};
    std::string envelope; ///< signed, exactly as it was sent
    /// The round it belongs to: that of its version, or the next one for a host that goes on while
    /// it still sends. Never below the version.
    std::uint64_t round = 0;
};

enum class LeaseState { Free, Leased, Merged };

/// A run of lane positions in an epoch's order.
struct LeaseRecord {
    std::string run;
    std::uint64_t epoch = 0;
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    LeaseState state = LeaseState::Free;
    std::string unit; ///< empty when free
    WallTime changed{};
};

enum class ResultState {
    Accepted, ///< waits for the next merge
    Merged,
    Credited, ///< thanked for, but not part of any version
    Reverted, ///< merged into a version that was rolled back because of it
};

struct ResultRecord {
    std::string id;
    std::string unit;
    std::string run;
    std::string host;
    std::uint64_t baseVersion = 0; ///< that its outer gradient is against: the last it moved onto
    std::uint64_t number = 0;      ///< order of arrival; the store gives it
    ResultState state = ResultState::Accepted;
    std::uint64_t steps = 0;
    std::uint64_t tokens = 0;
    WallTime received{};
    double seconds = 0;
    double normRate =
        0; ///< size of the outer gradient, made comparable: see server/verify/norm_check.h
    std::uint64_t mergedVersion = 0; ///< 0 = none
    std::vector<work::FragmentRef> outerGradients;
    std::optional<work::BlobRef> secondMoments{};
    std::string content{}; ///< hash of the decoded outer gradients; empty in older records
    std::string envelope;
};

/// One fragment's line in the merge log.
struct MergeRecord {
    std::string run;
    std::uint64_t version = 0;
    std::uint64_t fragment = 0;
    Json body; ///< see server/sync/merge_log.h
};

/// Who does some work that must happen once at a time.
struct ClaimRecord {
    std::string name;  ///< for example "publish/<run>"
    std::string owner; ///< server/store/claim_owner.h
    WallTime expires{};
};

struct LedgerEntry {
    std::uint64_t sequence = 0; ///< the store gives it
    WallTime time{};
    std::string kind;
    std::string run;
    Json body;
    Sha256 leaf; ///< RFC 9162: SHA-256 of a zero byte and the canonical JSON of the entry; the
                 ///< store computes it
};

const char* toString(UnitState state);
const char* toString(LeaseState state);
const char* toString(ResultState state);

} // namespace commonweight::server
