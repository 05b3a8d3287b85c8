#include "engine/exchange/fragments.h"

#include <algorithm>
#include <numeric>
#include <queue>

namespace commonweight::exchange {

namespace {

constexpr std::size_t kMostFragments = 4096;

using Places = std::vector<std::size_t>; ///< positions in the layout

std::uint64_t bytesOf(const TensorSpec& spec)
{
    return static_cast<std::uint64_t>(spec.elements()) * sizeof(float);
}

std::uint64_t bytesOf(const std::vector<TensorSpec>& layout, const Places& places)
{
    std::uint64_t bytes = 0;
    for (const std::size_t place : places)
        bytes += bytesOf(layout[place]);
    return bytes;
}

/// Longest processing time: the next largest tensor goes to the lightest bin. `largestFirst` is
/// sorted so; ties go to the bin of the lower number.
std::vector<Places> pack(const std::vector<TensorSpec>& layout, const Places& largestFirst,
                         std::size_t bins)
{
    using Load = std::pair<std::uint64_t, std::size_t>;
    std::priority_queue<Load, std::vector<Load>, std::greater<>> lightest;
    for (std::size_t bin = 0; bin < bins; ++bin)
        lightest.emplace(0, bin);
    std::vector<Places> packed(bins);
    for (const std::size_t place : largestFirst) {
        const auto [load, bin] = lightest.top();
        lightest.pop();
        packed[bin].push_back(place);
        lightest.emplace(load + bytesOf(layout[place]), bin);
    }
    return packed;
}

/// The fewest bins of which none is above `maxBytes`, as far as single tensors allow that.
std::vector<Places> balanced(const std::vector<TensorSpec>& layout, Places places,
                             std::uint64_t maxBytes, std::size_t mostBins)
{
    if (places.empty())
        return {};
    std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
        return bytesOf(layout[a]) > bytesOf(layout[b]);
    });
    const std::uint64_t limit = std::max(maxBytes, bytesOf(layout[places.front()]));
    const std::size_t most = std::min(places.size(), mostBins);
    const auto fewest = bytesOf(layout, places) / limit;
    for (auto bins = std::clamp<std::size_t>(fewest, 1, most);; ++bins) {
        auto packed = pack(layout, places, bins);
        const bool fits = std::all_of(packed.begin(), packed.end(), [&](const Places& bin) {
            return bytesOf(layout, bin) <= limit;
        });
        if (fits || bins == most)
            return packed;
    }
}

} // namespace

TensorKind kindOf(const TensorSpec& spec)
{
    if (spec.shape.size() < 2)
        return TensorKind::Vector;
    if (spec.name == "model.embed_tokens.weight")
        return TensorKind::Embedding;
    if (spec.name == "lm_head.weight")
        return TensorKind::Head;
    return TensorKind::Matrix;
}

std::int64_t Fragment::elements() const
{
    std::int64_t count = 0;
    for (const TensorSpec& spec : tensors)
        count += spec.elements();
    return count;
}

std::vector<Fragment> fragmentsOf(const std::vector<TensorSpec>& layout, std::uint64_t maxBytes)
{
    if (layout.empty())
        return {};
    Places all(layout.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (bytesOf(layout, all) <= maxBytes)
        return {Fragment{0, layout}};

    std::vector<Places> parts;
    Places rest;
    for (const std::size_t place : all) {
        const TensorKind kind = kindOf(layout[place]);
        if (kind == TensorKind::Embedding || kind == TensorKind::Head)
            parts.push_back({place});
        else
            rest.push_back(place);
    }
    for (Places& bin : balanced(layout, std::move(rest), maxBytes, kMostFragments - parts.size())) {
        std::sort(bin.begin(), bin.end());
        parts.push_back(std::move(bin));
    }
    std::sort(parts.begin(), parts.end()); // by the first tensor

    std::vector<Fragment> fragments;
    for (const Places& part : parts) {
        Fragment fragment{static_cast<std::uint32_t>(fragments.size()), {}};
        for (const std::size_t place : part)
            fragment.tensors.push_back(layout[place]);
        fragments.push_back(std::move(fragment));
    }
    return fragments;
}

} // namespace commonweight::exchange
