#include "engine/exchange/averaged_merge.h"

#include "engine/exchange/merge_kernels.h"

#include <algorithm>
#include <cmath>

namespace commonweight::exchange {

namespace {

constexpr double kLeastAgreement = 0.25; ///< below it, directions count as cancelled
constexpr double kNoDirection = 1e-30;   ///< shorter vectors have none: φ(0) = 0
constexpr std::size_t kFewestToClip = 5;
/// A merge opposes the momentum when cos(v, b) is below it. Noise that one step puts in and the
/// next merge takes out makes cosines around −0.1 the rule in healthy runs (docs/decisions/0007).
constexpr double kOpposed = -0.5;
constexpr std::uint32_t kOpposedToRestart = 3;

double medianOf(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

} // namespace

AveragedMerge::AveragedMerge(const Fragment& fragment, std::vector<Contributor> contributors,
                             const OuterSettings& settings, FloatArray sums, FloatArray values)
    : m_contributors(std::move(contributors)), m_settings(settings),
      m_rule(mergeRuleByName(settings.rule).value()),
      m_clips(m_rule.guarded && settings.clipToMedian && m_contributors.size() >= kFewestToClip),
      m_sums(std::move(sums)), m_values(std::move(values))
{
    std::size_t first = 0;
    for (const TensorSpec& spec : fragment.tensors) {
        Tensor tensor;
        tensor.kind = kindOf(spec);
        tensor.first = first;
        tensor.count = static_cast<std::size_t>(spec.elements());
        tensor.radial = m_rule.radial && tensor.kind == TensorKind::Matrix;
        first += tensor.count;
        m_tensors.push_back(std::move(tensor));
    }
    keepSmallTensors();
}

/// Norms and biases are clipped, so they are summed when all norms are known. They are too few to
/// read everything twice.
void AveragedMerge::keepSmallTensors()
{
    std::size_t size = 0;
    for (const Tensor& tensor : m_tensors)
        size += tensor.kind == TensorKind::Vector ? tensor.count : 0;
    if (!m_clips || size * m_contributors.size() > m_sums.span().size())
        return;
    m_keptSize = size;
    m_kept.resize(size * m_contributors.size());
    size = 0;
    for (Tensor& tensor : m_tensors) {
        if (tensor.kind != TensorKind::Vector)
            continue;
        tensor.keptAt = size;
        size += tensor.count;
    }
}

Result<void> AveragedMerge::run(const ContributionSource& source)
{
    for (std::size_t i = 0; i < m_contributors.size(); ++i) {
        CW_CHECK(source(m_contributors[i].index, m_values.span()));
        CW_CHECK(sum(i));
    }
    for (Tensor& tensor : m_tensors)
        judge(tensor);
    sumKeptAgain();
    const bool second = std::any_of(m_tensors.begin(), m_tensors.end(), [](const Tensor& tensor) {
        return tensor.again && !tensor.keptAt;
    });
    for (std::size_t i = 0; second && i < m_contributors.size(); ++i) {
        CW_CHECK(source(m_contributors[i].index, m_values.span()));
        sumAgain(i);
    }
    return {};
}

/// Adds contributor i, whose values are loaded: as directions where these are averaged.
Result<void> AveragedMerge::sum(std::size_t i)
{
    const double weight = m_contributors[i].weight;
    for (Tensor& tensor : m_tensors) {
        const float* values = m_values.data() + tensor.first;
        CW_TRY(const double norm, plausibleNorm(values, tensor.count, m_contributors[i].index));
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
void AveragedMerge::judge(Tensor& tensor)
{
    tensor.limit = m_clips ? medianOf(tensor.norms) : kImplausibleNorm;
    bool exceeds = false;
    for (std::size_t i = 0; i < m_contributors.size(); ++i) {
        tensor.length += m_contributors[i].weight * tensor.clipped(i);
        exceeds = exceeds || tensor.norms[i] > tensor.limit;
    }
    tensor.again = exceeds;
    if (tensor.radial) {
        tensor.agreement = std::sqrt(squaredNorm(m_sums.data() + tensor.first, tensor.count));
        tensor.radial = tensor.agreement >= kLeastAgreement;
        tensor.again = !tensor.radial;
        tensor.scale = tensor.radial ? tensor.length / tensor.agreement : 1;
    }
    if (tensor.again)
        std::fill_n(m_sums.data() + tensor.first, tensor.count, 0.0f);
}

void AveragedMerge::addClipped(const Tensor& tensor, std::size_t i, const float* values)
{
    const double norm = tensor.norms[i];
    const double factor = norm > tensor.limit ? tensor.limit / norm : 1;
    accumulate(m_sums.data() + tensor.first, values,
               static_cast<float>(m_contributors[i].weight * factor), tensor.count);
}

void AveragedMerge::sumKeptAgain()
{
    for (std::size_t i = 0; i < m_contributors.size(); ++i)
        for (const Tensor& tensor : m_tensors)
            if (tensor.again && tensor.keptAt)
                addClipped(tensor, i, m_kept.data() + i * m_keptSize + *tensor.keptAt);
}

void AveragedMerge::sumAgain(std::size_t i)
{
    for (const Tensor& tensor : m_tensors)
        if (tensor.again && !tensor.keptAt)
            addClipped(tensor, i, m_values.data() + tensor.first);
}

/// A mean shrinks as its contributors disagree, a radial average does not: beside matrices that
/// keep their length, tensors that are averaged plainly step further.
double AveragedMerge::learningRateOf(const Tensor& tensor) const
{
    if (m_rule.outer == OuterStep::Replace)
        return 1;
    const bool plain = m_rule.radial && tensor.kind != TensorKind::Matrix;
    return m_settings.learningRate * (plain ? m_settings.meanGain : 1);
}

MergeReport AveragedMerge::apply(FragmentState& state)
{
    const MergeReport report = reportOn(state);
    if (report.momentumRestarted)
        std::fill(state.momentum.begin(), state.momentum.end(), 0.0f);
    const double momentum = m_rule.outer == OuterStep::Replace ? 0 : m_settings.momentum;
    for (const Tensor& tensor : m_tensors)
        nesterov(state.parameters.data() + tensor.first, state.momentum.data() + tensor.first,
                 m_sums.data() + tensor.first,
                 {static_cast<float>(tensor.scale), static_cast<float>(learningRateOf(tensor)),
                  static_cast<float>(momentum)},
                 tensor.count);
    return report;
}

MergeReport AveragedMerge::reportOn(FragmentState& state)
{
    MergeReport report;
    double squares = 0, dot = 0;
    for (Tensor& tensor : m_tensors) {
        const Products products = productsOf(m_sums.data() + tensor.first,
                                             state.momentum.data() + tensor.first, tensor.count);
        squares += tensor.scale * tensor.scale * products.squares;
        dot += tensor.scale * products.dot;
        const bool isMean = !m_rule.radial || tensor.kind != TensorKind::Matrix;
        if (isMean && tensor.length > 0)
            tensor.agreement = std::sqrt(products.squares) / tensor.length;
    }
    report.mergedNorm = std::sqrt(squares);
    report.agreement = meanAgreement();
    const double momentum = std::sqrt(squaredNorm(state.momentum.data(), state.momentum.size()));
    const bool opposes = dot < kOpposed * report.mergedNorm * momentum;
    state.opposed = m_rule.guarded && opposes ? state.opposed + 1 : 0;
    report.momentumRestarted = state.opposed >= kOpposedToRestart;
    if (report.momentumRestarted)
        state.opposed = 0;
    return report;
}

double AveragedMerge::meanAgreement() const
{
    const bool hasMatrix =
        std::any_of(m_tensors.begin(), m_tensors.end(),
                    [](const Tensor& tensor) { return tensor.kind == TensorKind::Matrix; });
    double sum = 0;
    std::size_t count = 0;
    for (const Tensor& tensor : m_tensors) {
        if (hasMatrix && tensor.kind != TensorKind::Matrix)
            continue;
        sum += tensor.agreement;
        ++count;
    }
    return count == 0 ? 0 : sum / static_cast<double>(count);
}

} // namespace commonweight::exchange
