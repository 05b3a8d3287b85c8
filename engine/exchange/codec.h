#pragma once
// Outer-gradient codecs. An encoded outer gradient is a safetensors file: tensors "<name>.codes" /
// "<name>.scales" (int8, int4), "<name>.picks" / "<name>.scales" / "<name>.levels" (topk) or
// "<name>" (fp32, bf16), metadata {format, codec, run, unit, fragment, base_version, tokens,
// steps}. Pure functions, any thread.

#include "engine/base/safetensors.h"
#include "engine/exchange/fragments.h"

#include <string>

namespace commonweight::exchange {

enum class Codec { Fp32, Bf16, Int8, Int4, TopK };

Result<Codec> codecByName(std::string_view name); ///< Protocol: "unknown codec 'x'; this version
                                                  ///< knows fp32, bf16, int8, int4, topk"
const char* toString(Codec codec);

struct OuterGradientInfo {
    Codec codec = Codec::Int4;
    std::string run;
    std::string unit;
    std::uint32_t fragment = 0;
    std::uint64_t baseVersion = 0;
    std::uint64_t tokens = 0;
    std::uint64_t steps = 0;
};

/// `values`: the fragment's elements, fp32, tensors one after another in the fragment's order.
/// `seed` drives the stochastic rounding (Philox; key = seed, counter = element), so the same input
/// gives the same bytes. int8 / int4: absmax over blocks of 256, each with a bf16 scale rounded up
/// (4.06 and 8.06 bit; bf16 has the range of fp32). topk: the 64 largest of 4096 in 2 bits each
/// (0.16 bit a parameter); what it drops is for the next outer gradient (feedback.h). Protocol when
/// a value is not finite.
Result<Bytes> encodeOuterGradient(const Fragment& fragment, std::span<const float> values,
                                  const OuterGradientInfo& info, std::uint64_t seed);

/// Header only: what the file claims to be. Corrupt or Protocol.
Result<OuterGradientInfo> outerGradientInfo(ByteView file);

/// Decodes into `out` (fragment.elements() floats). Corrupt when a tensor is missing, has another
/// shape, is not finite or a size does not fit; never reads or allocates beyond what the fragment
/// needs.
Result<void> decodeOuterGradient(ByteView file, const Fragment& fragment, std::span<float> out);

/// Exact bytes that encoding would take at most; the server's limit for an upload.
std::uint64_t encodedBytesAtMost(const Fragment& fragment, Codec codec);

/// A fragment's parameters as the safetensors blob that volunteers download (F32, metadata {format,
/// run, fragment, version}).
Bytes writeParameters(const Fragment& fragment, std::span<const float> values,
                      const std::string& run, std::uint64_t version);
Result<void> readParameters(ByteView file, const Fragment& fragment,
                            std::span<float> out); ///< Corrupt, like decode

} // namespace commonweight::exchange
