#pragma once
// Versions as a chain of encoded differences: what volunteers hold is exactly what the chain
// decodes to, on every machine, and the server keeps what the encoding lost for the next
// difference (error feedback). Pure functions, any thread.
//
// A delta is a file in the form of an outer gradient (codec.h) whose `unit` is "chain",
// `base_version` is version − 1 and `tokens`, `steps` are 0. Its values are added:
//     Θ_v = Θ_{v−1} + d, one fp32 addition for each element.

#include "engine/exchange/codec.h"

namespace commonweight::exchange {

struct DeltaInfo {
    Codec codec = Codec::Int8;
    std::string run;
    std::uint64_t version = 1; ///< that the delta leads to
};

/// `difference`: X_v − Θ_{v−1}, the fragment's elements. `seed` drives the stochastic rounding.
/// Protocol when a value is not finite.
Result<Bytes> encodeDelta(const Fragment& fragment, std::span<const float> difference,
                          const DeltaInfo& info, std::uint64_t seed);

/// Adds a delta to the parameters of version − 1. Corrupt or Protocol: it does not read, or is of
/// another run, fragment or version; the parameters are then as before.
Result<void> applyDelta(ByteView file, const Fragment& fragment, const DeltaInfo& expected,
                        std::span<float> parameters);

/// One step of the chain on the server: from X_v and Θ_{v−1} to the delta and Θ_v.
struct ChainStep {
    Bytes delta;
    std::vector<float> published; ///< Θ_v
};
Result<ChainStep> chainStep(const Fragment& fragment, std::span<const float> exact,
                            std::span<const float> published, const DeltaInfo& info,
                            std::uint64_t runSeed);

} // namespace commonweight::exchange
