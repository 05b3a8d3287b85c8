#include "server/verify/result_admission.h"

#include "engine/base/log.h"
#include "engine/work/limits.h"
#include "server/ledger/ledger.h"
#include "server/schedule/lane_book.h"
#include "server/schedule/lane_order.h"
#include "server/verify/norm_check.h"
#include "server/verify/result_files.h"

#include <cmath>

namespace commonweight::server {

namespace {

constexpr int kNormsCompared = 64;

Error wrong(std::string message)
{
    return {ErrorKind::Protocol, std::move(message)};
}

Result<void> checkIdentity(const work::UnitResult& result, const UnitRecord& unit,
                           const std::string& host, std::uint64_t newest)
{
    if (result.host != host)
        return Error{ErrorKind::Denied,
                     "the result names host '" + result.host + "' but was sent by '" + host + "'"};
    if (unit.host != host)
        return Error{ErrorKind::Denied, "unit '" + unit.id + "' was given to another host"};
    if (result.run != unit.run)
        return wrong("unit '" + unit.id + "' belongs to another run");
    if (result.baseVersion > newest)
        return wrong("there is no version " + std::to_string(result.baseVersion) +
                     "; the newest is " + std::to_string(newest));
    if (result.baseVersion != unit.baseVersion)
        return wrong("the result is against version " + std::to_string(result.baseVersion) +
                     ", its unit starts from version " + std::to_string(unit.baseVersion));
    return {};
}

/// What the numbers of a result must be, given its unit.
Result<void> checkNumbers(const work::UnitResult& result, const work::WorkUnit& unit,
                          std::size_t fragments)
{
    if (result.stepsDone == 0 || result.stepsDone > unit.stepsAtMost)
        return wrong("the result claims " + std::to_string(result.stepsDone) +
                     " steps, its unit allows 1 to " + std::to_string(unit.stepsAtMost));
    if (result.tokens != result.stepsDone * unit.tokensPerStep())
        return wrong("the result claims " + std::to_string(result.tokens) + " tokens, " +
                     std::to_string(result.stepsDone) + " steps make " +
                     std::to_string(result.stepsDone * unit.tokensPerStep()));
    if (!unit.mayShift && (!result.shifts.empty() || result.continues))
        return wrong("the unit may not continue another one or move onto a newer version, but the "
                     "result did so");
    if (result.outerGradients.size() != fragments)
        return wrong("the result has " + std::to_string(result.outerGradients.size()) +
                     " outer gradients, the model has " + std::to_string(fragments) + " fragments");
    for (std::size_t i = 0; i < fragments; ++i)
        if (result.outerGradients[i].index != i)
            return wrong("the result's outer gradients are not in the order of the fragments");
    return {};
}

} // namespace

/// A result on the way through the checks.
struct ResultAdmission::Case {
    work::UnitResult result;
    UnitRecord unit;
    work::WorkUnit work;
    RunRecord run;
    std::string envelope;
    std::optional<AdmittedResult> known; ///< it was admitted before
    double normRate = 0;
    std::string content;

    /// The version that the outer gradient is against.
    std::uint64_t base() const
    {
        return result.shifts.empty() ? result.baseVersion : result.shifts.back().version;
    }
};

Result<AdmittedResult> ResultAdmission::admit(const std::string& host, const Json& envelope)
{
    CW_TRY(auto file, openCase(host, envelope));
    if (file.known)
        return *file.known;
    auto checked = checkNumbers(file.result, file.work, file.run.definition->fragments.size());
    if (checked.ok())
        checked = checkShifts(file);
    if (checked.ok())
        checked = checkFiles(file);
    if (!checked.ok()) {
        if (checked.error().kind == ErrorKind::Protocol)
            refuse(file, checked.error());
        return checked.error();
    }
    return record(file);
}

/// Who sent what for which unit; nothing is held against the unit before this is clear.
Result<ResultAdmission::Case> ResultAdmission::openCase(const std::string& host,
                                                        const Json& envelope)
{
    Case file;
    CW_TRY(const auto key, m_store.keyOf(host));
    CW_TRY(const Json body, verifiedJson("result", envelope, key));
    CW_TRY(file.result, work::unitResultFromJson(body));
    file.envelope = dumpJson(envelope);
    if (const auto known = m_store.result(file.result.id); known.ok()) {
        if (known->host != host || known->unit != file.result.unit)
            return Error{ErrorKind::Conflict,
                         "result id '" + file.result.id + "' is already in use"};
        file.known = AdmittedResult{
            known->state, known->state == ResultState::Credited ? "it was credited" : "", false};
        return file;
    }
    auto unit = m_store.unit(file.result.unit);
    if (!unit.ok())
        return unit.error();
    file.unit = std::move(unit).value();
    CW_TRY(file.run, m_store.run(file.unit.run));
    CW_CHECK(checkIdentity(file.result, file.unit, host, file.run.status.newestVersion));
    if (file.unit.state == UnitState::Reported || file.unit.state == UnitState::Failed)
        return Error{ErrorKind::Conflict,
                     "unit '" + file.unit.id + "' already has a result or was given back"};
    CW_TRY(const Json signedUnit, parseJson(file.unit.envelope, work::limits::kUnitJson));
    CW_TRY(const Json unitBody, verifiedJson("unit", signedUnit, m_projectKey));
    CW_TRY(file.work, work::workUnitFromJson(unitBody));
    return file;
}

/// Whether a unit's outer gradient can be against `version`: by its result where that is in, else
/// because it began there or was free to move there.
Result<bool> ResultAdmission::mayEndAt(const UnitRecord& unit, std::uint64_t version)
{
    const auto result = m_store.resultOfUnit(unit.id);
    if (result.ok())
        return result->baseVersion == version;
    if (result.error().kind != ErrorKind::NotFound)
        return result.error();
    const bool mayShift = unit.round > unit.baseVersion;
    return unit.baseVersion == version || (mayShift && unit.baseVersion < version);
}

/// Versions that the host moved onto exist, and what it continued was its own.
Result<void> ResultAdmission::checkShifts(const Case& file)
{
    const std::uint64_t newest = file.run.status.newestVersion;
    for (const auto& shift : file.result.shifts)
        if (shift.version > newest)
            return wrong("the result moved onto version " + std::to_string(shift.version) +
                         "; the newest is " + std::to_string(newest));
    if (!file.result.continues)
        return {};
    const auto before = m_store.unit(file.result.continues->unit);
    if (!before.ok() && before.error().kind != ErrorKind::NotFound)
        return before.error();
    bool fits = before.ok() && before->host == file.unit.host && before->run == file.unit.run;
    if (fits) {
        CW_TRY(fits, mayEndAt(*before, file.unit.baseVersion));
    }
    return fits ? Result<void>()
                : wrong("the result continues unit '" + file.result.continues->unit +
                        "', which is not this host's on the same version");
}

Result<void> ResultAdmission::checkFiles(Case& file)
{
    const auto& definition = *file.run.definition;
    CW_TRY(auto files, checkResultFiles(m_blobs, definition, file.work, file.result, file.base()));
    std::uint64_t elements = 0;
    for (const auto& fragment : definition.fragments)
        elements += static_cast<std::uint64_t>(fragment.elements());
    if (!(files.norm <= normAtMost(file.work, file.result.stepsDone, elements)))
        return wrong("the outer gradient is larger than so many steps can make it");
    file.normRate = server::normRate(files.norm, file.result.stepsDone);
    CW_TRY(auto recent, m_store.recentNormRates(file.run.id(), kNormsCompared));
    if (!isPlausible(file.normRate, std::move(recent)))
        return wrong("the outer gradient is far larger or smaller than those of the other hosts");
    file.content = std::move(files.content);
    CW_TRY(const auto original, m_store.resultWithContent(file.run.id(), file.content));
    if (original)
        return wrong("the outer gradient is a copy of that of result '" + *original + "'");
    return {};
}

/// Ends the unit of a result that must not be merged, so that others get its text at once.
void ResultAdmission::refuse(const Case& file, const Error& error)
{
    spdlog::warn("A result was refused: {} (unit {}, host {})", error.message, file.unit.id,
                 file.unit.host);
    const auto now = m_clock.wall();
    const auto recorded = m_store.atomically([&]() -> Result<void> {
        CW_TRY(const auto unit, m_store.unit(file.unit.id));
        if (unit.state != UnitState::Open)
            return {};
        CW_CHECK(m_store.endUnit(unit.id, UnitState::Failed, now));
        CW_CHECK(returnLanes(m_store, unit, 0, "its result was refused", now));
        return recordRefusal(m_store, unit, error.message, now);
    });
    if (!recorded.ok())
        spdlog::error("A refused result could not be recorded: {}", recorded.error().message);
}

/// Empty when it can be merged.
Result<std::string> ResultAdmission::reasonAgainstMerging(const Case& file, const UnitRecord& unit)
{
    CW_TRY(const auto run, m_store.run(unit.run));
    if (unit.state != UnitState::Open)
        return std::string("its lease had ended and its text went to others");
    if (file.result.stepsDone < file.work.stepsAtLeast)
        return std::string("it has fewer steps than count");
    if (run.status.newestVersion - file.base() > run.config().round.maxStaleness)
        return std::string("it came too many versions late");
    if (run.status.state == "finished")
        return std::string("the training is finished");
    CW_TRY(const auto host, m_store.host(unit.host));
    if (!host.quarantine.empty())
        return std::string("this computer's contributions are not merged at present: ") +
               host.quarantine;
    CW_TRY(const auto base, m_store.version(unit.run, file.base()));
    if (base.reverted)
        return std::string("the version that it starts from was rolled back");
    return std::string();
}

Result<AdmittedResult> ResultAdmission::record(const Case& file)
{
    const auto now = m_clock.wall();
    AdmittedResult admitted;
    CW_CHECK(m_store.atomically([&]() -> Result<void> {
        CW_TRY(const auto unit, m_store.unit(file.unit.id));
        if (unit.state == UnitState::Reported || unit.state == UnitState::Failed)
            return Error{ErrorKind::Conflict,
                         "unit '" + unit.id + "' already has a result or was given back"};
        CW_TRY(admitted.reason, reasonAgainstMerging(file, unit));
        admitted.state = admitted.reason.empty() ? ResultState::Accepted : ResultState::Credited;
        const ResultRecord result{.id = file.result.id,
                                  .unit = unit.id,
                                  .run = unit.run,
                                  .host = unit.host,
                                  .baseVersion = file.base(),
                                  .number = 0,
                                  .state = admitted.state,
                                  .steps = file.result.stepsDone,
                                  .tokens = file.result.tokens,
                                  .received = now,
                                  .seconds = file.result.seconds,
                                  .normRate = file.normRate,
                                  .mergedVersion = 0,
                                  .outerGradients = file.result.outerGradients,
                                  .secondMoments = file.work.reportSecondMoments
                                                       ? file.result.secondMoments
                                                       : std::nullopt,
                                  .content = file.content,
                                  .envelope = file.envelope};
        CW_CHECK(m_store.addResult(result));
        if (unit.state == UnitState::Open) {
            const std::uint64_t used =
                admitted.reason.empty() ? lanesForSteps(file.run.config(), result.steps) : 0;
            CW_CHECK(m_store.endUnit(unit.id, UnitState::Reported, now));
            CW_CHECK(
                returnLanes(m_store, unit, used, used > 0 ? "not used" : admitted.reason, now));
        }
        return admitted.reason.empty() ? Result<void>()
                                       : recordCredit(m_store, result, admitted.reason, now);
    }));
    noteSpeed(file);
    return admitted;
}

void ResultAdmission::noteSpeed(const Case& file)
{
    if (!(file.result.seconds > 0))
        return;
    const double speed = static_cast<double>(file.result.tokens) / file.result.seconds;
    const auto host = m_store.host(file.unit.host);
    if (!host.ok() || !std::isfinite(speed))
        return;
    const double smoothed = host->tokensPerSecond > 0 ? (host->tokensPerSecond + speed) / 2 : speed;
    // Only a hint for the next unit's size: not worth failing a result that is already in.
    static_cast<void>(m_store.noteSpeed(host->id, smoothed));
}

} // namespace commonweight::server
