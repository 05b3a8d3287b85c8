#include "server/verify/parameters.h"

#include <algorithm>

namespace commonweight::server {

namespace {

/// Where a tensor lies in the flat parameters.
Result<std::size_t> offsetOf(const TensorSpec& tensor, const std::vector<TensorSpec>& layout)
{
    std::size_t offset = 0;
    for (const auto& spec : layout) {
        if (spec == tensor)
            return offset;
        offset += static_cast<std::size_t>(spec.elements());
    }
    return Error{ErrorKind::Corrupt, "the run's fragments have a tensor '" + tensor.name +
                                         "' that its model does not have in this shape"};
}

std::size_t elementsOf(const std::vector<TensorSpec>& layout)
{
    std::size_t sum = 0;
    for (const auto& spec : layout)
        sum += static_cast<std::size_t>(spec.elements());
    return sum;
}

} // namespace

Result<std::vector<float>> fragmentOf(const exchange::Fragment& fragment,
                                      const std::vector<TensorSpec>& layout,
                                      std::span<const float> flat)
{
    std::vector<float> values;
    values.reserve(static_cast<std::size_t>(fragment.elements()));
    for (const auto& tensor : fragment.tensors) {
        CW_TRY(const auto offset, offsetOf(tensor, layout));
        const auto part = flat.subspan(offset, static_cast<std::size_t>(tensor.elements()));
        values.insert(values.end(), part.begin(), part.end());
    }
    return values;
}

Result<void> putFragment(const exchange::Fragment& fragment, const std::vector<TensorSpec>& layout,
                         std::span<const float> values, std::span<float> flat)
{
    std::size_t read = 0;
    for (const auto& tensor : fragment.tensors) {
        CW_TRY(const auto offset, offsetOf(tensor, layout));
        const auto count = static_cast<std::size_t>(tensor.elements());
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(read), count,
                    flat.begin() + static_cast<std::ptrdiff_t>(offset));
        read += count;
    }
    return {};
}

Result<std::vector<float>> readParameters(BlobStore& blobs, const RunDefinition& run,
                                          const VersionRecord& version,
                                          const model::ModelConfig& model)
{
    const auto layout = model::parameterLayout(model);
    std::vector<float> flat(elementsOf(layout));
    std::size_t found = 0;
    for (const auto& fragment : run.fragments) {
        CW_TRY(const auto values,
               readFragmentValues(blobs, fragment, version.fragments[fragment.index].parameters));
        CW_CHECK(putFragment(fragment, layout, values, flat));
        found += values.size();
    }
    if (found != flat.size())
        return Error{ErrorKind::Corrupt, "the run's fragments do not make up its model"};
    return flat;
}

} // namespace commonweight::server
