#include "server/verify/held_out.h"

#include "engine/model/sampler.h"
#include "engine/work/shard.h"

#include <algorithm>
#include <limits>

namespace commonweight::server {

static constexpr std::int64_t kSequences = 8;

Result<std::vector<std::int32_t>> readHeldOut(BlobStore& blobs, const RunDefinition& run)
{
    std::vector<std::int32_t> tokens;
    for (const auto& record : run.heldOut) {
        CW_TRY(const auto file, blobs.get(record.blob.sha256, record.blob.bytes));
        CW_TRY(const auto shard, work::Shard::parse(file));
        const auto before = tokens.size();
        tokens.resize(before + shard.tokens());
        CW_CHECK(shard.read(0, std::span(tokens).subspan(before)));
    }
    return tokens;
}

Result<double> lossOfParameters(const RunDefinition& run, std::span<const float> parameters,
                                const std::vector<std::int32_t>& tokens,
                                const gpu::Registry& devices, const EvaluationOptions& options)
{
    CW_TRY(const auto model, model::modelConfigFromJson(run.config.model));
    CW_TRY(const auto device, devices.open(options.device, {.threads = options.threads}));
    const model::BatchShape shape{.sequences = kSequences, .length = run.config.sequenceLength};
    CW_TRY(const auto transformer,
           model::Transformer::create(*device, model, shape, model::Purpose::Evaluate));
    CW_CHECK(transformer->setParameters(parameters));
    const auto atMost = options.tokensAtMost == 0 ? std::numeric_limits<std::uint64_t>::max()
                                                  : options.tokensAtMost;
    CW_TRY(const double nats, model::heldOutLoss(*transformer, shape, tokens,
                                                 std::min<std::uint64_t>(atMost, tokens.size())));
    return nats / run.config.bytesPerToken;
}

Result<double> heldOutLossOf(BlobStore& blobs, const RunDefinition& run,
                             const VersionRecord& version, const gpu::Registry& devices,
                             const EvaluationOptions& options)
{
    CW_TRY(const auto model, model::modelConfigFromJson(run.config.model));
    CW_TRY(const auto tokens, readHeldOut(blobs, run));
    CW_TRY(const auto parameters, readParameters(blobs, run, version, model));
    return lossOfParameters(run, parameters, tokens, devices, options);
}

} // namespace commonweight::server
