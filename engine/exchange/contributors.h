#pragma once
// The contributions of a merge that have weight. Internal to the merge.

#include <cstddef>

namespace commonweight::exchange {

struct Contributor {
    std::size_t index = 0; ///< of the contribution
    double weight = 0;     ///< all weights sum to one
};

} // namespace commonweight::exchange
