#include "engine/agent/memory_estimate.h"

#include <algorithm>
#include <limits>

namespace commonweight::agent {

namespace {

constexpr double kFloat = 4;
/// Parameters, gradient, two moments, the anchor, and one copy while a checkpoint or the result is
/// made.
constexpr double kCopiesOnProcessor = 6;
/// Parameters and moments on their way to a file, and the anchor.
constexpr double kCopiesOnCard = 4;
constexpr double kProgram = 256.0 * (1 << 20);
/// Values kept for each token of a layer, in units of the hidden and of the inner width.
constexpr double kHiddenPerToken = 16;
constexpr double kInnerPerToken = 4;

double numberOf(const Json& model, const char* name)
{
    const auto value = numberMember(model, name);
    return value ? std::clamp(*value, 0.0, 1e9) : 0;
}

double activations(const work::WorkUnit& unit)
{
    const double tokens = static_cast<double>(unit.microBatch) * unit.sequenceLength;
    const double layer = kHiddenPerToken * numberOf(unit.model, "hidden_size") +
                         kInnerPerToken * numberOf(unit.model, "intermediate_size");
    const double head = 2 * numberOf(unit.model, "vocab_size");
    return tokens * kFloat * (layer * numberOf(unit.model, "num_hidden_layers") + head);
}

std::uint64_t share(std::uint64_t total, int percent)
{
    return total == 0 ? std::numeric_limits<std::uint64_t>::max()
                      : total / 100 * static_cast<std::uint64_t>(percent);
}

} // namespace

std::uint64_t trainingMemory(const work::WorkUnit& unit, const std::string& backend)
{
    double parameters = 0;
    for (const auto& fragment : unit.anchor.fragments)
        parameters += static_cast<double>(fragment.blob.bytes);
    const double bytes = backend == "cpu"
                             ? kProgram + kCopiesOnProcessor * parameters + activations(unit)
                             : kProgram + kCopiesOnCard * parameters;
    return static_cast<std::uint64_t>(std::min(bytes, 1e18));
}

bool isAway(const Conditions& conditions, const Preferences& preferences)
{
    const Seconds needed = std::chrono::minutes{preferences.idleMinutes};
    return !conditions.sinceInput || *conditions.sinceInput >= needed;
}

std::uint64_t memoryGranted(const Conditions& conditions, const Preferences& preferences)
{
    return share(conditions.memoryTotal, isAway(conditions, preferences)
                                             ? preferences.memoryPercentIdle
                                             : preferences.memoryPercentInUse);
}

std::uint64_t memoryGrantedAtMost(const Conditions& conditions, const Preferences& preferences)
{
    return share(conditions.memoryTotal,
                 std::max(preferences.memoryPercentIdle, preferences.memoryPercentInUse));
}

} // namespace commonweight::agent
