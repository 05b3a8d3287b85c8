#pragma once
// The parameters that a unit starts from, as verified files, and the outer gradient against them.
// The files stay mapped for the whole unit, because Δ = θ_anchor − θ is taken at its end and the
// cache may be emptied meanwhile. Owned by the runner, one thread.

#include "engine/training/unit_recipe.h"
#include "engine/training/version_files.h"

#include <optional>

namespace commonweight::training {

class AnchorParameters {
public:
    /// NotFound, Corrupt (see VersionFiles), and Corrupt when the fragments are not exactly the
    /// model's tensors or hold values that are not finite. How the model was split is read from the
    /// files.
    static Result<AnchorParameters> open(const UnitRecipe& recipe, const VersionFiles& files);

    const std::vector<exchange::Fragment>& fragments() const { return m_fragments; }

    /// θ_anchor, all elements in layout order.
    Result<void> readParameters(std::span<float> flat) const;
    /// v at the first step: the anchor's table expanded, or zeros where the anchor has none.
    Result<void> readSecondMoments(std::span<float> flat) const;

    /// Δ of one fragment, in the fragment's order, for the parameters θ (all elements in layout
    /// order): base − θ, where an empty base stands for θ_anchor. Device when it holds a value that
    /// is not finite.
    Result<std::vector<float>> outerGradient(std::size_t fragment, std::span<const float> base,
                                             std::span<const float> flat) const;

    /// flat ← flat − delta, for the elements of one fragment; `delta` in the fragment's order.
    void subtract(std::size_t fragment, std::span<const float> delta, std::span<float> flat) const;

private:
    AnchorParameters() = default;
    Result<void> addFragment(const UnitRecipe& recipe, const VersionFiles& files);
    Result<std::vector<float>> valuesOf(std::size_t fragment) const;
    std::vector<float> gathered(std::size_t fragment, std::span<const float> flat) const;

    struct Place {
        std::size_t order = 0;  ///< in the layout
        std::size_t offset = 0; ///< in the flat parameters
        TensorSpec spec;
        bool taken = false;
    };

    std::vector<TensorSpec> m_layout;
    std::map<std::string, Place> m_places; ///< by tensor name
    std::vector<exchange::Fragment> m_fragments;
    std::vector<MappedFile> m_files; ///< of each fragment
    std::optional<MappedFile> m_table;
};

} // namespace commonweight::training
