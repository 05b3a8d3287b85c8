#include "engine/exchange/feedback.h"

#include <cmath>

namespace commonweight::exchange {

bool wantsResidual(Codec codec)
{
    return codec == Codec::TopK;
}

Result<Bytes> encodeWithResidual(const Fragment& fragment, std::span<const float> values,
                                 std::span<float> residual, std::uint64_t versions,
                                 const OuterGradientInfo& info, std::uint64_t seed)
{
    assert(values.size() == residual.size());
    const auto decay = static_cast<float>(std::pow(kResidualDecay, static_cast<double>(versions)));
    std::vector<float> wanted(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        wanted[i] = values[i] + decay * residual[i];
    CW_TRY(auto file, encodeOuterGradient(fragment, wanted, info, seed));
    CW_CHECK(decodeOuterGradient(file, fragment, residual));
    for (std::size_t i = 0; i < values.size(); ++i)
        residual[i] = wanted[i] - residual[i];
    return file;
}

} // namespace commonweight::exchange
