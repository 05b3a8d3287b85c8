#pragma once
// Averages the contributions of one fragment and takes a Nesterov step: the rules decoupled, mean,
// diloco and once. Reads each contribution once, or twice where a tensor's norms are clipped or its
// directions cancel. Owned by mergeFragment, one thread.
//
// Memory: the sums, one contribution, and at most as much again for small tensors that are kept.

#include "engine/exchange/contributors.h"
#include "engine/exchange/float_array.h"
#include "engine/exchange/merge.h"
#include "engine/exchange/merge_rules.h"

#include <optional>

namespace commonweight::exchange {

class AveragedMerge {
public:
    /// `sums` and `values` have the fragment's size; all must outlive the merge but these two.
    AveragedMerge(const Fragment& fragment, std::vector<Contributor> contributors,
                  const OuterSettings& settings, FloatArray sums, FloatArray values);

    /// Reads and averages. Errors: the source's; Corrupt.
    Result<void> run(const ContributionSource& source);
    /// The outer step. Cannot fail.
    MergeReport apply(FragmentState& state);

private:
    /// One tensor of the fragment on its way through the merge.
    struct Tensor {
        TensorKind kind = TensorKind::Matrix;
        std::size_t first = 0;
        std::size_t count = 0;
        bool radial = false; ///< merged by radial–directional averaging
        bool again = false;  ///< its sum must be made anew, as the mean of clipped values
        std::optional<std::size_t> keptAt; ///< place in each contributor's kept values
        std::vector<double> norms;         ///< of each contributor
        double limit = 0;                  ///< norms are clipped to it
        double length = 0;                 ///< Σ w ‖v‖, clipped
        double scale = 1;                  ///< merged gradient = scale · sum
        double agreement = 0;

        double clipped(std::size_t i) const { return std::min(norms[i], limit); }
    };

    void keepSmallTensors();
    Result<void> sum(std::size_t i);
    void judge(Tensor& tensor);
    void addClipped(const Tensor& tensor, std::size_t i, const float* values);
    void sumKeptAgain();
    void sumAgain(std::size_t i);
    MergeReport reportOn(FragmentState& state);
    double meanAgreement() const;
    double learningRateOf(const Tensor& tensor) const;

    std::vector<Contributor> m_contributors;
    const OuterSettings& m_settings;
    MergeRule m_rule;
    bool m_clips;
    std::vector<Tensor> m_tensors;
    FloatArray m_sums;
    FloatArray m_values; ///< of the contribution at hand
    std::vector<float> m_kept;
    std::size_t m_keptSize = 0; ///< of one contributor
};

} // namespace commonweight::exchange
