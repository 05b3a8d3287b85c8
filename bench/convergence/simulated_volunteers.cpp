#include "bench/convergence/simulated_volunteers.h"

#include "engine/base/random.h"
#include "engine/model/sampler.h"
#include "engine/training/inner_loop.h"
#include "engine/training/second_moments.h"
#include "server/schedule/lane_order.h"
#include "server/schedule/unit_builder.h"
#include "server/sync/merge_log.h"
#include "server/verify/held_out.h"
#include "server/verify/norm_check.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace commonweight::bench {

namespace {

constexpr std::int64_t kEvaluatedSequences = 8;
constexpr std::uint64_t kEvaluatedTokens = 65'536; ///< as the server evaluates
constexpr std::uint64_t kDrawStream = 0x636f6e76;
constexpr std::size_t kNormsCompared = 64;

} // namespace

Result<RowFigures> SimulatedVolunteers::run()
{
    CW_CHECK(open());
    CW_TRY(m_figures.startLoss, heldOutLoss(m_server.published));
    while (true) {
        CW_TRY(const bool more, round());
        if (!more)
            break;
        const auto& newest = m_anchors.front().version;
        if (m_row.evaluateEvery == 0 || newest.version % m_row.evaluateEvery != 0)
            continue;
        CW_TRY(const double loss, heldOutLoss(m_server.published));
        m_figures.points.push_back({newest.version, newest.tokensMerged, loss});
    }
    const auto& newest = m_anchors.front().version;
    CW_TRY(const double loss, heldOutLoss(m_server.published));
    m_figures.points.push_back({newest.version, newest.tokensMerged, loss});
    m_figures.tokens = newest.tokensMerged;
    if (m_figures.versions > 0)
        m_figures.agreement /= static_cast<double>(m_figures.versions);
    return m_figures;
}

Result<void> SimulatedVolunteers::open()
{
    CW_TRY(m_project, server::openProject({.folder = m_row.project, .run = {}, .version = {}}));
    m_definition = *m_project.run.definition;
    auto& config = m_definition.config;
    if (m_definition.fragments.size() != 1 || m_row.batch % m_row.volunteers != 0)
        return Error{ErrorKind::Protocol, "a row needs a model of one fragment, and a batch that "
                                          "its volunteers can share evenly"};
    config.microBatch = m_row.batch / m_row.volunteers;
    config.accumulation = 1;
    CW_TRY(const auto model, model::modelConfigFromJson(config.model));
    m_layout = model::parameterLayout(model);
    m_vocabulary = model.vocabularySize;
    for (const auto& shard : m_definition.shards) {
        CW_TRY(auto file, m_project.blobs->get(shard.blob.sha256, shard.blob.bytes));
        m_shards.push_back(std::move(file));
    }
    CW_TRY(m_heldOut, server::readHeldOut(*m_project.blobs, m_definition));
    CW_TRY(m_device, m_devices.open("cpu", {.threads = m_row.threads}));
    const model::BatchShape shape{config.microBatch, config.sequenceLength};
    CW_TRY(m_trainer, model::Transformer::create(*m_device, model, shape, model::Purpose::Train));
    CW_TRY(m_evaluator, model::Transformer::create(*m_device, model,
                                                   {kEvaluatedSequences, config.sequenceLength},
                                                   model::Purpose::Evaluate));
    const auto& version = m_project.version;
    CW_TRY(m_server, server::readServerFragment(*m_project.blobs, m_definition.fragments.front(),
                                                version.fragments.front()));
    Anchor first{version, m_server.published, std::vector<float>(m_server.published.size())};
    if (!version.secondMoments)
        return Error{ErrorKind::Protocol, "the project has no warm-up"};
    CW_TRY(const auto table,
           m_project.blobs->get(version.secondMoments->sha256, version.secondMoments->bytes));
    CW_CHECK(training::expandSecondMoments(m_layout, table, first.secondMoments));
    m_anchors.push_front(std::move(first));
    m_cursor = m_project.run.status.cursor;
    m_units = m_project.run.status.unitsIssued;
    return {};
}

std::uint64_t SimulatedVolunteers::stepsOf(std::uint32_t volunteer) const
{
    const double speed = m_row.speeds.empty() ? 1 : m_row.speeds[volunteer];
    const double share = speed * static_cast<double>(m_row.innerSteps);
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::lround(share)));
}

/// False when the planned tokens are merged.
Result<bool> SimulatedVolunteers::round()
{
    const auto& config = m_definition.config;
    const std::uint64_t stepTokens = server::groupLanes(config) * config.sequenceLength;
    const auto merged = m_anchors.front().version.tokensMerged;
    const std::uint64_t left = config.totalTokens - std::min(config.totalTokens, merged);
    const std::uint64_t mostSteps = left / (stepTokens * m_row.volunteers);
    if (mostSteps == 0)
        return false;
    m_contributions.clear();
    m_deltas.clear();
    m_tables.clear();
    for (std::uint32_t volunteer = 0; volunteer < m_row.volunteers; ++volunteer) {
        const auto& anchor = anchorFor(volunteer);
        CW_TRY(const auto unit, unitFor(anchor, std::min(stepsOf(volunteer), mostSteps)));
        CW_TRY(auto outcome, train(anchor, unit));
        CW_TRY(const bool arrived, post(volunteer, anchor, std::move(outcome)));
        static_cast<void>(arrived);
    }
    if (!m_contributions.empty())
        CW_CHECK(merge());
    return true;
}

bool SimulatedVolunteers::losesUpload()
{
    const auto block = philox(m_definition.config.seed, m_draws++, kDrawStream);
    return uniform01(block[0]) < m_row.lost;
}

const SimulatedVolunteers::Anchor& SimulatedVolunteers::anchorFor(std::uint32_t volunteer)
{
    if (m_row.staleness == 0)
        return m_anchors.front();
    const auto block = philox(m_definition.config.seed + volunteer, m_draws++, kDrawStream + 1);
    const auto age = block[0] % (m_row.staleness + 1);
    return m_anchors[std::min<std::size_t>(age, m_anchors.size() - 1)];
}

Result<work::WorkUnit> SimulatedVolunteers::unitFor(const Anchor& anchor, std::uint64_t steps)
{
    const auto pick = server::pickLanes({}, m_cursor, m_definition.lanes(),
                                        server::lanesForSteps(m_definition.config, steps));
    m_cursor = pick.cursor;
    server::UnitPlan plan;
    plan.id = "u" + std::to_string(m_units);
    plan.number = m_units++;
    plan.lanes = pick.spans;
    plan.stepsAtMost = steps;
    plan.activeHosts = m_row.volunteers;
    auto unit = server::buildUnit(m_definition, anchor.version, plan);
    unit.codec = m_row.codec;
    unit.learningRate.peak *= m_row.rateFactor;
    unit.learningRate.floor *= m_row.rateFactor;
    return unit;
}

Result<training::DataCursor> SimulatedVolunteers::dataOf(const work::WorkUnit& unit)
{
    std::vector<work::Shard> shards;
    for (const auto& ref : unit.shards)
        for (std::size_t i = 0; i < m_shards.size(); ++i)
            if (m_definition.shards[i].blob == ref) {
                CW_TRY(auto shard, work::Shard::parse(m_shards[i]));
                shards.push_back(std::move(shard));
            }
    return training::DataCursor::create(unit, std::move(shards), m_vocabulary);
}

Result<SimulatedVolunteers::Outcome> SimulatedVolunteers::train(const Anchor& anchor,
                                                                work::WorkUnit unit)
{
    CW_TRY(const auto data, dataOf(unit));
    const std::size_t size = anchor.parameters.size();
    std::vector<float> first(size);
    CW_CHECK(m_trainer->setParameters(anchor.parameters));
    CW_CHECK(m_trainer->setMoments(first, anchor.secondMoments));
    training::InnerLoop loop(unit, data, *m_trainer);
    for (std::uint64_t step = 0; step < unit.stepsAtMost; ++step) {
        CW_CHECK(loop.addMicroBatch(step, 0));
        CW_TRY(const double loss, loop.update(step));
        static_cast<void>(loss);
    }
    Outcome outcome{unit, std::vector<float>(size), std::vector<float>(size)};
    CW_CHECK(m_trainer->getParameters(outcome.delta));
    CW_CHECK(m_trainer->getMoments(first, outcome.secondMoments));
    for (std::size_t i = 0; i < size; ++i)
        outcome.delta[i] = anchor.parameters[i] - outcome.delta[i];
    return outcome;
}

/// Through the codec, as the volunteer would send it and the server would read it.
Result<void> SimulatedVolunteers::send(std::uint32_t volunteer, Outcome& outcome)
{
    const auto& unit = outcome.unit;
    if (volunteer < m_row.attackers)
        for (float& value : outcome.delta)
            value *= static_cast<float>(m_row.attackFactor);
    exchange::OuterGradientInfo info;
    CW_TRY(info.codec, exchange::codecByName(m_row.codec));
    info.run = unit.run;
    info.unit = unit.id;
    info.baseVersion = unit.anchor.version;
    info.tokens = unit.stepsAtMost * unit.tokensPerStep();
    info.steps = unit.stepsAtMost;
    const auto& fragment = m_definition.fragments.front();
    CW_TRY(const auto file,
           exchange::encodeOuterGradient(fragment, outcome.delta, info, unit.seed));
    m_figures.uploadBits =
        8.0 * static_cast<double>(file.size()) / static_cast<double>(outcome.delta.size());
    return exchange::decodeOuterGradient(file, fragment, outcome.delta);
}

/// False when it does not arrive, or is refused.
Result<bool> SimulatedVolunteers::post(std::uint32_t volunteer, const Anchor& anchor,
                                       Outcome outcome)
{
    CW_CHECK(send(volunteer, outcome));
    if (losesUpload())
        return false;
    const auto& unit = outcome.unit;
    const double norm = exchange::tensorNorms(m_definition.fragments.front(), outcome.delta).total;
    const double rate = server::normRate(norm, unit.stepsAtMost);
    const std::size_t known = std::min(m_normRates.size(), kNormsCompared);
    if (m_row.checks &&
        !server::isPlausible(
            rate, {m_normRates.end() - static_cast<std::ptrdiff_t>(known), m_normRates.end()})) {
        ++m_figures.refused;
        return false;
    }
    m_normRates.push_back(rate);
    exchange::Contribution contribution;
    contribution.result = unit.id;
    contribution.account = std::to_string(volunteer);
    contribution.tokens = unit.stepsAtMost * unit.tokensPerStep();
    contribution.steps = unit.stepsAtMost;
    contribution.staleness = m_anchors.front().version.version - anchor.version.version;
    m_contributions.push_back(std::move(contribution));
    m_deltas.push_back(std::move(outcome.delta));
    m_tables.push_back(std::move(outcome.secondMoments));
    return true;
}

Result<void> SimulatedVolunteers::merge()
{
    const auto weights = exchange::mergeWeights(m_contributions, m_row.outer);
    if (weights.empty())
        return {};
    const auto source = [&](std::size_t i, std::span<float> out) -> Result<void> {
        std::copy(m_deltas[i].begin(), m_deltas[i].end(), out.begin());
        return {};
    };
    auto settings = exchange::settingsOfMerge(m_contributions, weights, m_row.outer);
    settings.meanGain = m_row.meanGain.value_or(settings.meanGain);
    const auto& fragment = m_definition.fragments.front();
    CW_TRY(const auto report,
           exchange::mergeFragment(fragment, m_server.state, weights, source, settings));
    CW_CHECK(server::publishStep(m_definition.config, fragment,
                                 m_anchors.front().version.version + 1, m_server));
    m_figures.agreement += report.agreement;
    m_figures.restarts += report.momentumRestarted;
    ++m_figures.versions;
    Anchor next = m_anchors.front();
    next.parameters = m_server.published;
    ++next.version.version;
    for (const auto& contribution : m_contributions)
        next.version.tokensMerged += contribution.tokens;
    if (m_row.refreshTable)
        CW_CHECK(refreshTable(next));
    m_anchors.push_front(std::move(next));
    while (m_anchors.size() > m_row.staleness + 1)
        m_anchors.pop_back();
    return {};
}

Result<void> SimulatedVolunteers::refreshTable(Anchor& next)
{
    auto& mean = m_tables.front();
    for (std::size_t i = 0; i < mean.size(); ++i) {
        for (std::size_t m = 1; m < m_tables.size(); ++m)
            mean[i] += m_tables[m][i];
        mean[i] /= static_cast<float>(m_tables.size());
    }
    const auto table = training::factorSecondMoments(m_layout, mean);
    return training::expandSecondMoments(m_layout, table, next.secondMoments);
}

Result<double> SimulatedVolunteers::heldOutLoss(std::span<const float> parameters)
{
    const auto& config = m_definition.config;
    CW_CHECK(m_evaluator->setParameters(parameters));
    CW_TRY(const double nats,
           model::heldOutLoss(*m_evaluator, {kEvaluatedSequences, config.sequenceLength}, m_heldOut,
                              kEvaluatedTokens));
    return nats / config.bytesPerToken;
}

} // namespace commonweight::bench
