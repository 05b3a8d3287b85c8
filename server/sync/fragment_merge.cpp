#include "server/sync/fragment_merge.h"

#include "engine/exchange/version_chain.h"

#include <algorithm>

namespace commonweight::server {

namespace {

constexpr std::uint64_t kHeaderBytes = 1u << 20;
constexpr std::uint64_t kHeaderBytesPerTensor = 1024;

std::size_t sizeOf(const exchange::Fragment& fragment)
{
    return static_cast<std::size_t>(fragment.elements());
}

} // namespace

std::uint64_t parameterBytesAtMost(const exchange::Fragment& fragment)
{
    return sizeOf(fragment) * sizeof(float) + fragment.tensors.size() * kHeaderBytesPerTensor +
           kHeaderBytes;
}

Result<std::vector<float>> readFragmentValues(BlobStore& blobs, const exchange::Fragment& fragment,
                                              const work::BlobRef& ref)
{
    CW_TRY(const auto file, blobs.get(ref.sha256, parameterBytesAtMost(fragment)));
    std::vector<float> values(sizeOf(fragment));
    CW_CHECK(exchange::readParameters(file, fragment, values));
    return values;
}

Result<ServerFragment> readServerFragment(BlobStore& blobs, const exchange::Fragment& fragment,
                                          const FragmentVersion& version)
{
    ServerFragment server;
    CW_TRY(server.published, readFragmentValues(blobs, fragment, version.parameters));
    if (version.exact) {
        CW_TRY(server.state.parameters, readFragmentValues(blobs, fragment, *version.exact));
    } else {
        server.state.parameters = server.published;
    }
    server.state.momentum.resize(sizeOf(fragment));
    if (version.momentum) {
        CW_TRY(server.state.momentum, readFragmentValues(blobs, fragment, *version.momentum));
    }
    server.state.opposed = version.opposed;
    return server;
}

bool isStored(BlobStore& blobs, const VersionRecord& version)
{
    const auto there = [&](const std::optional<work::BlobRef>& ref) {
        return !ref || blobs.size(ref->sha256).ok();
    };
    return std::all_of(version.fragments.begin(), version.fragments.end(), [&](const auto& each) {
        return there(each.parameters) && there(each.exact) && there(each.momentum);
    });
}

Result<Bytes> publishStep(const work::RunConfig& config, const exchange::Fragment& fragment,
                          std::uint64_t version, ServerFragment& server)
{
    if (config.downlink.codec == "none") {
        server.published = server.state.parameters;
        return Bytes();
    }
    CW_TRY(const auto codec, exchange::codecByName(config.downlink.codec));
    CW_TRY(auto step, exchange::chainStep(fragment, server.state.parameters, server.published,
                                          {codec, config.id, version}, config.seed));
    server.published = std::move(step.published);
    return std::move(step.delta);
}

static Result<void> decodeInput(BlobStore& blobs, const exchange::Fragment& fragment,
                                const MergeInput& input, std::span<float> out)
{
    CW_TRY(const auto file, blobs.get(input.outerGradient.sha256, input.outerGradient.bytes));
    return exchange::decodeOuterGradient(file, fragment, out);
}

Result<exchange::MergeReport> mergeInputs(BlobStore& blobs, const exchange::Fragment& fragment,
                                          const std::vector<MergeInput>& inputs,
                                          const exchange::OuterSettings& settings,
                                          exchange::FragmentState& state)
{
    std::vector<double> weights;
    for (const auto& input : inputs)
        weights.push_back(input.weight);
    const auto source = [&](std::size_t i, std::span<float> out) -> Result<void> {
        const auto decoded = decodeInput(blobs, fragment, inputs[i], out);
        return decoded.ok() ? Result<void>()
                            : decoded.error().withContext("result " + inputs[i].result);
    };
    return exchange::mergeFragment(fragment, state, weights, source, settings);
}

Result<void> checkInput(BlobStore& blobs, const exchange::Fragment& fragment,
                        const MergeInput& input)
{
    std::vector<float> values(sizeOf(fragment));
    return decodeInput(blobs, fragment, input, values);
}

Result<work::BlobRef> putBlob(BlobStore& blobs, ByteView bytes)
{
    CW_TRY(const auto sha256, blobs.put(bytes));
    return work::BlobRef{sha256, bytes.size()};
}

Result<FragmentVersion> storeFragment(BlobStore& blobs, const exchange::Fragment& fragment,
                                      const exchange::FragmentState& state, const std::string& run,
                                      std::uint64_t version, bool keepMomentum)
{
    FragmentVersion stored;
    CW_TRY(stored.parameters,
           putBlob(blobs, exchange::writeParameters(fragment, state.parameters, run, version)));
    if (!keepMomentum)
        return stored;
    CW_TRY(stored.momentum,
           putBlob(blobs, exchange::writeParameters(fragment, state.momentum, run, version)));
    stored.opposed = state.opposed;
    return stored;
}

Result<FragmentVersion> storeMerged(BlobStore& blobs, const work::RunConfig& config,
                                    const exchange::Fragment& fragment, std::uint64_t version,
                                    ServerFragment& server)
{
    CW_TRY(const auto delta, publishStep(config, fragment, version, server));
    CW_TRY(auto stored, storeFragment(blobs, fragment, server.state, config.id, version, true));
    if (delta.empty())
        return stored;
    stored.exact = stored.parameters;
    CW_TRY(stored.parameters, putBlob(blobs, exchange::writeParameters(fragment, server.published,
                                                                       config.id, version)));
    CW_TRY(stored.delta, putBlob(blobs, delta));
    return stored;
}

} // namespace commonweight::server
