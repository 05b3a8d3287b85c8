#include "server/verify/result_admission.h"

#include "engine/base/log.h"
#include "engine/exchange/codec.h"
#include "engine/exchange/merge.h"
#include "engine/work/limits.h"
#include "server/ledger/ledger.h"
#include "server/schedule/lane_book.h"
#include "server/schedule/lane_order.h"
#include "server/verify/norm_check.h"

#include <cmath>

namespace commonweight::server {

namespace {

constexpr int kNormsCompared = 64;

Error wrong(std::string message)
{
    return {ErrorKind::Protocol, std::move(message)};
}

Result<void> checkIdentity(const work::UnitResult& result, const UnitRecord& unit,
                           const std::string& host)
{
    if (result.host != host)
        return Error{ErrorKind::Denied,
                     "the result names host '" + result.host + "' but was sent by '" + host + "'"};
    if (unit.host != host)
        return Error{ErrorKind::Denied, "unit '" + unit.id + "' was given to another host"};
    if (result.run != unit.run)
        return wrong("unit '" + unit.id + "' belongs to another run");
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
    if (!result.shifts.empty())
        return wrong("this server does not offer to move a unit onto a newer version, but the "
                     "result did so");
    if (result.outerGradients.size() != fragments)
        return wrong("the result has " + std::to_string(result.outerGradients.size()) +
                     " outer gradients, the model has " + std::to_string(fragments) + " fragments");
    for (std::size_t i = 0; i < fragments; ++i)
        if (result.outerGradients[i].index != i)
            return wrong("the result's outer gradients are not in the order of the fragments");
    return {};
}

Result<void> checkHeader(const exchange::OuterGradientInfo& info, const work::UnitResult& result,
                         const work::WorkUnit& unit, std::size_t fragment)
{
    const char* difference = info.unit != result.unit                       ? "unit"
                             : info.run != result.run                       ? "run"
                             : exchange::toString(info.codec) != unit.codec ? "codec"
                             : info.fragment != fragment                    ? "fragment"
                             : info.baseVersion != result.baseVersion       ? "base version"
                             : info.tokens != result.tokens || info.steps != result.stepsDone
                                 ? "number of steps or tokens"
                                 : nullptr;
    if (difference)
        return wrong(std::string("an outer gradient names another ") + difference +
                     " than its result");
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
};

Result<AdmittedResult> ResultAdmission::admit(const std::string& host, const Json& envelope)
{
    CW_TRY(auto file, openCase(host, envelope));
    if (file.known)
        return *file.known;
    auto checked = checkNumbers(file.result, file.work, file.run.definition->fragments.size());
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
    CW_CHECK(checkIdentity(file.result, file.unit, host));
    if (file.unit.state == UnitState::Reported || file.unit.state == UnitState::Failed)
        return Error{ErrorKind::Conflict,
                     "unit '" + file.unit.id + "' already has a result or was given back"};
    CW_TRY(file.run, m_store.run(file.unit.run));
    CW_TRY(const Json signedUnit, parseJson(file.unit.envelope, work::limits::kUnitJson));
    CW_TRY(const Json unitBody, verifiedJson("unit", signedUnit, m_projectKey));
    CW_TRY(file.work, work::workUnitFromJson(unitBody));
    return file;
}

Result<void> ResultAdmission::checkFiles(Case& file)
{
    double squares = 0;
    for (std::size_t i = 0; i < file.result.outerGradients.size(); ++i)
        CW_CHECK(checkFragment(file, i, squares));
    file.normRate = server::normRate(std::sqrt(squares), file.result.stepsDone);
    CW_TRY(auto recent, m_store.recentNormRates(file.run.id(), kNormsCompared));
    if (!isPlausible(file.normRate, std::move(recent)))
        return wrong("the outer gradient is far larger or smaller than those of the other hosts");
    return {};
}

Result<void> ResultAdmission::checkFragment(Case& file, std::size_t index, double& squares)
{
    const auto& fragment = file.run.definition->fragments[index];
    const auto& blob = file.result.outerGradients[index].blob;
    CW_TRY(const auto codec, exchange::codecByName(file.work.codec));
    if (blob.bytes > exchange::encodedBytesAtMost(fragment, codec))
        return wrong("an outer gradient is larger than its codec allows");
    const auto size = m_blobs.size(blob.sha256);
    if (!size.ok())
        return size.error().kind == ErrorKind::NotFound
                   ? Error{ErrorKind::Timeout, "the outer gradient of fragment " +
                                                   std::to_string(index) + " is not uploaded yet"}
                   : size.error();
    if (*size != blob.bytes)
        return wrong("an outer gradient has " + std::to_string(*size) + " bytes, the result says " +
                     std::to_string(blob.bytes));
    CW_TRY(const auto bytes, m_blobs.get(blob.sha256, blob.bytes));
    const auto info = exchange::outerGradientInfo(bytes);
    if (!info.ok())
        return wrong("an outer gradient does not read: " + info.error().message);
    CW_CHECK(checkHeader(*info, file.result, file.work, index));
    std::vector<float> values(static_cast<std::size_t>(fragment.elements()));
    if (const auto decoded = exchange::decodeOuterGradient(bytes, fragment, values); !decoded.ok())
        return wrong("an outer gradient does not read: " + decoded.error().message);
    const double norm = exchange::tensorNorms(fragment, values).total;
    squares += norm * norm;
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
    if (run.status.newestVersion - unit.baseVersion > run.config().round.maxStaleness)
        return std::string("it came too many versions late");
    if (run.status.state == "finished")
        return std::string("the training is finished");
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
                                  .baseVersion = unit.baseVersion,
                                  .number = 0,
                                  .state = admitted.state,
                                  .steps = file.result.stepsDone,
                                  .tokens = file.result.tokens,
                                  .received = now,
                                  .seconds = file.result.seconds,
                                  .normRate = file.normRate,
                                  .mergedVersion = 0,
                                  .outerGradients = file.result.outerGradients,
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
