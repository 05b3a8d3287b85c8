#pragma once
// Volunteers one after another in this process: units, inner steps, codecs, merge weights and merge
// are the real ones (unit_builder, InnerLoop, codec, mergeFragment); only the network, the store
// and the clock are left out. A row with four alike volunteers gives what real programs give, up to
// the order of arrival. Owned by the benchmark; one thread.

#include "bench/convergence/row.h"
#include "engine/exchange/codec.h"
#include "engine/exchange/merge.h"
#include "engine/model/transformer.h"
#include "engine/training/data_cursor.h"
#include "gpu/registry.h"
#include "server/project/opened_project.h"
#include "server/schedule/lane_book.h"
#include "server/sync/fragment_merge.h"

#include <deque>

namespace commonweight::bench {

class SimulatedVolunteers {
public:
    explicit SimulatedVolunteers(Row row) : m_row(std::move(row)) {}
    ~SimulatedVolunteers();
    SimulatedVolunteers(const SimulatedVolunteers&) = delete;
    SimulatedVolunteers& operator=(const SimulatedVolunteers&) = delete;

    /// Opens the project and trains until its planned tokens are merged. Errors: those of the
    /// project's files, of the device, of a diverged unit.
    Result<RowFigures> run();

private:
    /// What volunteers start from: Θ as published, and the table of second moments beside it.
    struct Anchor {
        server::VersionRecord version;
        std::vector<float> parameters;
        std::vector<float> secondMoments;
    };
    struct Volunteer {
        std::uint64_t validatedUnits = 0;
        std::vector<float> residual;  ///< of codecs with error feedback
        std::uint64_t residualOf = 0; ///< version
    };
    struct Outcome {
        work::WorkUnit unit;
        std::vector<float> delta;
        std::vector<float> secondMoments;
    };
    struct Posted {
        std::uint32_t volunteer = 0;
        std::vector<float> delta;
        Bytes table; ///< empty: the server did not ask for it
    };

    Result<void> open();
    Result<void> openAnchor();
    Result<bool> round();
    std::uint64_t stepsOf(std::uint32_t volunteer) const;
    bool losesUpload();
    const Anchor& anchorFor(std::uint32_t volunteer);
    Result<work::WorkUnit> unitFor(std::uint32_t volunteer, const Anchor& anchor,
                                   std::uint64_t steps);
    Result<Outcome> train(const Anchor& anchor, work::WorkUnit unit);
    Result<bool> post(std::uint32_t volunteer, const Anchor& anchor, Outcome outcome);
    Result<void> send(std::uint32_t volunteer, Outcome& outcome);
    Result<Bytes> encoded(std::uint32_t volunteer, const Outcome& outcome);
    Result<void> merge();
    Result<void> refreshTable(Anchor& next, const std::vector<double>& weights);
    Result<double> heldOutLoss(std::span<const float> parameters);
    Result<training::DataCursor> dataOf(const work::WorkUnit& unit);

    Row m_row;
    server::OpenedProject m_project;
    server::RunDefinition m_definition; ///< the project's, with the row's batch
    std::vector<TensorSpec> m_layout;
    std::vector<Bytes> m_shards;
    std::vector<std::int32_t> m_heldOut;
    std::int64_t m_vocabulary = 0;
    gpu::Registry m_devices;
    std::unique_ptr<gpu::Device> m_device;
    std::unique_ptr<model::Transformer> m_trainer, m_evaluator;

    std::filesystem::path m_scratch; ///< of tables, while it runs
    std::unique_ptr<server::BlobStore> m_tables;
    std::deque<Anchor> m_anchors; ///< the newest first; as many as staleness needs
    server::ServerFragment m_server;
    std::vector<Volunteer> m_volunteers;
    server::LeaseCursor m_cursor;
    std::uint64_t m_units = 0;
    std::uint64_t m_draws = 0;

    std::vector<exchange::Contribution> m_contributions; ///< of the round
    std::vector<Posted> m_posted;                        ///< likewise
    std::vector<double> m_normRates;                     ///< of accepted results, the newest last
    RowFigures m_figures;
};

} // namespace commonweight::bench
