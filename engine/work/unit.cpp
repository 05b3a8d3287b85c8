#include "engine/work/unit.h"

#include "engine/work/field_reader.h"
#include "engine/work/limits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace commonweight::work {

namespace {

constexpr std::array kKindNames{"train", "evaluate", "replay", "generate"};

Result<UnitKind> kindFromText(const std::string& text)
{
    for (std::size_t i = 0; i < kKindNames.size(); ++i)
        if (text == kKindNames[i])
            return static_cast<UnitKind>(i);
    return Error{ErrorKind::Protocol,
                 "unknown kind of unit '" + clipped(text, 40) +
                     "'; this version knows train, evaluate, replay, generate"};
}

Json toJson(const LearningRateSlice& slice)
{
    return {{"peak", slice.peak},
            {"floor", slice.floor},
            {"warmup_tokens", slice.warmupTokens},
            {"total_tokens", slice.totalTokens},
            {"position", slice.position},
            {"advance", slice.advance}};
}

Result<LearningRateSlice> learningRateFromJson(const Json& json)
{
    LearningRateSlice slice;
    return FieldReader(json)
        .number("peak", slice.peak, 0, 10)
        .number("floor", slice.floor, 0, 10)
        .number("warmup_tokens", slice.warmupTokens, 0, limits::kScheduleTokens)
        .number("total_tokens", slice.totalTokens, 1, limits::kScheduleTokens)
        .number("position", slice.position, 0, limits::kScheduleTokens)
        .number("advance", slice.advance, 0, limits::kScheduleTokens)
        .require(slice.floor <= slice.peak, "member 'floor' must not be above 'peak'")
        .take(slice);
}

/// A lane is [shard, first token, tokens]: a unit may have very many.
Json toJson(const DataRange& lane)
{
    return Json::array({lane.shard, lane.firstToken, lane.tokens});
}

bool isCount(const Json& json, std::int64_t max)
{
    return json.is_number_unsigned() &&
           json.get<std::uint64_t>() <= static_cast<std::uint64_t>(max);
}

Result<DataRange> laneFromJson(const Json& json)
{
    if (!json.is_array() || json.size() != 3 || !isCount(json[0], limits::kShards) ||
        !isCount(json[1], limits::kLaneTokens) || !isCount(json[2], limits::kLaneTokens))
        return Error{
            ErrorKind::Protocol,
            "a lane must be [shard, first token, tokens], whole numbers within the limits"};
    return DataRange{json[0].get<std::uint32_t>(), json[1].get<std::uint64_t>(),
                     json[2].get<std::uint64_t>()};
}

template <class T> Json listToJson(const std::vector<T>& values)
{
    Json list = Json::array();
    for (const T& value : values)
        list.push_back(toJson(value));
    return list;
}

bool trains(const WorkUnit& unit)
{
    return unit.kind == UnitKind::Train || unit.kind == UnitKind::Replay;
}

std::string laneName(std::size_t lane)
{
    return "member 'data': lane " + std::to_string(lane);
}

/// Each lane on its own.
Result<void> checkLanes(const WorkUnit& unit)
{
    for (std::size_t i = 0; i < unit.data.size(); ++i) {
        const DataRange& lane = unit.data[i];
        if (lane.shard >= unit.shards.size())
            return Error{ErrorKind::Protocol, laneName(i) + " names a shard that is not listed"};
        if (lane.tokens == 0 || lane.tokens % unit.sequenceLength != 0)
            return Error{ErrorKind::Protocol, laneName(i) + " must hold a positive multiple of "
                                                            "'sequence_length' tokens"};
    }
    return {};
}

/// Lanes are used in groups of micro_batch × accumulation neighbours; what they hold bounds the
/// steps.
Result<void> checkGroups(const WorkUnit& unit)
{
    const std::size_t group = std::size_t{unit.microBatch} * unit.accumulation;
    if (unit.data.empty() || unit.data.size() % group != 0)
        return Error{ErrorKind::Protocol, "member 'data' must hold a positive multiple of "
                                          "micro_batch x accumulation lanes"};
    std::uint64_t offered = 0;
    for (std::size_t i = 0; i < unit.data.size(); ++i) {
        if (unit.data[i].tokens != unit.data[i - i % group].tokens)
            return Error{ErrorKind::Protocol,
                         laneName(i) + " is not as long as the first lane of its group"};
        offered += unit.data[i].tokens;
    }
    if (unit.stepsAtMost > offered / unit.tokensPerStep())
        return Error{ErrorKind::Protocol,
                     "member 'steps_at_most' asks for more tokens than the lanes "
                     "in 'data' hold"};
    return {};
}

Json toJson(const UnitScript& script)
{
    Json shifts = Json::array();
    for (const ScriptedShift& shift : script.shifts)
        shifts.push_back({{"step", shift.step}, {"anchor", toJson(shift.anchor)}});
    return {{"start", listToJson(script.start)}, {"shifts", std::move(shifts)}};
}

Result<ScriptedShift> scriptedShiftFromJson(const Json& json)
{
    ScriptedShift shift;
    return FieldReader(json)
        .integer("step", shift.step, 0, limits::kSteps)
        .member("anchor", shift.anchor, anchorFromJson)
        .take(shift);
}

bool isAscending(const std::vector<ScriptedShift>& shifts)
{
    for (std::size_t i = 1; i < shifts.size(); ++i)
        if (shifts[i].step < shifts[i - 1].step ||
            shifts[i].anchor.version <= shifts[i - 1].anchor.version)
            return false;
    return true;
}

Result<UnitScript> scriptFromJson(const Json& json)
{
    UnitScript script;
    return FieldReader(json)
        .list("start", script.start, limits::kFragments, fragmentRefFromJson)
        .list("shifts", script.shifts, limits::kShifts, scriptedShiftFromJson)
        .require(isComplete(script.start),
                 "member 'start' must list the fragments 0, 1, 2 ... without a gap")
        .require(isAscending(script.shifts), "member 'shifts' must ascend in version and step")
        .take(script);
}

/// Members that came after the first version of the protocol.
void readOptions(FieldReader& reader, WorkUnit& unit)
{
    if (reader.has("may_shift"))
        reader.flag("may_shift", unit.mayShift);
    if (reader.has("optimizer_state"))
        reader.oneOf("optimizer_state", unit.optimizerState, {"table", "carried"});
    reader.optional("script", unit.script, scriptFromJson);
}

FieldReader& readRecipe(FieldReader& reader, WorkUnit& unit)
{
    readOptions(reader, unit);
    return reader.integer("seed", unit.seed, 0, limits::kInteger - 1)
        .integer("steps_at_most", unit.stepsAtMost, 0, limits::kSteps)
        .integer("steps_at_least", unit.stepsAtLeast, 0, limits::kSteps)
        .time("closes_at", unit.closesAt)
        .time("deadline", unit.deadline)
        .integer("micro_batch", unit.microBatch, 1, limits::kMicroBatch)
        .integer("accumulation", unit.accumulation, 1, limits::kAccumulation)
        .integer("sequence_length", unit.sequenceLength, 1, limits::kSequenceLength)
        .member("optimizer", unit.optimizer, adamWFromJson)
        .member("learning_rate", unit.learningRate, learningRateFromJson)
        .oneOf("numeric_class", unit.numericClass, {"fp32", "bf16"})
        .identifier("codec", unit.codec)
        .flag("report_second_moments", unit.reportSecondMoments);
}

} // namespace

double learningRateAt(const LearningRateSlice& slice, std::uint64_t step)
{
    const double tokens = slice.position + slice.advance * static_cast<double>(step);
    if (tokens < slice.warmupTokens)
        return slice.peak * std::min(1.0, (tokens + slice.advance) / slice.warmupTokens);
    if (tokens >= slice.totalTokens)
        return slice.floor;
    const double share = (tokens - slice.warmupTokens) / (slice.totalTokens - slice.warmupTokens);
    return slice.floor +
           0.5 * (slice.peak - slice.floor) * (1 + std::cos(std::numbers::pi * share));
}

const char* toString(UnitKind kind)
{
    return kKindNames[static_cast<std::size_t>(kind)];
}

bool isIdentifier(std::string_view text)
{
    const auto allowed = [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '_' || c == '-';
    };
    return !text.empty() && text.size() <= 64 && text.front() != '.' &&
           std::all_of(text.begin(), text.end(), allowed);
}

bool isComplete(const std::vector<FragmentRef>& fragments)
{
    for (std::size_t i = 0; i < fragments.size(); ++i)
        if (fragments[i].index != i)
            return false;
    return true;
}

Json toJson(const BlobRef& ref)
{
    return {{"sha256", ref.sha256.hex()}, {"bytes", ref.bytes}};
}

Result<BlobRef> blobRefFromJson(const Json& json)
{
    BlobRef ref;
    return FieldReader(json)
        .hash("sha256", ref.sha256)
        .integer("bytes", ref.bytes, 0, limits::kBlobBytes)
        .take(ref);
}

Json toJson(const FragmentRef& ref)
{
    Json json = toJson(ref.blob);
    json["index"] = ref.index;
    return json;
}

Result<FragmentRef> fragmentRefFromJson(const Json& json)
{
    FragmentRef ref;
    CW_TRY(ref.blob, blobRefFromJson(json));
    return FieldReader(json)
        .integer("index", ref.index, 0, static_cast<std::int64_t>(limits::kFragments) - 1)
        .take(ref);
}

static Json toJson(const DeltaRef& delta)
{
    Json json = toJson(delta.blob);
    json["version"] = delta.version;
    json["base"] = delta.base.hex();
    return json;
}

static Result<DeltaRef> deltaFromJson(const Json& json)
{
    DeltaRef delta;
    CW_TRY(delta.blob, blobRefFromJson(json));
    return FieldReader(json)
        .integer("version", delta.version, 1, limits::kInteger)
        .hash("base", delta.base)
        .take(delta);
}

static Json toJson(const FragmentChain& chain)
{
    return {{"index", chain.index}, {"deltas", listToJson(chain.deltas)}};
}

static Result<FragmentChain> chainFromJson(const Json& json)
{
    FragmentChain chain;
    return FieldReader(json)
        .integer("index", chain.index, 0, static_cast<std::int64_t>(limits::kFragments) - 1)
        .list("deltas", chain.deltas, limits::kDeltas, deltaFromJson)
        .take(chain);
}

static Result<std::vector<FragmentChain>> chainsFromJson(const Json& json)
{
    const Json object{{"chain", json}};
    std::vector<FragmentChain> chains;
    return FieldReader(object)
        .list("chain", chains, limits::kFragments, chainFromJson)
        .take(chains);
}

/// Each fragment's steps lead, one version after the other, to the anchor's.
static bool leadsTo(const Anchor& anchor)
{
    if (!anchor.chain.empty() && anchor.chain.size() != anchor.fragments.size())
        return false;
    for (std::size_t i = 0; i < anchor.chain.size(); ++i) {
        const auto& deltas = anchor.chain[i].deltas;
        if (anchor.chain[i].index != i || deltas.size() > anchor.version)
            return false;
        for (std::size_t k = 0; k < deltas.size(); ++k)
            if (deltas[k].version != anchor.version - deltas.size() + 1 + k)
                return false;
    }
    return true;
}

Json toJson(const Anchor& anchor)
{
    Json json{{"version", anchor.version}, {"fragments", listToJson(anchor.fragments)}};
    if (anchor.secondMoments)
        json["second_moments"] = toJson(*anchor.secondMoments);
    if (!anchor.chain.empty())
        json["chain"] = listToJson(anchor.chain);
    return json;
}

Result<Anchor> anchorFromJson(const Json& json)
{
    Anchor anchor;
    std::optional<std::vector<FragmentChain>> chain;
    FieldReader reader(json);
    reader.integer("version", anchor.version, 0, limits::kInteger)
        .list("fragments", anchor.fragments, limits::kFragments, fragmentRefFromJson)
        .optional("second_moments", anchor.secondMoments, blobRefFromJson)
        .optional("chain", chain, chainsFromJson);
    CW_TRY(anchor, reader
                       .require(!anchor.fragments.empty() && isComplete(anchor.fragments),
                                "member 'fragments' must list the fragments 0, 1, 2 ... without a "
                                "gap")
                       .take(anchor));
    anchor.chain = std::move(chain).value_or(std::vector<FragmentChain>());
    if (!leadsTo(anchor))
        return Error{ErrorKind::Protocol, "member 'chain' must lead every fragment to the anchor's "
                                          "version, one version after the other"};
    return anchor;
}

Json toJson(const AdamW& optimizer)
{
    return {{"beta1", optimizer.beta1},        {"beta2", optimizer.beta2},
            {"epsilon", optimizer.epsilon},    {"weight_decay", optimizer.weightDecay},
            {"clip_norm", optimizer.clipNorm}, {"bias_correction", optimizer.biasCorrection}};
}

Result<AdamW> adamWFromJson(const Json& json)
{
    AdamW optimizer;
    return FieldReader(json)
        .number("beta1", optimizer.beta1, 0, 1)
        .number("beta2", optimizer.beta2, 0, 1)
        .number("epsilon", optimizer.epsilon, 0, 1)
        .number("weight_decay", optimizer.weightDecay, 0, 10)
        .number("clip_norm", optimizer.clipNorm, 0, 1e6)
        .flag("bias_correction", optimizer.biasCorrection)
        .require(optimizer.beta1 < 1 && optimizer.beta2 < 1,
                 "members 'beta1' and 'beta2' must be below 1")
        .require(optimizer.epsilon > 0, "member 'epsilon' must be above 0")
        .take(optimizer);
}

Json toJson(const WorkUnit& unit)
{
    Json json{{"id", unit.id},
              {"run", unit.run},
              {"kind", toString(unit.kind)},
              {"model", unit.model},
              {"anchor", toJson(unit.anchor)},
              {"shards", listToJson(unit.shards)},
              {"data", listToJson(unit.data)},
              {"seed", unit.seed},
              {"steps_at_most", unit.stepsAtMost},
              {"steps_at_least", unit.stepsAtLeast},
              {"closes_at", toRfc3339(unit.closesAt)},
              {"deadline", toRfc3339(unit.deadline)},
              {"micro_batch", unit.microBatch},
              {"accumulation", unit.accumulation},
              {"sequence_length", unit.sequenceLength},
              {"optimizer", toJson(unit.optimizer)},
              {"learning_rate", toJson(unit.learningRate)},
              {"numeric_class", unit.numericClass},
              {"codec", unit.codec},
              {"report_second_moments", unit.reportSecondMoments}};
    if (unit.mayShift)
        json["may_shift"] = true;
    if (unit.optimizerState != WorkUnit{}.optimizerState)
        json["optimizer_state"] = unit.optimizerState;
    if (unit.script)
        json["script"] = toJson(*unit.script);
    return json;
}

Result<WorkUnit> workUnitFromJson(const Json& json)
{
    WorkUnit unit;
    std::string kind;
    FieldReader reader(json);
    reader.identifier("id", unit.id).identifier("run", unit.run);
    reader.text("kind", kind, limits::kNameBytes)
        .opaque("model", unit.model, limits::kModelBytes)
        .member("anchor", unit.anchor, anchorFromJson)
        .list("shards", unit.shards, limits::kShards, blobRefFromJson)
        .list("data", unit.data, limits::kLanes, laneFromJson);
    CW_TRY(unit, readRecipe(reader, unit)
                     .require(unit.stepsAtLeast <= unit.stepsAtMost,
                              "member 'steps_at_least' must not be above 'steps_at_most'")
                     .take(unit));
    CW_TRY(unit.kind, kindFromText(kind));
    CW_CHECK(checkLanes(unit));
    if (!trains(unit))
        return unit;
    if (unit.stepsAtMost == 0)
        return Error{ErrorKind::Protocol, "member 'steps_at_most' must be at least 1"};
    CW_CHECK(checkGroups(unit));
    return unit;
}

} // namespace commonweight::work
