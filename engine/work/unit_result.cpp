#include "engine/work/unit_result.h"

#include "engine/work/field_reader.h"
#include "engine/work/limits.h"

#include <cmath>

namespace commonweight::work {

namespace {

Result<float> lossFromJson(const Json& json)
{
    const double loss = json.is_number() ? json.get<double>() : limits::kLoss;
    if (!(std::abs(loss) < limits::kLoss))
        return Error{ErrorKind::Protocol, "a loss must be a number of plausible size"};
    return static_cast<float>(loss);
}

bool areOrdered(const UnitResult& result)
{
    const Shift* last = nullptr;
    for (const Shift& shift : result.shifts) {
        const std::uint64_t atLeast = last ? last->step : 0;
        const std::uint64_t above = last ? last->version : result.baseVersion;
        if (shift.version <= above || shift.step < atLeast || shift.step > result.stepsDone)
            return false;
        last = &shift;
    }
    return true;
}

} // namespace

Json toJson(const Shift& shift)
{
    return {{"version", shift.version}, {"step", shift.step}};
}

Result<Shift> shiftFromJson(const Json& json)
{
    Shift shift;
    return FieldReader(json)
        .integer("version", shift.version, 0, limits::kInteger)
        .integer("step", shift.step, 0, limits::kSteps)
        .take(shift);
}

Json toJson(const Continuation& continuation)
{
    Json json{{"unit", continuation.unit}, {"outer_gradients", Json::array()}};
    for (const FragmentRef& ref : continuation.outerGradients)
        json["outer_gradients"].push_back(toJson(ref));
    return json;
}

Result<Continuation> continuationFromJson(const Json& json)
{
    Continuation continuation;
    return FieldReader(json)
        .identifier("unit", continuation.unit)
        .list("outer_gradients", continuation.outerGradients, limits::kFragments,
              fragmentRefFromJson)
        .require(!continuation.outerGradients.empty() && isComplete(continuation.outerGradients),
                 "member 'outer_gradients' must list the fragments 0, 1, 2 ... without a gap")
        .take(continuation);
}

Json toJson(const UnitResult& result)
{
    Json json{{"id", result.id},
              {"unit", result.unit},
              {"run", result.run},
              {"host", result.host},
              {"base_version", result.baseVersion},
              {"steps_done", result.stepsDone},
              {"tokens", result.tokens},
              {"shifts", Json::array()},
              {"loss_trace", result.lossTrace},
              {"device", clipped(result.device, limits::kNameBytes)},
              {"backend", result.backend},
              {"seconds", result.seconds},
              {"outer_gradients", Json::array()}};
    for (const Shift& shift : result.shifts)
        json["shifts"].push_back(toJson(shift));
    for (const FragmentRef& ref : result.outerGradients)
        json["outer_gradients"].push_back(toJson(ref));
    if (result.continues)
        json["continues"] = toJson(*result.continues);
    if (result.secondMoments)
        json["second_moments"] = toJson(*result.secondMoments);
    return json;
}

Result<UnitResult> unitResultFromJson(const Json& json)
{
    UnitResult result;
    FieldReader reader(json);
    reader.identifier("id", result.id)
        .identifier("unit", result.unit)
        .identifier("run", result.run)
        .identifierOrEmpty("host", result.host)
        .integer("base_version", result.baseVersion, 0, limits::kInteger)
        .integer("steps_done", result.stepsDone, 0, limits::kSteps)
        .integer("tokens", result.tokens, 0, limits::kInteger)
        .list("shifts", result.shifts, limits::kShifts, shiftFromJson)
        .list("loss_trace", result.lossTrace, limits::kLossTrace, lossFromJson)
        .text("device", result.device, limits::kNameBytes)
        .identifier("backend", result.backend)
        .number("seconds", result.seconds, 0, limits::kYearSeconds)
        .list("outer_gradients", result.outerGradients, limits::kFragments, fragmentRefFromJson)
        .optional("second_moments", result.secondMoments, blobRefFromJson)
        .optional("continues", result.continues, continuationFromJson);
    return reader
        .require(isComplete(result.outerGradients),
                 "member 'outer_gradients' must list the fragments 0, 1, 2 ... without a gap")
        .require(areOrdered(result), "member 'shifts' must ascend in version and step, above "
                                     "'base_version' and within 'steps_done'")
        .take(result);
}

} // namespace commonweight::work
