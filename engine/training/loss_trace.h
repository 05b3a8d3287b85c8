#pragma once
// The mean training loss of up to 64 equal pieces of a unit, in memory that does not grow with the
// unit: whenever all pieces are full, neighbours are joined and pieces become twice as long. Plain
// value, one thread.

#include "engine/base/json.h"

namespace commonweight::training {

class LossTrace {
public:
    static constexpr std::size_t kPieces = 64;

    /// The loss of the next step, finite.
    void add(double loss);

    std::uint64_t steps() const { return m_steps; }
    /// Oldest first; the last piece may be shorter than the others.
    std::vector<float> means() const;

    Json toJson() const;
    /// The exact state that toJson saw. Protocol when it is not one.
    static Result<LossTrace> fromJson(const Json& json);

    bool operator==(const LossTrace&) const = default;

private:
    std::uint64_t m_steps = 0;
    std::uint64_t m_width = 1; ///< steps of a piece
    std::vector<double> m_sums;
};

} // namespace commonweight::training
