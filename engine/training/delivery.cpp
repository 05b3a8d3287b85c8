#include "engine/training/delivery.h"

#include "engine/base/atomic_file.h"
#include "engine/base/http_signature.h"
#include "engine/base/log.h"
#include "engine/training/second_moments.h"

#include <system_error>

namespace commonweight::training {

namespace {

constexpr std::uint64_t kMostResultBytes = 1u << 20;
constexpr std::uint64_t kMostNonceBytes = 64;
constexpr std::size_t kIdDigits = 32;

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

Result<work::FragmentRef> writeOuterGradient(const UnitRecipe& recipe,
                                             const AnchorParameters& anchor, std::size_t index,
                                             const TrainingState& state,
                                             const std::filesystem::path& slot)
{
    const auto& fragment = anchor.fragments()[index];
    CW_TRY(const auto delta, anchor.outerGradient(index, state.parameters));
    exchange::OuterGradientInfo info;
    info.codec = recipe.codec;
    info.run = recipe.unit.run;
    info.unit = recipe.unit.id;
    info.fragment = fragment.index;
    info.baseVersion = recipe.unit.anchor.version;
    info.tokens = state.progress.tokens;
    info.steps = state.progress.step;
    CW_TRY(const auto file, exchange::encodeOuterGradient(fragment, delta, info,
                                                          codecSeed(recipe.unit, fragment.index)));
    CW_TRY(const auto blob, writeBlob(slot, file));
    return work::FragmentRef{fragment.index, blob};
}

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
                                 const std::filesystem::path& slot)
{
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
    for (std::size_t i = 0; i < anchor.fragments().size(); ++i) {
        CW_TRY(const auto ref, writeOuterGradient(recipe, anchor, i, state, slot));
        result.outerGradients.push_back(ref);
    }
    if (recipe.unit.reportSecondMoments) {
        CW_TRY(result.secondMoments,
               writeBlob(slot, factorSecondMoments(recipe.layout, state.second)));
    }
    const auto text = canonicalJson(work::toJson(result)) + "\n";
    CW_CHECK(writeFileAtomically(resultPath(slot), asBytes(text)));
    return result;
}

} // namespace commonweight::training
