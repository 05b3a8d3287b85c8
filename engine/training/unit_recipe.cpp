#include "engine/training/unit_recipe.h"

#include "engine/base/atomic_file.h"
#include "engine/work/limits.h"

namespace commonweight::training {

Result<UnitRecipe> recipeOf(work::WorkUnit unit)
{
    using work::UnitKind;
    if (unit.kind != UnitKind::Train && unit.kind != UnitKind::Replay)
        return Error{ErrorKind::Protocol, std::string("this version does not run units of kind '") +
                                              work::toString(unit.kind) + "'"};
    UnitRecipe recipe;
    CW_TRY(recipe.codec, exchange::codecByName(unit.codec));
    CW_TRY(recipe.model, model::modelConfigFromJson(unit.model));
    if (unit.sequenceLength > recipe.model.maxPositions)
        return Error{ErrorKind::Protocol, "the unit's sequences have " +
                                              std::to_string(unit.sequenceLength) +
                                              " tokens, the model's context only " +
                                              std::to_string(recipe.model.maxPositions)};
    recipe.layout = model::parameterLayout(recipe.model);
    recipe.parameters = recipe.model.parameters();
    recipe.batch = {unit.microBatch, unit.sequenceLength};
    recipe.hash = sha256(asBytes(canonicalJson(work::toJson(unit))));
    recipe.unit = std::move(unit);
    return recipe;
}

Result<UnitRecipe> readUnit(const std::filesystem::path& slot)
{
    const auto path = slot / "unit.json";
    CW_TRY(const auto text, readTextFile(path, work::limits::kUnitJson.bytes));
    auto json = parseJson(text, work::limits::kUnitJson);
    if (!json.ok())
        return json.error().withContext(path.string());
    auto unit = work::workUnitFromJson(*json);
    if (!unit.ok())
        return unit.error().withContext(path.string());
    return recipeOf(std::move(unit).value());
}

} // namespace commonweight::training
