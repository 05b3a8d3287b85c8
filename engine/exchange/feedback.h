#pragma once
// Error feedback: what a codec loses of one outer gradient is added to the next one (SparseLoCo,
// algorithm 1). Pure functions, any thread; whoever keeps the residual is the caller.

#include "engine/exchange/codec.h"

namespace commonweight::exchange {

/// β: what is left of a residual after one version.
inline constexpr double kResidualDecay = 0.95;

/// Whether a host that comes back should keep a residual for this codec.
bool wantsResidual(Codec codec);

/// Encodes u = values + β^versions · residual, and sets residual to u minus what a decoder makes of
/// it. `versions`: how far the anchor moved since the residual was made, at least 1. Spans have the
/// fragment's size. On failure (as encodeOuterGradient) the residual stays.
Result<Bytes> encodeWithResidual(const Fragment& fragment, std::span<const float> values,
                                 std::span<float> residual, std::uint64_t versions,
                                 const OuterGradientInfo& info, std::uint64_t seed);

} // namespace commonweight::exchange
