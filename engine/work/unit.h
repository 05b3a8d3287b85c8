#pragma once
// The work unit: everything that decides a result, fixed by the server, signed with the project
// key. A unit is data, and (unit) -> (outer gradient) is a pure function on one device and one
// build. Plain values, any thread. JSON form and limits: docs/protocol.md, "Work unit".

#include "engine/base/clock.h"
#include "engine/base/json.h"
#include "engine/base/sha256.h"

#include <optional>
#include <string>
#include <vector>

namespace commonweight::work {

struct BlobRef {
    Sha256 sha256;
    std::uint64_t bytes = 0;
    bool operator==(const BlobRef&) const = default;
};

struct FragmentRef {
    std::uint32_t index = 0;
    BlobRef blob; ///< safetensors with the fragment's parameters, F32
    bool operator==(const FragmentRef&) const = default;
};

/// What turns the file of version − 1 into that of `version`: engine/exchange/version_chain.h.
struct DeltaRef {
    std::uint64_t version = 0;
    Sha256 base;  ///< of the fragment's file of version − 1
    BlobRef blob; ///< the difference, encoded
    bool operator==(const DeltaRef&) const = default;
};

/// The last steps to an anchor's fragment, ascending by version without a gap; the last one leads
/// to the anchor's file. Only as many as can be fewer bytes than that file.
struct FragmentChain {
    std::uint32_t index = 0;
    std::vector<DeltaRef> deltas;
    bool operator==(const FragmentChain&) const = default;
};

/// The parameters that a unit starts from.
struct Anchor {
    std::uint64_t version = 0;
    std::vector<FragmentRef> fragments;   ///< ascending by index, none missing
    std::optional<BlobRef> secondMoments; ///< factored table: engine/training/second_moments.h
    std::vector<FragmentChain> chain; ///< of each fragment in order, or empty: no such way to it
    bool operator==(const Anchor&) const = default;
};

/// A lane of text: `tokens` consecutive tokens of a shard, a multiple of the sequence length.
/// Targets are shifted by one, so the shard holds at least firstToken + tokens + 1. See DataCursor
/// in engine/training for the order of use: a step takes one sequence from each of micro_batch ×
/// accumulation neighbouring lanes, until these are used up. The lanes of such a group are equally
/// long.
struct DataRange {
    std::uint32_t shard = 0; ///< index into WorkUnit::shards
    std::uint64_t firstToken = 0;
    std::uint64_t tokens = 0;
    bool operator==(const DataRange&) const = default;
};

struct AdamW {
    double beta1 = 0.9;
    double beta2 = 0.99;
    double epsilon = 1e-8;
    double weightDecay = 0.1;    ///< on matrices only
    double clipNorm = 1.0;       ///< global gradient norm; 0 = no clipping
    bool biasCorrection = false; ///< true for a warm-up from zero moments; false when moments come
                                 ///< from the anchor's table
    bool operator==(const AdamW&) const = default;
};

/// Cosine schedule over tokens of the whole run; a unit gets the slice that starts at `position`.
/// Step i (0-based) of the unit uses learningRateAt(slice, i).
struct LearningRateSlice {
    double peak = 1e-3;
    double floor = 1e-4;
    double warmupTokens = 0;
    double totalTokens = 1;
    double position = 0; ///< tokens of the run at the unit's first step
    double advance = 0;  ///< tokens of the run, of all hosts, that pass during one step
    bool operator==(const LearningRateSlice&) const = default;
};
/// With t = position + advance · step: peak · (t + advance) / warmupTokens while t < warmupTokens
/// (never above peak), then half a cosine from peak down to floor, which is reached at totalTokens
/// and kept.
double learningRateAt(const LearningRateSlice& slice, std::uint64_t step);

/// θ is moved onto a newer version before step `step` (0-based).
struct ScriptedShift {
    std::uint64_t step = 0;
    Anchor anchor;
    bool operator==(const ScriptedShift&) const = default;
};
/// How a unit that repeats another one comes to the same parameters: that one's result says it.
struct UnitScript {
    std::vector<FragmentRef> start; ///< outer gradients that it continued from; may be empty
    std::vector<ScriptedShift> shifts;
    bool operator==(const UnitScript&) const = default;
};

enum class UnitKind { Train, Evaluate, Replay, Generate };

struct WorkUnit {
    std::string id;
    std::string run;
    UnitKind kind = UnitKind::Train;
    Json model; ///< config.json of the Llama family; checked by engine/model
    Anchor anchor;
    std::vector<BlobRef> shards;
    std::vector<DataRange> data;
    std::uint64_t seed = 0;         ///< below 2^53
    std::uint64_t stepsAtMost = 0;  ///< H
    std::uint64_t stepsAtLeast = 0; ///< fewer do not count (a quarter of the expected steps)
    WallTime closesAt; ///< when the round closes; training ends by then, minus the upload's time
    WallTime deadline; ///< when the lease ends
    std::uint32_t microBatch = 1;
    std::uint32_t accumulation = 1;
    std::uint32_t sequenceLength = 64;
    AdamW optimizer;
    LearningRateSlice learningRate;
    std::string numericClass = "fp32"; ///< "fp32" | "bf16"
    std::string codec = "int4";        ///< name of a codec of engine/exchange
    /// Also deliver the factored second moments at the end (warm-up, trusted refresh).
    bool reportSecondMoments = false;
    /// A host that is still sending its last result may begin where that one ended, and move onto
    /// the merged version when it comes.
    bool mayShift = false;
    /// "table": moments from the anchor's table. "carried": the host's own, from its last unit of
    /// this run; for hosts that the operator trusts, because nobody else can repeat such a unit.
    std::string optimizerState = "table";
    std::optional<UnitScript> script; ///< of a replay

    std::uint64_t tokensPerStep() const
    {
        return std::uint64_t{microBatch} * accumulation * sequenceLength;
    }
    bool operator==(const WorkUnit&) const = default;
};

Json toJson(const WorkUnit& unit);
/// Protocol with the member's name; every count is bounded (docs/protocol.md, "Limits"). Texts that
/// hold units are parsed with limits::kUnitJson (engine/work/limits.h).
Result<WorkUnit> workUnitFromJson(const Json& json);

Json toJson(const BlobRef& ref);
Result<BlobRef> blobRefFromJson(const Json& json);
Json toJson(const FragmentRef& ref);
Result<FragmentRef> fragmentRefFromJson(const Json& json);
Json toJson(const Anchor& anchor);
Result<Anchor> anchorFromJson(const Json& json);
Json toJson(const AdamW& optimizer);
Result<AdamW> adamWFromJson(const Json& json);
/// 0, 1, … n − 1: ascending, none missing.
bool isComplete(const std::vector<FragmentRef>& fragments);

const char* toString(UnitKind kind);

/// Identifiers on the wire: 1–64 of [A-Za-z0-9._-], not starting with a dot.
bool isIdentifier(std::string_view text);

} // namespace commonweight::work
