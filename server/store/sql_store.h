#pragma once
// Store over one SQL session. Its functions are in sql_<table>.cpp, one file for each group of
// tables; SQL is nowhere else. Owned by the program through Store. Thread-safe.

#include "server/store/sql_rows.h"
#include "server/store/sql_session.h"
#include "server/store/store.h"

#include <map>

namespace commonweight::server {

class SqlStore final : public Store {
public:
    explicit SqlStore(std::unique_ptr<SqlSession> session) : m_session(std::move(session)) {}

    Result<void> atomically(const std::function<Result<void>()>& work) override
    {
        return m_session->atomically(work);
    }

    Result<void> addProject(const ProjectRecord& project) override;
    Result<ProjectRecord> project() override;

    Result<PublicKey> keyOf(const std::string& host) override;
    Result<void> useNonce(const std::string& host, const std::string& nonce, WallTime now) override;
    Result<void> putHost(const HostRecord& host) override;
    Result<HostRecord> host(const std::string& id) override;
    Result<void> noteSeen(const std::string& id, WallTime now) override;
    Result<void> noteSpeed(const std::string& id, double tokensPerSecond) override;
    Result<void> setBanned(const std::string& id, bool banned) override;
    Result<std::vector<HostRecord>> hosts() override;
    Result<void> addValidatedUnit(const std::string& id) override;
    Result<void> setQuarantine(const std::string& id, const std::string& reason) override;
    Result<void> forgetNonces(WallTime before) override;

    Result<void> addRun(const RunDefinition& run, const VersionRecord& first) override;
    Result<std::vector<RunRecord>> runs() override;
    Result<RunRecord> run(const std::string& id) override;
    Result<void> setRunState(const std::string& id, const std::string& state) override;
    Result<void> setRound(const std::string& id, const RoundClock& round) override;
    Result<void> setCursor(const std::string& id, const LeaseCursor& cursor) override;
    Result<RoundCounts> roundCounts(const std::string& run, const std::string& asking) override;

    Result<void> addVersion(const VersionRecord& version) override;
    Result<VersionRecord> version(const std::string& run, std::uint64_t version) override;
    Result<std::vector<work::FragmentChain>> chainTo(const std::string& run,
                                                     std::uint64_t version) override;
    Result<void> markReverted(const std::string& run, std::uint64_t first,
                              std::uint64_t last) override;
    Result<void> addRollback(const RollbackRecord& rollback) override;
    Result<std::vector<RollbackRecord>> rollbacks(const std::string& run) override;
    Result<void> addMerge(const MergeRecord& merge) override;
    Result<std::vector<MergeRecord>> merges(const std::string& run, std::uint64_t version) override;

    Result<void> addUnit(const UnitRecord& unit) override;
    Result<UnitRecord> unit(const std::string& id) override;
    Result<void> endUnit(const std::string& id, UnitState state, WallTime now) override;
    Result<std::vector<UnitRecord>> unitsOfHost(const std::string& run, const std::string& host,
                                                std::uint64_t round) override;
    Result<std::vector<UnitRecord>> expiredUnits(const std::string& run, WallTime now) override;
    Result<std::vector<UnitRecord>> failedUnits(const std::string& host, WallTime since) override;

    Result<void> putLease(const LeaseRecord& lease) override;
    Result<std::vector<LeaseRecord>> freeLeases(const std::string& run) override;
    Result<std::vector<LeaseRecord>> leasesOf(const std::string& unit) override;
    Result<std::vector<LeaseRecord>> leases(const std::string& run) override;

    Result<void> addResult(const ResultRecord& result) override;
    Result<ResultRecord> result(const std::string& id) override;
    Result<ResultRecord> resultOfUnit(const std::string& unit) override;
    Result<std::vector<ResultRecord>> waitingResults(const std::string& run) override;
    Result<void> markResult(const std::string& id, ResultState state,
                            std::uint64_t mergedVersion) override;
    Result<void> remarkResult(const std::string& id, ResultState state,
                              std::uint64_t mergedVersion) override;
    Result<std::vector<ResultRecord>> mergedResults(const std::string& run, std::uint64_t first,
                                                    std::uint64_t last) override;
    Result<std::optional<std::string>> resultWithContent(const std::string& run,
                                                         const std::string& content) override;
    Result<std::vector<double>> recentNormRates(const std::string& run, int atMost) override;
    Result<std::vector<work::ContributorSummary>> contributors(const std::string& run,
                                                               int atMost) override;

    Result<void> appendLedger(LedgerEntry entry) override;
    Result<std::vector<LedgerEntry>> ledger(const std::string& run, std::uint64_t after,
                                            int atMost) override;

    Result<void> addLoss(const std::string& run, const work::LossPoint& point) override;
    Result<std::vector<work::LossPoint>> losses(const std::string& run) override;
    Result<std::optional<std::uint64_t>> newestWithoutLoss(const std::string& run) override;

    Result<bool> claim(const ClaimRecord& claim, WallTime now) override;
    Result<void> releaseClaim(const std::string& name, const std::string& owner) override;
    Result<std::vector<ClaimRecord>> claims() override;

    Result<std::vector<Sha256>> referencedBlobs() override;
    Result<std::vector<Sha256>> neededBlobs(const std::string& run,
                                            const RetentionRule& rule) override;

private:
    Result<std::shared_ptr<const RunDefinition>> definition(const std::string& run);
    Result<std::shared_ptr<const RunDefinition>> readDefinition(const std::string& run);
    Result<void> addParts(const RunDefinition& run);

    std::unique_ptr<SqlSession> m_session;
    std::mutex m_definitionsMutex;
    std::map<std::string, std::shared_ptr<const RunDefinition>>
        m_definitions; ///< what was read once; never changes
};

/// NotFound: "there is no <what> '<name>'".
Error notThere(const char* what, const std::string& name);

} // namespace commonweight::server
