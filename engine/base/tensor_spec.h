#pragma once
// Name and shape of one parameter tensor; the common noun of model, exchange and safetensors.

#include <cstdint>
#include <string>
#include <vector>

namespace commonweight {

struct TensorSpec {
    std::string
        name; ///< Hugging Face Llama layout, for example "model.layers.0.mlp.up_proj.weight"
    std::vector<std::int64_t> shape; ///< row-major, outermost first

    std::int64_t elements() const
    {
        std::int64_t count = 1;
        for (auto extent : shape)
            count *= extent;
        return count;
    }
    bool operator==(const TensorSpec&) const = default;
};

} // namespace commonweight
