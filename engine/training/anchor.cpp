#include "engine/training/anchor.h"

#include "engine/training/second_moments.h"

#include <algorithm>
#include <cmath>

namespace commonweight::training {

namespace {

std::string fragmentName(std::size_t index)
{
    return "fragment " + std::to_string(index) + " of the shared model";
}

std::size_t count(const TensorSpec& spec)
{
    return static_cast<std::size_t>(spec.elements());
}

} // namespace

Result<AnchorParameters> AnchorParameters::open(const UnitRecipe& recipe, const VersionFiles& files)
{
    AnchorParameters anchor;
    anchor.m_layout = recipe.layout;
    std::size_t offset = 0;
    for (const auto& spec : recipe.layout) {
        anchor.m_places[spec.name] = {anchor.m_places.size(), offset, spec, false};
        offset += count(spec);
    }
    for (std::size_t i = 0; i < recipe.unit.anchor.fragments.size(); ++i)
        CW_CHECK(anchor.addFragment(recipe, files));
    for (const auto& [name, place] : anchor.m_places)
        if (!place.taken)
            return Error{ErrorKind::Corrupt,
                         "no fragment of the shared model holds '" + name + "'"};
    if (const auto& table = recipe.unit.anchor.secondMoments) {
        CW_TRY(anchor.m_table, files.blobs().open(*table, "the table of second moments"));
    }
    return anchor;
}

Result<void> AnchorParameters::addFragment(const UnitRecipe& recipe, const VersionFiles& files)
{
    const auto& anchor = recipe.unit.anchor;
    const auto what = fragmentName(m_files.size());
    CW_TRY(auto file, files.open(anchor, m_files.size(), recipe.unit.run, what));
    const auto parsed = Safetensors::parse(file.bytes());
    if (!parsed.ok())
        return parsed.error().withContext(what);
    exchange::Fragment fragment;
    fragment.index = anchor.fragments[m_files.size()].index;
    for (const auto& tensor : parsed->tensors()) {
        const auto place = m_places.find(tensor.spec.name);
        if (place == m_places.end() || place->second.spec.shape != tensor.spec.shape)
            return Error{ErrorKind::Corrupt,
                         what + ": the model has no tensor '" + tensor.spec.name + "' like that"};
        if (std::exchange(place->second.taken, true))
            return Error{ErrorKind::Corrupt,
                         what + ": '" + tensor.spec.name + "' is in another fragment, too"};
        fragment.tensors.push_back(tensor.spec);
    }
    std::sort(fragment.tensors.begin(), fragment.tensors.end(),
              [this](const TensorSpec& a, const TensorSpec& b) {
                  return m_places.at(a.name).order < m_places.at(b.name).order;
              });
    m_fragments.push_back(std::move(fragment));
    m_files.push_back(std::move(file));
    return {};
}

Result<std::vector<float>> AnchorParameters::valuesOf(std::size_t fragment) const
{
    std::vector<float> values(static_cast<std::size_t>(m_fragments[fragment].elements()));
    const auto read =
        exchange::readParameters(m_files[fragment].bytes(), m_fragments[fragment], values);
    if (!read.ok())
        return read.error().withContext(fragmentName(fragment));
    return values;
}

Result<void> AnchorParameters::readParameters(std::span<float> flat) const
{
    for (std::size_t i = 0; i < m_fragments.size(); ++i) {
        CW_TRY(const auto values, valuesOf(i));
        auto next = values.begin();
        for (const auto& spec : m_fragments[i].tensors) {
            const auto end = next + spec.elements();
            std::copy(next, end,
                      flat.begin() + static_cast<std::ptrdiff_t>(m_places.at(spec.name).offset));
            next = end;
        }
    }
    return {};
}

Result<void> AnchorParameters::readSecondMoments(std::span<float> flat) const
{
    if (m_table)
        return expandSecondMoments(m_layout, m_table->bytes(), flat);
    std::fill(flat.begin(), flat.end(), 0.0F);
    return {};
}

std::vector<float> AnchorParameters::gathered(std::size_t fragment,
                                              std::span<const float> flat) const
{
    std::vector<float> values;
    for (const auto& spec : m_fragments[fragment].tensors) {
        const auto part = flat.subspan(m_places.at(spec.name).offset, count(spec));
        values.insert(values.end(), part.begin(), part.end());
    }
    return values;
}

Result<std::vector<float>> AnchorParameters::outerGradient(std::size_t fragment,
                                                           std::span<const float> base,
                                                           std::span<const float> flat) const
{
    CW_TRY(auto delta, base.empty() ? valuesOf(fragment)
                                    : Result<std::vector<float>>(gathered(fragment, base)));
    auto next = delta.begin();
    for (const auto& spec : m_fragments[fragment].tensors) {
        for (const float theta : flat.subspan(m_places.at(spec.name).offset, count(spec))) {
            *next -= theta;
            if (!std::isfinite(*next++))
                return Error{ErrorKind::Device, "the training diverged: '" + spec.name +
                                                    "' holds a value that is not a finite number"};
        }
    }
    return delta;
}

void AnchorParameters::subtract(std::size_t fragment, std::span<const float> delta,
                                std::span<float> flat) const
{
    auto next = delta.begin();
    for (const auto& spec : m_fragments[fragment].tensors)
        for (float& theta : flat.subspan(m_places.at(spec.name).offset, count(spec)))
            theta -= *next++;
}

} // namespace commonweight::training
