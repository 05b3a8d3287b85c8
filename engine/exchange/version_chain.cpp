#include "engine/exchange/version_chain.h"

#include "engine/base/random.h"

namespace commonweight::exchange {

namespace {

constexpr const char* kUnit = "chain";
constexpr std::uint64_t kChainStream = 0x636861696e;

/// Different for each version and fragment, the same whenever a step is made again.
std::uint64_t roundingSeed(std::uint64_t runSeed, std::uint64_t version, std::uint32_t fragment)
{
    const auto block = philox(runSeed ^ (std::uint64_t{fragment} << 53), version, kChainStream);
    return std::uint64_t{block[1]} << 32 | block[0];
}

} // namespace

Result<Bytes> encodeDelta(const Fragment& fragment, std::span<const float> difference,
                          const DeltaInfo& info, std::uint64_t seed)
{
    assert(info.version > 0);
    return encodeOuterGradient(fragment, difference,
                               {.codec = info.codec,
                                .run = info.run,
                                .unit = kUnit,
                                .fragment = fragment.index,
                                .baseVersion = info.version - 1,
                                .tokens = 0,
                                .steps = 0},
                               seed);
}

Result<void> applyDelta(ByteView file, const Fragment& fragment, const DeltaInfo& expected,
                        std::span<float> parameters)
{
    assert(parameters.size() == static_cast<std::size_t>(fragment.elements()));
    CW_TRY(const auto info, outerGradientInfo(file));
    if (info.unit != kUnit || info.run != expected.run || info.fragment != fragment.index ||
        info.baseVersion + 1 != expected.version)
        return Error{ErrorKind::Corrupt, "this is not the step to version " +
                                             std::to_string(expected.version) + " of fragment " +
                                             std::to_string(fragment.index)};
    std::vector<float> difference(parameters.size());
    CW_CHECK(decodeOuterGradient(file, fragment, difference));
    for (std::size_t i = 0; i < parameters.size(); ++i)
        parameters[i] += difference[i];
    return {};
}

Result<ChainStep> chainStep(const Fragment& fragment, std::span<const float> exact,
                            std::span<const float> published, const DeltaInfo& info,
                            std::uint64_t runSeed)
{
    assert(exact.size() == published.size());
    std::vector<float> difference(exact.begin(), exact.end());
    for (std::size_t i = 0; i < difference.size(); ++i)
        difference[i] -= published[i];
    ChainStep step;
    CW_TRY(step.delta, encodeDelta(fragment, difference, info,
                                   roundingSeed(runSeed, info.version, fragment.index)));
    step.published.assign(published.begin(), published.end());
    CW_CHECK(applyDelta(step.delta, fragment, info, step.published));
    return step;
}

} // namespace commonweight::exchange
