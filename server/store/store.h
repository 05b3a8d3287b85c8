#pragma once
// All that the server keeps in SQL, on one page. Owner: the program (or the operator's tool, which
// reads beside a running server). Thread-safe. NotFound for what is not there, Conflict for what
// must be unique, Full, Io, Corrupt from the database.

#include "server/api/router.h"
#include "server/store/records.h"

namespace commonweight::server {

/// Who takes part in the round that trains from the newest version.
struct RoundCounts {
    std::uint32_t openUnits = 0;    ///< units on the newest version whose result is not in
    std::uint32_t freshResults = 0; ///< waiting results on the newest version
    std::uint32_t staleResults = 0; ///< waiting results on older versions
    std::uint32_t returningHosts =
        0; ///< contributors to the newest version that have no unit on it yet
    std::uint32_t activeHosts =
        0; ///< contributors to the newest version and holders of units on it, each once
    std::optional<WallTime> firstReport{}; ///< when the first fresh result came in
};

class Store : public HostDirectory {
public:
    /// Runs `work` in one transaction; its error rolls everything back and is returned. Inside, any
    /// call of this page joins in.
    virtual Result<void> atomically(const std::function<Result<void>()>& work) = 0;

    virtual Result<void> addProject(const ProjectRecord& project) = 0; ///< Conflict: there is one
    virtual Result<ProjectRecord> project() = 0;

    // Hosts. keyOf() and useNonce() come from HostDirectory.
    virtual Result<void>
    putHost(const HostRecord& host) = 0; ///< a known one gets its name and devices renewed
    virtual Result<HostRecord> host(const std::string& id) = 0;
    virtual Result<void> noteSeen(const std::string& id, WallTime now) = 0;
    virtual Result<void> noteSpeed(const std::string& id, double tokensPerSecond) = 0;
    virtual Result<void> setBanned(const std::string& id, bool banned) = 0;
    virtual Result<std::vector<HostRecord>> hosts() = 0; ///< oldest first
    virtual Result<void> addValidatedUnit(const std::string& id) = 0;
    /// A reason sends a host into quarantine and takes its validated units; empty releases it.
    virtual Result<void> setQuarantine(const std::string& id, const std::string& reason) = 0;
    virtual Result<void> forgetNonces(WallTime before) = 0;

    // Runs.
    virtual Result<void> addRun(const RunDefinition& run, const VersionRecord& first) = 0;
    virtual Result<std::vector<RunRecord>> runs() = 0; ///< oldest first
    virtual Result<RunRecord> run(const std::string& id) = 0;
    virtual Result<void> setRunState(const std::string& id, const std::string& state) = 0;
    virtual Result<void> setRound(const std::string& id, const RoundClock& round) = 0;
    virtual Result<void> setCursor(const std::string& id, const LeaseCursor& cursor) = 0;
    virtual Result<RoundCounts>
    roundCounts(const std::string& run,
                const std::string&
                    asking) = 0; ///< `asking`: a host that counts as active, too; may be empty

    // Versions. addVersion() makes it the newest; Conflict unless it follows the newest one.
    virtual Result<void> addVersion(const VersionRecord& version) = 0;
    virtual Result<VersionRecord> version(const std::string& run, std::uint64_t version) = 0;
    virtual Result<std::vector<work::FragmentChain>>
    chainTo(const std::string& run, std::uint64_t version) = 0; ///< empty: there is none
    virtual Result<void> markReverted(const std::string& run, std::uint64_t first,
                                      std::uint64_t last) = 0;
    virtual Result<void> addRollback(const RollbackRecord& rollback) = 0;
    virtual Result<std::vector<RollbackRecord>> rollbacks(const std::string& run) = 0;
    virtual Result<void> addMerge(const MergeRecord& merge) = 0;
    virtual Result<std::vector<MergeRecord>> merges(const std::string& run,
                                                    std::uint64_t version) = 0;

    // Units. addUnit() also counts it in RunStatus::unitsIssued.
    virtual Result<void> addUnit(const UnitRecord& unit) = 0;
    virtual Result<UnitRecord> unit(const std::string& id) = 0;
    virtual Result<void> endUnit(const std::string& id, UnitState state,
                                 WallTime now) = 0; ///< Conflict unless it is open
    virtual Result<std::vector<UnitRecord>>
    unitsOfHost(const std::string& run, const std::string& host, std::uint64_t round) = 0;
    virtual Result<std::vector<UnitRecord>> expiredUnits(const std::string& run,
                                                         WallTime now) = 0; ///< open ones
    virtual Result<std::vector<UnitRecord>> failedUnits(const std::string& host,
                                                        WallTime since) = 0;

    // Leases, in the order of (epoch, first). Keyed by (run, epoch, first): putLease() replaces.
    virtual Result<void> putLease(const LeaseRecord& lease) = 0;
    virtual Result<std::vector<LeaseRecord>> freeLeases(const std::string& run) = 0;
    virtual Result<std::vector<LeaseRecord>> leasesOf(const std::string& unit) = 0;
    virtual Result<std::vector<LeaseRecord>> leases(const std::string& run) = 0;

    // Results.
    virtual Result<void>
    addResult(const ResultRecord& result) = 0; ///< Conflict: its id or its unit has one
    virtual Result<ResultRecord> result(const std::string& id) = 0;
    virtual Result<ResultRecord> resultOfUnit(const std::string& unit) = 0;
    virtual Result<std::vector<ResultRecord>>
    waitingResults(const std::string& run) = 0; ///< oldest first
    virtual Result<void> markResult(const std::string& id, ResultState state,
                                    std::uint64_t mergedVersion) = 0;
    /// A merged result is part of another version, or (Reverted) of none any more.
    virtual Result<void> remarkResult(const std::string& id, ResultState state,
                                      std::uint64_t mergedVersion) = 0;
    virtual Result<std::vector<ResultRecord>>
    mergedResults(const std::string& run, std::uint64_t first,
                  std::uint64_t last) = 0; ///< in these versions
    virtual Result<std::optional<std::string>> resultWithContent(const std::string& run,
                                                                 const std::string& content) = 0;
    virtual Result<std::vector<double>> recentNormRates(const std::string& run, int atMost) = 0;
    virtual Result<std::vector<work::ContributorSummary>> contributors(const std::string& run,
                                                                       int atMost) = 0;

    // Ledger: append only.
    virtual Result<void> appendLedger(LedgerEntry entry) = 0;
    virtual Result<std::vector<LedgerEntry>> ledger(const std::string& run, std::uint64_t after,
                                                    int atMost) = 0;

    // Losses.
    virtual Result<void> addLoss(const std::string& run,
                                 const work::LossPoint& point) = 0; ///< a later one replaces
    virtual Result<std::vector<work::LossPoint>> losses(
        const std::string& run) = 0; ///< by version, without what was rolled back; 100,000 at most
    virtual Result<std::optional<std::uint64_t>> newestWithoutLoss(const std::string& run) = 0;

    // Claims: work that one process does at a time.
    /// False while another owner's claim holds. One's own is renewed.
    virtual Result<bool> claim(const ClaimRecord& claim, WallTime now) = 0;
    virtual Result<void> releaseClaim(const std::string& name, const std::string& owner) = 0;
    virtual Result<std::vector<ClaimRecord>> claims() = 0;

    // Blobs, as sorted hashes.
    virtual Result<std::vector<Sha256>> referencedBlobs() = 0; ///< all that anything refers to
    virtual Result<std::vector<Sha256>> neededBlobs(const std::string& run,
                                                    const RetentionRule& rule) = 0;
};

/// A store that is gone with the process: for simulations.
Result<std::unique_ptr<Store>> openMemoryStore();

enum class OpenMode {
    Create,   ///< a new database if there is none; older layouts are migrated
    Existing, ///< NotFound when there is none; Conflict when its layout is not this program's
};

/// SQLite at `database` (WAL, synchronous=FULL). Conflict, in a sentence, when it was written by a
/// newer version.
Result<std::unique_ptr<Store>> openSqliteStore(const std::filesystem::path& database,
                                               OpenMode mode);

} // namespace commonweight::server
