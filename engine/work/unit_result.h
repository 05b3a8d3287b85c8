#pragma once
// What a host delivers for a unit. The trainer writes it without the host's name; the agent adds
// that and signs it.

#include "engine/work/unit.h"

namespace commonweight::work {

/// θ was moved onto a newly merged version in the middle of the unit ("shift on arrival"); part of
/// the result, so that a replay can repeat it.
struct Shift {
    std::uint64_t version = 0;
    std::uint64_t step = 0;
    bool operator==(const Shift&) const = default;
};

/// The unit began where another one of this host had ended, at θ_anchor minus these outer gradients
/// (decoded), because that one's result was still on its way.
struct Continuation {
    std::string unit;
    std::vector<FragmentRef> outerGradients;
    bool operator==(const Continuation&) const = default;
};

struct UnitResult {
    std::string id; ///< chosen by the host, unique: makes the commit idempotent
    std::string unit;
    std::string run;
    std::string host; ///< empty until the agent signs
    std::uint64_t baseVersion = 0;
    std::uint64_t stepsDone = 0;
    std::uint64_t tokens = 0;
    std::vector<Shift> shifts;
    std::optional<Continuation> continues;
    std::vector<float>
        lossTrace;      ///< mean training loss of up to 64 equal pieces of the unit, nats per token
    std::string device; ///< for people, for example "Processor, 2 threads"
    std::string backend; ///< "cpu" | "vulkan" | "cuda"
    double seconds = 0;  ///< computing time, pauses left out
    std::vector<FragmentRef> outerGradients;
    std::optional<BlobRef> secondMoments;
    bool operator==(const UnitResult&) const = default;
};

Json toJson(const Shift& shift);
Result<Shift> shiftFromJson(const Json& json);
Json toJson(const Continuation& continuation);
Result<Continuation> continuationFromJson(const Json& json);
Json toJson(const UnitResult& result);
Result<UnitResult> unitResultFromJson(const Json& json);

} // namespace commonweight::work
