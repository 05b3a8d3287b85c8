#pragma once
// One inner step of a unit, micro-batch by micro-batch: gradient accumulation, clipping to a global
// norm, AdamW, the learning rate of the unit's slice. A pure function of (unit, step, the model's
// parameters and moments). Owned by the runner together with the model; one thread.

#include "engine/model/transformer.h"
#include "engine/training/data_cursor.h"

namespace commonweight::training {

/// What AdamW is told at `step` (0-based) of a unit whose accumulated gradient has the L2 norm
/// `norm`, and whose moments have seen `stepsBefore` steps of other units.
model::AdamWStep adamWStepOf(const work::WorkUnit& unit, std::uint64_t step, double norm,
                             std::uint64_t stepsBefore = 0);

class InnerLoop {
public:
    /// All must outlive the loop.
    InnerLoop(const work::WorkUnit& unit, const DataCursor& cursor, model::Transformer& model,
              std::uint64_t stepsBefore = 0)
        : m_unit(unit), m_cursor(cursor), m_model(model), m_stepsBefore(stepsBefore)
    {}

    /// Micro-batch `micro` of `step`; the first one clears the gradient. Device when the loss is
    /// not a finite number.
    Result<void> addMicroBatch(std::uint64_t step, std::uint32_t micro);

    /// Ends `step` after its last micro-batch; the step's mean loss, in nats per token.
    Result<double> update(std::uint64_t step);

private:
    const work::WorkUnit& m_unit;
    const DataCursor& m_cursor;
    model::Transformer& m_model;
    std::uint64_t m_stepsBefore;
    double m_lossSum = 0;
};

} // namespace commonweight::training
