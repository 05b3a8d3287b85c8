#include "engine/exchange/merge.h"

#include "engine/exchange/merge_rules.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

namespace commonweight::exchange {

namespace {

constexpr std::size_t kFewestAccountsToCap = 4;

constexpr double kFresh = 0.1; ///< mean staleness up to which momentum stays whole

double rawWeight(const Contribution& contribution, const OuterSettings& settings, bool freshOnly)
{
    if (contribution.steps == 0 || !(contribution.trust > 0) || !std::isfinite(contribution.trust))
        return 0;
    if (freshOnly && contribution.staleness > 0)
        return 0;
    const auto tokens = static_cast<double>(contribution.tokens);
    return tokens * tokens / static_cast<double>(contribution.steps) *
           stalenessWeight(contribution.staleness, settings.maxStaleness) * contribution.trust;
}

struct Account {
    double weight = 0;
    double factor = 1; ///< what the account's contributions are multiplied with
    bool capped = false;
};

/// Accounts above the cap get exactly the cap; what they lose goes to the others in proportion,
/// which may bring one of these above the cap, and so on. Weights sum to one before and after.
void capAccounts(std::vector<Account*>& accounts, double cap)
{
    double freeWeight = 1; // of accounts that are not capped
    double freeShare = 1;  // what these may have together
    for (bool changed = true; changed && freeWeight > 0;) {
        changed = false;
        const double scale = freeShare / freeWeight;
        for (Account* account : accounts) {
            if (account->capped || account->weight * scale <= cap)
                continue;
            account->capped = changed = true;
            account->factor = cap / account->weight;
            freeWeight -= account->weight;
            freeShare -= cap;
        }
    }
    for (Account* account : accounts)
        if (!account->capped)
            account->factor = freeShare / freeWeight;
}

/// The best η of a plain mean grows with the number of contributors: .4, .6, .6, .8 for 1, 2, 4, 8
/// (scaling laws for DiLoCo, figure 7).
double meanGainFor(double contributors)
{
    if (contributors <= 2)
        return 1 + 0.5 * std::max(contributors - 1, 0.0);
    return 1.5 + 0.5 * std::clamp((contributors - 4) / 4, 0.0, 1.0);
}

/// η and μ for contributions that are `staleness` versions old on average.
void stepCarefully(OuterSettings& settings, double staleness)
{
    const double careful = std::clamp((staleness - kFresh) / (1 - kFresh), 0.0, 1.0);
    // Without momentum a step is 1 − μ as long; a third of what is lost is given back. Where there
    // was no momentum, nothing is lost at s̄ = 1.
    const double gain = std::max(1 / (3 * (1 - settings.momentum)), 2.0);
    const double stale = settings.learningRate * gain / (1 + std::max(staleness, 1.0));
    settings.learningRate += careful * (stale - settings.learningRate);
    settings.momentum *= 1 - careful;
}

} // namespace

double stalenessWeight(std::uint64_t staleness, std::uint32_t maxStaleness)
{
    if (staleness > maxStaleness)
        return 0;
    const auto s = static_cast<double>(staleness);
    return 0.5 * (1 + std::cos(std::numbers::pi * s / (maxStaleness + 1.0))) * std::exp(-0.1 * s);
}

std::vector<double> mergeWeights(const std::vector<Contribution>& contributions,
                                 const OuterSettings& settings)
{
    const auto rule = mergeRuleByName(settings.rule);
    if (!rule.ok())
        return {};
    std::vector<double> weights;
    for (const Contribution& contribution : contributions)
        weights.push_back(rawWeight(contribution, settings, rule->freshOnly));
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    if (!(sum > 0) || !std::isfinite(sum))
        return {};

    std::map<std::string, Account> byName;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        weights[i] /= sum;
        if (weights[i] > 0)
            byName[contributions[i].account].weight += weights[i];
    }
    const auto accounts = static_cast<double>(byName.size());
    if (!rule->guarded || byName.size() < kFewestAccountsToCap ||
        !(accounts * settings.accountCap >= 1))
        return weights;
    std::vector<Account*> list;
    for (auto& [name, account] : byName)
        list.push_back(&account);
    capAccounts(list, settings.accountCap);
    for (std::size_t i = 0; i < weights.size(); ++i)
        if (weights[i] > 0)
            weights[i] *= byName[contributions[i].account].factor;
    return weights;
}

OuterSettings settingsOfMerge(const std::vector<Contribution>& contributions,
                              const std::vector<double>& weights, OuterSettings settings)
{
    const auto rule = mergeRuleByName(settings.rule);
    if (!rule.ok() || !rule->guarded)
        return settings;
    double sum = 0, squares = 0, staleness = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        sum += weights[i];
        squares += weights[i] * weights[i];
        staleness += weights[i] * static_cast<double>(contributions[i].staleness);
    }
    if (!(sum > 0))
        return settings;
    stepCarefully(settings, staleness / sum);
    if (rule->radial)
        settings.meanGain = meanGainFor(sum * sum / squares);
    return settings;
}

} // namespace commonweight::exchange
