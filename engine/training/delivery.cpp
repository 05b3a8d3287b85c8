#include "engine/training/delivery.h"

#include "engine/base/atomic_file.h"
#include "engine/base/http_signature.h"
#include "engine/base/log.h"
#include "engine/exchange/feedback.h"
#include "engine/training/second_moments.h"

#include <system_error>

namespace commonweight::training {

namespace {

constexpr std::uint64_t kMostResultBytes = 1u << 20;
constexpr std::uint64_t kMostNonceBytes = 64;
constexpr std::size_t kIdDigits = 32;
constexpr const char* kResidual = "residual";

std::filesystem::path outFolder(const std::filesystem::path& slot)
{
    return slot / "out";
}

Result<work::BlobRef> writeBlob(const std::filesystem::path& slot, ByteView content)
{
    const work::BlobRef ref{sha256(content), content.size()};
    CW_CHECK(writeFileAtomically(outFolder(slot) / ref.sha256.hex(), content));
    return ref;
}

/// The codec's random numbers: those of different fragments must differ, and seeds are below 2^53.
std::uint64_t codecSeed(const work::WorkUnit& unit, std::uint32_t fragment)
{
    return unit.seed ^ (std::uint64_t{fragment} << 53);
}

std::uint64_t baseVersionOf(const UnitRecipe& recipe, const TrainingState& state)
{
    const auto& shifts = state.progress.shifts;
    return shifts.empty() ? recipe.unit.anchor.version : shifts.back().version;
}

/// What earlier units of the run left to send; nought where the codec leaves nothing or it was
/// lost.
struct Residual {
    RunState store;
    std::vector<float> values; ///< fragment after fragment; empty when the codec wants none
    std::uint64_t versions = 1;
};

Residual residualFor(const UnitRecipe& recipe, const TrainingState& state,
                     const StartFolders& folders)
{
    Residual residual{RunState(folders.state, "residual", recipe.unit.run), {}, 1};
    if (!exchange::wantsResidual(recipe.codec))
        return residual;
    const auto size = static_cast<std::size_t>(recipe.parameters);
    auto kept = residual.store.load(recipe.unit.id, {{kResidual, size}});
    if (!kept) {
        residual.values.resize(size);
        return residual;
    }
    residual.values = std::move(kept->tensors[kResidual]);
    const auto version = baseVersionOf(recipe, state);
    residual.versions = version > kept->baseVersion ? version - kept->baseVersion : 1;
    return residual;
}

class Writer {
public:
    Writer(const UnitRecipe& recipe, const AnchorParameters& anchor, const TrainingState& state,
           const StartFolders& folders)
        : m_recipe(recipe), m_anchor(anchor), m_state(state), m_folders(folders),
          m_residual(residualFor(recipe, state, folders))
    {}

    Result<std::vector<work::FragmentRef>> writeOuterGradients()
    {
        std::vector<work::FragmentRef> written;
        std::span<float> residual(m_residual.values);
        for (std::size_t i = 0; i < m_anchor.fragments().size(); ++i) {
            const auto size = static_cast<std::size_t>(m_anchor.fragments()[i].elements());
            CW_TRY(const auto file, encode(i, residual.first(residual.empty() ? 0 : size)));
            residual = residual.subspan(residual.empty() ? 0 : size);
            CW_TRY(const auto blob, writeBlob(m_folders.slot, file));
            written.push_back({m_anchor.fragments()[i].index, blob});
        }
        return written;
    }

    /// What cannot be kept is lost, and the next unit begins at nought.
    void keep() const
    {
        Result<void> kept = keepMoments(m_recipe, m_folders.state, m_state);
        if (kept.ok() && !m_residual.values.empty())
            kept = m_residual.store.save({m_recipe.unit.id,
                                          baseVersionOf(m_recipe, m_state),
                                          0,
                                          {{kResidual, m_residual.values}}});
        if (!kept.ok())
            spdlog::warn("what the next unit would go on with could not be kept: {}",
                         kept.error().message);
    }

private:
    Result<Bytes> encode(std::size_t index, std::span<float> residual) const
    {
        const auto& fragment = m_anchor.fragments()[index];
        CW_TRY(const auto delta, m_anchor.outerGradient(index, m_state.base, m_state.parameters));
        exchange::OuterGradientInfo info;
        info.codec = m_recipe.codec;
        info.run = m_recipe.unit.run;
        info.unit = m_recipe.unit.id;
        info.fragment = fragment.index;
        info.baseVersion = baseVersionOf(m_recipe, m_state);
        info.tokens = m_state.progress.tokens;
        info.steps = m_state.progress.step;
        const auto seed = codecSeed(m_recipe.unit, fragment.index);
        if (residual.empty())
            return exchange::encodeOuterGradient(fragment, delta, info, seed);
        return exchange::encodeWithResidual(fragment, delta, residual, m_residual.versions, info,
                                            seed);
    }

    const UnitRecipe& m_recipe;
    const AnchorParameters& m_anchor;
    const TrainingState& m_state;
    const StartFolders& m_folders;
    Residual m_residual;
};

Result<work::UnitResult> readResult(const std::filesystem::path& slot)
{
    CW_TRY(const auto text, readTextFile(resultPath(slot), kMostResultBytes));
    CW_TRY(const auto json, parseJson(text));
    return work::unitResultFromJson(json);
}

bool isWhole(const work::UnitResult& result, const std::filesystem::path& slot)
{
    const BlobFolder out(outFolder(slot));
    for (const auto& fragment : result.outerGradients)
        if (!out.open(fragment.blob, "an outer gradient").ok())
            return false;
    return !result.secondMoments || out.open(*result.secondMoments, "second moments").ok();
}

bool fits(const work::UnitResult& result, const UnitRecipe& recipe)
{
    return result.unit == recipe.unit.id && result.run == recipe.unit.run &&
           result.baseVersion == recipe.unit.anchor.version &&
           result.outerGradients.size() == recipe.unit.anchor.fragments.size() &&
           result.secondMoments.has_value() == recipe.unit.reportSecondMoments;
}

} // namespace

std::filesystem::path resultPath(const std::filesystem::path& slot)
{
    return slot / "result.json";
}

std::optional<work::UnitResult> existingResult(const UnitRecipe& recipe,
                                               const std::filesystem::path& slot)
{
    auto result = readResult(slot);
    if (result.ok() && fits(*result, recipe) && isWhole(*result, slot))
        return std::move(result).value();
    if (result.ok() || result.error().kind != ErrorKind::NotFound)
        spdlog::warn("{} is not a whole result of this unit and is made anew",
                     resultPath(slot).string());
    // The result first: nobody may see it without its blobs.
    std::error_code ignored;
    std::filesystem::remove(resultPath(slot), ignored);
    std::filesystem::remove_all(outFolder(slot), ignored);
    return std::nullopt;
}

Result<std::string> slotNonce(const std::filesystem::path& slot)
{
    const auto path = slot / "nonce";
    auto nonce = readTextFile(path, kMostNonceBytes);
    if (nonce.ok() && nonce->size() == kIdDigits)
        return nonce;
    const auto fresh = freshNonce();
    CW_CHECK(writeFileAtomically(path, asBytes(fresh)));
    return fresh;
}

Result<work::UnitResult> deliver(const UnitRecipe& recipe, const AnchorParameters& anchor,
                                 const TrainingState& state, const Maker& maker,
                                 const StartFolders& folders)
{
    const auto& slot = folders.slot;
    CW_TRY(const auto nonce, slotNonce(slot));
    CW_CHECK(makeFolder(outFolder(slot)));
    work::UnitResult result;
    result.id = sha256(asBytes(recipe.unit.id + "\n" + nonce)).hex().substr(0, kIdDigits);
    result.unit = recipe.unit.id;
    result.run = recipe.unit.run;
    result.baseVersion = recipe.unit.anchor.version;
    result.stepsDone = state.progress.step;
    result.tokens = state.progress.tokens;
    result.lossTrace = state.progress.trace.means();
    result.device = maker.device;
    result.backend = maker.backend;
    result.seconds = state.progress.seconds;
    result.shifts = state.progress.shifts;
    result.continues = state.progress.continues;
    Writer writer(recipe, anchor, state, folders);
    CW_TRY(result.outerGradients, writer.writeOuterGradients());
    if (recipe.unit.reportSecondMoments) {
        CW_TRY(result.secondMoments,
               writeBlob(slot, factorSecondMoments(recipe.layout, state.second)));
    }
    writer.keep();
    const auto text = canonicalJson(work::toJson(result)) + "\n";
    CW_CHECK(writeFileAtomically(resultPath(slot), asBytes(text)));
    return result;
}

} // namespace commonweight::training
