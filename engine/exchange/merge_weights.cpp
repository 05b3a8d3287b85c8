#include "engine/exchange/merge.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

namespace commonweight::exchange {

namespace {

constexpr std::size_t kFewestAccountsToCap = 4;

double rawWeight(const Contribution& contribution, const OuterSettings& settings)
{
    if (contribution.steps == 0 || !(contribution.trust > 0) || !std::isfinite(contribution.trust))
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
    std::vector<double> weights;
    for (const Contribution& contribution : contributions)
        weights.push_back(rawWeight(contribution, settings));
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
    if (byName.size() < kFewestAccountsToCap || !(accounts * settings.accountCap >= 1))
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

} // namespace commonweight::exchange
