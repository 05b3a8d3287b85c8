#include "engine/exchange/merge.h"

#include "engine/exchange/float_array.h"
#include "engine/exchange/merge_kernels.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace commonweight::exchange {

namespace {

constexpr double kLeastAgreement = 0.25; ///< below it, directions count as cancelled
constexpr double kNoDirection = 1e-30;   ///< shorter vectors have none: φ(0) = 0
constexpr double kImplausibleNorm = 1e18;
constexpr std::size_t kFewestToClip = 5;
/// A merge opposes the momentum when cos(v, b) is below it. Noise that the last step put in and the
/// next merge takes out makes cosines around −0.1 the rule in healthy runs (docs/decisions/0006).
constexpr double kOpposed = -0.5;
constexpr std::uint32_t kOpposedToRestart = 3;

struct Contributor {
    std::size_t index = 0;
    double weight = 0;
};

/// One tensor of the fragment on its way through the merge.
struct MergedTensor {
    TensorKind kind = TensorKind::Matrix;
    std::size_t first = 0;
    std::size_t count = 0;
    bool radial = false;               ///< merged by radial–directional averaging
    bool again = false;                ///< its sum must be made anew, as the mean of clipped values
    std::optional<std::size_t> keptAt; ///< place in each contributor's kept values
    std::vector<double> norms;         ///< of each contributor
    double limit = 0;                  ///< norms are clipped to it
    double scale = 1;                  ///< merged gradient = scale · sum
    double agreement = 0;

    double clipped(std::size_t i) const { return std::min(norms[i], limit); }
};

double medianOf(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

/// Memory: the sums, one contribution, and at most as much again for small tensors that are kept.
class FragmentMerge {
public:
    FragmentMerge(const Fragment& fragment, std::vector<Contributor> contributors,
                  const OuterSettings& settings, FloatArray sums, FloatArray values)
        : m_contributors(std::move(contributors)), m_settings(settings),
          m_clips(settings.clipToMedian && m_contributors.size() >= kFewestToClip),
          m_sums(std::move(sums)), m_values(std::move(values))
    {
        std::size_t first = 0;
        for (const TensorSpec& spec : fragment.tensors) {
            MergedTensor tensor;
            tensor.kind = kindOf(spec);
            tensor.first = first;
            tensor.count = static_cast<std::size_t>(spec.elements());
            tensor.radial = settings.rule == "decoupled" && tensor.kind == TensorKind::Matrix;
            first += tensor.count;
            m_tensors.push_back(std::move(tensor));
        }
        keepSmallTensors();
    }

    Result<void> run(const ContributionSource& source)
    {
        for (std::size_t i = 0; i < m_contributors.size(); ++i) {
            CW_CHECK(source(m_contributors[i].index, m_values.span()));
            CW_CHECK(sum(i));
        }
        for (MergedTensor& tensor : m_tensors)
            judge(tensor);
        sumKeptAgain();
        const bool second = std::any_of(m_tensors.begin(), m_tensors.end(), [](const auto& tensor) {
            return tensor.again && !tensor.keptAt;
        });
        for (std::size_t i = 0; second && i < m_contributors.size(); ++i) {
            CW_CHECK(source(m_contributors[i].index, m_values.span()));
            sumAgain(i);
        }
        return {};
    }

    MergeReport apply(FragmentState& state)
    {
        const MergeReport report = reportOn(state);
        if (report.momentumRestarted)
            std::fill(state.momentum.begin(), state.momentum.end(), 0.0f);
        for (const MergedTensor& tensor : m_tensors)
            nesterov(state.parameters.data() + tensor.first, state.momentum.data() + tensor.first,
                     m_sums.data() + tensor.first,
                     {static_cast<float>(tensor.scale), static_cast<float>(m_settings.learningRate),
                      static_cast<float>(m_settings.momentum)},
                     tensor.count);
        return report;
    }

private:
    /// Norms and biases are clipped, so they are summed when all norms are known. They are too few
    /// to read everything twice.
    void keepSmallTensors()
    {
        std::size_t size = 0;
        for (const MergedTensor& tensor : m_tensors)
            size += tensor.kind == TensorKind::Vector ? tensor.count : 0;
        if (!m_clips || size * m_contributors.size() > m_sums.span().size())
            return;
        m_keptSize = size;
        m_kept.resize(size * m_contributors.size());
        size = 0;
        for (MergedTensor& tensor : m_tensors) {
            if (tensor.kind != TensorKind::Vector)
                continue;
            tensor.keptAt = size;
            size += tensor.count;
        }
    }

    /// Adds contributor i, whose values are loaded: as directions where these are averaged.
    Result<void> sum(std::size_t i)
    {
        const double weight = m_contributors[i].weight;
        for (MergedTensor& tensor : m_tensors) {
            const float* values = m_values.data() + tensor.first;
            const double norm = std::sqrt(squaredNorm(values, tensor.count));
            if (!(norm < kImplausibleNorm))
                return Error{ErrorKind::Corrupt,
                             "contribution " + std::to_string(m_contributors[i].index) +
                                 " holds values that are not finite or implausibly large"};
            tensor.norms.push_back(norm);
            const double direction = norm < kNoDirection ? 0 : weight / norm;
            accumulate(m_sums.data() + tensor.first, values,
                       static_cast<float>(tensor.radial ? direction : weight), tensor.count);
            if (tensor.keptAt)
                std::copy_n(values, tensor.count, m_kept.data() + i * m_keptSize + *tensor.keptAt);
        }
        return {};
    }

    /// All norms are known: clips, and sees whether the directions cancel.
    void judge(MergedTensor& tensor)
    {
        tensor.limit = m_clips ? medianOf(tensor.norms) : kImplausibleNorm;
        double length = 0; // Σ w ‖v‖
        bool exceeds = false;
        for (std::size_t i = 0; i < m_contributors.size(); ++i) {
            length += m_contributors[i].weight * tensor.clipped(i);
            exceeds = exceeds || tensor.norms[i] > tensor.limit;
        }
        tensor.again = exceeds;
        if (tensor.radial) {
            tensor.agreement = std::sqrt(squaredNorm(m_sums.data() + tensor.first, tensor.count));
            tensor.radial = tensor.agreement >= kLeastAgreement;
            tensor.again = !tensor.radial;
            tensor.scale = tensor.radial ? length / tensor.agreement : 1;
        }
        if (tensor.again)
            std::fill_n(m_sums.data() + tensor.first, tensor.count, 0.0f);
        m_lengths.push_back(length);
    }

    void addClipped(const MergedTensor& tensor, std::size_t i, const float* values)
    {
        const double norm = tensor.norms[i];
        const double factor = norm > tensor.limit ? tensor.limit / norm : 1;
        accumulate(m_sums.data() + tensor.first, values,
                   static_cast<float>(m_contributors[i].weight * factor), tensor.count);
    }

    void sumKeptAgain()
    {
        for (std::size_t i = 0; i < m_contributors.size(); ++i)
            for (const MergedTensor& tensor : m_tensors)
                if (tensor.again && tensor.keptAt)
                    addClipped(tensor, i, m_kept.data() + i * m_keptSize + *tensor.keptAt);
    }

    void sumAgain(std::size_t i)
    {
        for (const MergedTensor& tensor : m_tensors)
            if (tensor.again && !tensor.keptAt)
                addClipped(tensor, i, m_values.data() + tensor.first);
    }

    MergeReport reportOn(FragmentState& state)
    {
        MergeReport report;
        double squares = 0, dot = 0;
        for (std::size_t t = 0; t < m_tensors.size(); ++t) {
            MergedTensor& tensor = m_tensors[t];
            const Products products = productsOf(
                m_sums.data() + tensor.first, state.momentum.data() + tensor.first, tensor.count);
            squares += tensor.scale * tensor.scale * products.squares;
            dot += tensor.scale * products.dot;
            const bool isMean = tensor.kind != TensorKind::Matrix || m_settings.rule == "mean";
            if (isMean && m_lengths[t] > 0)
                tensor.agreement = std::sqrt(products.squares) / m_lengths[t];
        }
        report.mergedNorm = std::sqrt(squares);
        report.agreement = meanAgreement();
        const double momentum =
            std::sqrt(squaredNorm(state.momentum.data(), state.momentum.size()));
        const bool opposes = dot < kOpposed * report.mergedNorm * momentum;
        state.opposed = opposes ? state.opposed + 1 : 0;
        report.momentumRestarted = state.opposed >= kOpposedToRestart;
        if (report.momentumRestarted)
            state.opposed = 0;
        return report;
    }

    double meanAgreement() const
    {
        const bool hasMatrix =
            std::any_of(m_tensors.begin(), m_tensors.end(),
                        [](const auto& tensor) { return tensor.kind == TensorKind::Matrix; });
        double sum = 0;
        std::size_t count = 0;
        for (const MergedTensor& tensor : m_tensors) {
            if (hasMatrix && tensor.kind != TensorKind::Matrix)
                continue;
            sum += tensor.agreement;
            ++count;
        }
        return count == 0 ? 0 : sum / static_cast<double>(count);
    }

    std::vector<Contributor> m_contributors;
    const OuterSettings& m_settings;
    bool m_clips;
    std::vector<MergedTensor> m_tensors;
    std::vector<double> m_lengths; ///< of each tensor: Σ w ‖v‖, clipped
    FloatArray m_sums;
    FloatArray m_values; ///< of the contribution at hand
    std::vector<float> m_kept;
    std::size_t m_keptSize = 0; ///< of one contributor
};

Result<std::vector<Contributor>> contributorsOf(const std::vector<double>& weights)
{
    std::vector<Contributor> contributors;
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (!(weights[i] >= 0) || !std::isfinite(weights[i]))
            return Error{ErrorKind::Protocol, "a weight of a merge is negative or not finite"};
        if (weights[i] > 0)
            contributors.push_back({i, weights[i]});
        sum += weights[i];
    }
    if (contributors.empty() || !std::isfinite(sum))
        return Error{ErrorKind::Protocol, "there is nothing to merge: no contribution has weight"};
    for (Contributor& contributor : contributors)
        contributor.weight /= sum;
    return contributors;
}

} // namespace

TensorNorms tensorNorms(const Fragment& fragment, std::span<const float> values)
{
    assert(values.size() == static_cast<std::size_t>(fragment.elements()));
    TensorNorms result;
    std::size_t first = 0;
    double squares = 0;
    for (const TensorSpec& spec : fragment.tensors) {
        const auto count = static_cast<std::size_t>(spec.elements());
        const double own = squaredNorm(values.data() + first, count);
        result.norms.push_back(std::sqrt(own));
        squares += own;
        first += count;
    }
    result.total = std::sqrt(squares);
    return result;
}

Result<MergeReport> mergeFragment(const Fragment& fragment, FragmentState& state,
                                  const std::vector<double>& weights,
                                  const ContributionSource& source, const OuterSettings& settings)
{
    if (settings.rule != "decoupled" && settings.rule != "mean")
        return Error{ErrorKind::Protocol, "unknown rule of merging '" + settings.rule +
                                              "'; this version knows decoupled, mean"};
    const auto elements = static_cast<std::size_t>(fragment.elements());
    if (state.parameters.size() != elements || state.momentum.size() != elements)
        return Error{ErrorKind::Corrupt, "the state of fragment " + std::to_string(fragment.index) +
                                             " has not the fragment's size"};
    CW_TRY(auto contributors, contributorsOf(weights));
    auto sums = FloatArray::make(elements);
    auto values = FloatArray::make(elements);
    if (!sums || !values)
        return Error{ErrorKind::OutOfMemory,
                     "merging fragment " + std::to_string(fragment.index) + " needs " +
                         std::to_string(2 * elements * sizeof(float) >> 20) + " MiB of memory"};
    FragmentMerge merge(fragment, std::move(contributors), settings, std::move(*sums),
                        std::move(*values));
    CW_CHECK(merge.run(source));
    return merge.apply(state);
}

} // namespace commonweight::exchange
