#pragma once
// The rules of merging as a table: what each one does with weights, directions and the outer step.
// Plain data, any thread.

#include "engine/base/result.h"

#include <span>
#include <string_view>

namespace commonweight::exchange {

enum class OuterStep {
    Nesterov,        ///< b ← μ b + v;  Θ ← Θ − η (v + μ b)
    DelayedNesterov, ///< each contribution moves Θ; b moves once in a period (Async Local-SGD)
    Replace,         ///< Θ ← Θ − v: the mean of what the contributors ended with
};

struct MergeRule {
    const char* name;
    /// Matrices by radial–directional averaging, the rest by the weighted mean.
    bool radial;
    /// For contributors that nobody vouches for: caps accounts, clips norms, restarts a momentum
    /// that points the wrong way, and steps more carefully the staler the contributions are.
    bool guarded;
    /// What started from an older version has no weight.
    bool freshOnly;
    OuterStep outer;
};

std::span<const MergeRule> mergeRules();

/// Protocol: "unknown rule of merging 'x'; this version knows decoupled, …"
Result<MergeRule> mergeRuleByName(std::string_view name);

} // namespace commonweight::exchange
