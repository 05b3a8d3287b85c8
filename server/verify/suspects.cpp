#include "server/verify/suspects.h"

#include "engine/base/log.h"
#include "engine/exchange/codec.h"

#include <map>
#include <set>

namespace commonweight::server {

namespace {

constexpr std::uint64_t kTokensPerTrial = 8192;

class ModelTrial final : public ResultTrial {
public:
    ModelTrial(Store& store, BlobStore& blobs, RunRecord run, const gpu::Registry& devices,
               EvaluationOptions options)
        : m_store(store), m_blobs(blobs), m_run(std::move(run)), m_devices(devices),
          m_options(std::move(options))
    {
        if (m_options.tokensAtMost == 0 || m_options.tokensAtMost > kTokensPerTrial)
            m_options.tokensAtMost = kTokensPerTrial;
    }

    Result<double> lossOfVersion(std::uint64_t version) override
    {
        CW_CHECK(load(version));
        return measure(m_base);
    }

    Result<double> lossAfter(const ResultRecord& result) override
    {
        CW_CHECK(load(result.baseVersion));
        auto parameters = m_base;
        for (const auto& fragment : m_run.definition->fragments) {
            const auto& blob = result.outerGradients[fragment.index].blob;
            CW_TRY(const auto file, m_blobs.get(blob.sha256, blob.bytes));
            std::vector<float> delta(static_cast<std::size_t>(fragment.elements()));
            CW_CHECK(exchange::decodeOuterGradient(file, fragment, delta));
            CW_TRY(auto values, fragmentOf(fragment, m_layout, parameters));
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] -= delta[i];
            CW_CHECK(putFragment(fragment, m_layout, values, parameters));
        }
        return measure(parameters);
    }

private:
    /// The parameters of a version; those of the last one asked for are kept.
    Result<void> load(std::uint64_t version)
    {
        if (m_tokens.empty()) {
            CW_TRY(m_tokens, readHeldOut(m_blobs, *m_run.definition));
        }
        if (m_version == version)
            return {};
        CW_TRY(const auto model, model::modelConfigFromJson(m_run.config().model));
        CW_TRY(const auto record, m_store.version(m_run.id(), version));
        CW_TRY(m_base, readParameters(m_blobs, *m_run.definition, record, model));
        m_layout = model::parameterLayout(model);
        m_version = version;
        return {};
    }

    Result<double> measure(std::span<const float> parameters) const
    {
        return lossOfParameters(*m_run.definition, parameters, m_tokens, m_devices, m_options);
    }

    Store& m_store;
    BlobStore& m_blobs;
    const RunRecord m_run;
    const gpu::Registry& m_devices;
    EvaluationOptions m_options;
    std::vector<std::int32_t> m_tokens;
    std::vector<TensorSpec> m_layout;
    std::optional<std::uint64_t> m_version;
    std::vector<float> m_base;
};

} // namespace

std::vector<std::string> findSuspects(const std::vector<ResultRecord>& results, double margin,
                                      ResultTrial& trial)
{
    std::map<std::uint64_t, Result<double>> bases;
    std::set<std::string> found;
    for (const auto& result : results) {
        auto base = bases.find(result.baseVersion);
        if (base == bases.end())
            base = bases.emplace(result.baseVersion, trial.lossOfVersion(result.baseVersion)).first;
        const auto loss = trial.lossAfter(result);
        if (!loss.ok() || !base->second.ok())
            spdlog::warn("The contribution {} could not be tried alone: {}", result.id,
                         (loss.ok() ? base->second : loss).error().message);
        else if (!(*loss <= *base->second + margin))
            found.insert(result.host);
    }
    return {found.begin(), found.end()};
}

std::unique_ptr<ResultTrial> makeResultTrial(Store& store, BlobStore& blobs, const RunRecord& run,
                                             const gpu::Registry& devices,
                                             const EvaluationOptions& options)
{
    return std::make_unique<ModelTrial>(store, blobs, run, devices, options);
}

} // namespace commonweight::server
