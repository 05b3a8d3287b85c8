#include "engine/work/catch_up.h"

#include <algorithm>

namespace commonweight::work {

CatchUp cheapestWay(const FragmentRef& fragment, const FragmentChain* chain,
                    const std::function<bool(const Sha256&)>& has)
{
    if (has(fragment.blob.sha256))
        return {.base = fragment.blob.sha256, .deltas = {}, .downloads = {}, .bytes = 0};
    CatchUp best{
        .base = {}, .deltas = {}, .downloads = {fragment.blob}, .bytes = fragment.blob.bytes};
    if (chain == nullptr)
        return best;
    CatchUp way;
    for (auto delta = chain->deltas.rbegin(); delta != chain->deltas.rend(); ++delta) {
        way.deltas.insert(way.deltas.begin(), *delta);
        if (!has(delta->blob.sha256)) {
            way.downloads.insert(way.downloads.begin(), delta->blob);
            way.bytes += delta->blob.bytes;
        }
        if (way.bytes >= best.bytes)
            return best;
        if (has(delta->base)) {
            way.base = delta->base;
            return way;
        }
    }
    return best;
}

} // namespace commonweight::work
