#include "engine/training/start_point.h"

#include "engine/base/atomic_file.h"
#include "engine/base/log.h"
#include "engine/work/limits.h"

namespace commonweight::training {

namespace {

constexpr const char* kFirst = "first_moments";
constexpr const char* kSecond = "second_moments";

bool carries(const UnitRecipe& recipe)
{
    return recipe.unit.optimizerState == "carried";
}

std::size_t sizeOf(const UnitRecipe& recipe)
{
    return static_cast<std::size_t>(recipe.parameters);
}

/// θ₀ = Θ_anchor − d
Result<void> stepBack(const UnitRecipe& recipe, const AnchorParameters& anchor,
                      const std::vector<work::FragmentRef>& gradients, const BlobFolder& files,
                      std::vector<float>& parameters)
{
    if (gradients.size() != anchor.fragments().size())
        return Error{ErrorKind::Corrupt, "the last result has another number of fragments"};
    for (std::size_t i = 0; i < gradients.size(); ++i) {
        CW_TRY(const auto file,
               files.open(gradients[i].blob, "an outer gradient of the last unit"));
        CW_TRY(const auto info, exchange::outerGradientInfo(file.bytes()));
        if (info.run != recipe.unit.run || info.baseVersion != recipe.unit.anchor.version)
            return Error{ErrorKind::Corrupt, "the last result is not of this unit's anchor"};
        const auto& fragment = anchor.fragments()[i];
        std::vector<float> delta(static_cast<std::size_t>(fragment.elements()));
        CW_CHECK(exchange::decodeOuterGradient(file.bytes(), fragment, delta));
        anchor.subtract(i, delta, parameters);
    }
    return {};
}

/// Nothing of `state` changes when it cannot be used.
Result<void> continueFrom(const UnitRecipe& recipe, const AnchorParameters& anchor,
                          const std::filesystem::path& slot, TrainingState& state)
{
    if (!recipe.unit.mayShift)
        return {};
    CW_TRY(const auto continuation, continuationIn(slot));
    if (!continuation)
        return {};
    auto parameters = state.parameters;
    CW_CHECK(stepBack(recipe, anchor, continuation->outerGradients, BlobFolder(slot / "continues"),
                      parameters));
    state.base = parameters;
    state.parameters = std::move(parameters);
    state.progress.continues = continuation;
    return {};
}

} // namespace

Result<std::optional<work::Continuation>> continuationIn(const std::filesystem::path& slot)
{
    const auto text = readTextFile(slot / "continues.json", work::limits::kUnitJson.bytes);
    if (!text.ok() && text.error().kind == ErrorKind::NotFound)
        return std::optional<work::Continuation>();
    CW_TRY(const auto content, text);
    CW_TRY(const auto json, parseJson(content, work::limits::kUnitJson));
    CW_TRY(auto continuation, work::continuationFromJson(json));
    return std::optional(std::move(continuation));
}

Result<TrainingState> startPointOf(const UnitRecipe& recipe, const AnchorParameters& anchor,
                                   const StartFolders& folders)
{
    TrainingState state;
    state.parameters.resize(sizeOf(recipe));
    CW_CHECK(anchor.readParameters(state.parameters));
    const auto& script = recipe.unit.script;
    if (script && !script->start.empty()) {
        CW_CHECK(
            stepBack(recipe, anchor, script->start, BlobFolder(folders.blobs), state.parameters));
        state.base = state.parameters;
    } else if (const auto done = continueFrom(recipe, anchor, folders.slot, state); !done.ok()) {
        spdlog::warn("this unit begins at its anchor: {}", done.error().message);
    }
    if (carries(recipe)) {
        auto kept =
            momentsOf(recipe, folders.state)
                .load(recipe.unit.id, {{kFirst, sizeOf(recipe)}, {kSecond, sizeOf(recipe)}});
        if (kept) {
            state.first = std::move(kept->tensors[kFirst]);
            state.second = std::move(kept->tensors[kSecond]);
            state.progress.stepsBefore = kept->steps;
            return state;
        }
    }
    state.first.resize(sizeOf(recipe));
    state.second.resize(sizeOf(recipe));
    CW_CHECK(anchor.readSecondMoments(state.second));
    return state;
}

Result<void> shiftOnto(const UnitRecipe& recipe, const work::Anchor& newer,
                       const VersionFiles& files, TrainingState& state)
{
    UnitRecipe there = recipe;
    there.unit.anchor = newer;
    there.unit.anchor.secondMoments.reset();
    CW_TRY(const auto arrived, AnchorParameters::open(there, files));
    std::vector<float> theta(sizeOf(recipe));
    CW_CHECK(arrived.readParameters(theta));
    if (state.base.empty()) {
        CW_TRY(const auto anchor, AnchorParameters::open(recipe, files));
        state.base.resize(sizeOf(recipe));
        CW_CHECK(anchor.readParameters(state.base));
    }
    for (std::size_t i = 0; i < theta.size(); ++i)
        state.parameters[i] = theta[i] + (state.parameters[i] - state.base[i]);
    state.base = std::move(theta);
    state.progress.shifts.push_back({newer.version, state.progress.step});
    return {};
}

RunState momentsOf(const UnitRecipe& recipe, const std::filesystem::path& folder)
{
    return RunState(folder, "moments", recipe.unit.run);
}

Result<void> keepMoments(const UnitRecipe& recipe, const std::filesystem::path& folder,
                         const TrainingState& state)
{
    if (!carries(recipe))
        return {};
    return momentsOf(recipe, folder)
        .save({recipe.unit.id,
               recipe.unit.anchor.version,
               state.progress.stepsBefore + state.progress.step,
               {{kFirst, state.first}, {kSecond, state.second}}});
}

} // namespace commonweight::training
