#pragma once
// The way to an anchor's fragment with the fewest bytes, for a host that has some files already: a
// pure function, any thread. docs/protocol.md, "Versions".

#include "engine/work/unit.h"

#include <functional>

namespace commonweight::work {

struct CatchUp {
    std::optional<Sha256> base;   ///< the file to begin with; not set: download the fragment whole
    std::vector<DeltaRef> deltas; ///< to apply to it, in order; empty when the file itself is there
    std::vector<BlobRef> downloads; ///< what is missing for that
    std::uint64_t bytes = 0;        ///< of the downloads
};

/// `has` says whether a file of this hash is there already (a fragment's file or a delta).
CatchUp cheapestWay(const FragmentRef& fragment, const FragmentChain* chain,
                    const std::function<bool(const Sha256&)>& has);

} // namespace commonweight::work
