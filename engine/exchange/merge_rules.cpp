#include "engine/exchange/merge_rules.h"

#include <array>
#include <string>

namespace commonweight::exchange {

namespace {

constexpr std::array kRules{
    // Decoupled DiLoCo §3.2, with the guards that volunteers need
    MergeRule{"decoupled", true, true, false, OuterStep::Nesterov},
    // Federated averaging (McMahan et al. 2017, algorithm 1) with an outer optimizer
    MergeRule{"mean", false, true, false, OuterStep::Nesterov},
    // DiLoCo (Douillard et al. 2023, algorithm 1): rounds that wait, contributors that are trusted
    MergeRule{"diloco", false, false, true, OuterStep::Nesterov},
    // Async Local-SGD (Liu et al. 2024, algorithm 3)
    MergeRule{"delayed-nesterov", false, false, false, OuterStep::DelayedNesterov},
    // lo-fi (Wortsman et al. 2022): one average at the end of a fine-tune
    MergeRule{"once", false, false, true, OuterStep::Replace},
};

} // namespace

std::span<const MergeRule> mergeRules()
{
    return kRules;
}

Result<MergeRule> mergeRuleByName(std::string_view name)
{
    std::string known;
    for (const MergeRule& rule : kRules) {
        if (name == rule.name)
            return rule;
        known += (known.empty() ? "" : ", ") + std::string(rule.name);
    }
    return Error{ErrorKind::Protocol, "unknown rule of merging '" +
                                          std::string(name.substr(0, 64)) +
                                          "'; this version knows " + known};
}

} // namespace commonweight::exchange
