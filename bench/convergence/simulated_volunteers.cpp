#include "bench/convergence/simulated_volunteers.h"

#include "engine/base/random.h"
#include "engine/exchange/feedback.h"
#include "engine/model/sampler.h"
#include "engine/training/inner_loop.h"
#include "engine/training/second_moments.h"
#include "server/schedule/lane_order.h"
#include "server/schedule/trust.h"
#include "server/schedule/unit_builder.h"
#include "server/sync/merge_settings.h"
#include "server/sync/second_moment_merge.h"
#include "server/verify/held_out.h"
#include "server/verify/norm_check.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>

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
    config.codec = m_row.codec;
    config.outer = m_row.outer;
    config.downlink.codec = m_row.downlink;
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
    m_volunteers.resize(m_row.volunteers);
    m_cursor = m_project.run.status.cursor;
    m_units = m_project.run.status.unitsIssued;
    return openAnchor();
}

Result<void> SimulatedVolunteers::openAnchor()
{
    m_scratch = std::filesystem::temp_directory_path() /
                ("commonweight-convergence-row-" + std::to_string(getpid()));
    CW_TRY(m_tables, server::makeFolderBlobStore(m_scratch));
    const auto& version = m_project.version;
    if (!version.secondMoments)
        return Error{ErrorKind::Protocol, "the project has no warm-up"};
    CW_TRY(m_server, server::readServerFragment(*m_project.blobs, m_definition.fragments.front(),
                                                version.fragments.front()));
    CW_TRY(const auto table,
           m_project.blobs->get(version.secondMoments->sha256, version.secondMoments->bytes));
    CW_TRY(const auto stored, server::putBlob(*m_tables, table));
    static_cast<void>(stored);
    Anchor first{version, m_server.published, std::vector<float>(m_server.published.size())};
    CW_CHECK(training::expandSecondMoments(m_layout, table, first.secondMoments));
    m_anchors.push_front(std::move(first));
    return {};
}

SimulatedVolunteers::~SimulatedVolunteers()
{
    std::error_code ignored;
    if (!m_scratch.empty())
        std::filesystem::remove_all(m_scratch, ignored);
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
    m_posted.clear();
    for (std::uint32_t volunteer = 0; volunteer < m_row.volunteers; ++volunteer) {
        const auto& anchor = anchorFor(volunteer);
        CW_TRY(const auto unit,
               unitFor(volunteer, anchor, std::min(stepsOf(volunteer), mostSteps)));
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

Result<work::WorkUnit> SimulatedVolunteers::unitFor(std::uint32_t volunteer, const Anchor& anchor,
                                                    std::uint64_t steps)
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
    plan.reportSecondMoments =
        m_row.freshTables &&
        server::asksForSecondMoments(m_volunteers[volunteer].validatedUnits, m_row.volunteers,
                                     m_definition.config.seed, plan.number);
    auto unit = server::buildUnit(m_definition, anchor.version, plan);
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

Result<Bytes> SimulatedVolunteers::encoded(std::uint32_t volunteer, const Outcome& outcome)
{
    const auto& unit = outcome.unit;
    exchange::OuterGradientInfo info;
    CW_TRY(info.codec, exchange::codecByName(m_row.codec));
    info.run = unit.run;
    info.unit = unit.id;
    info.baseVersion = unit.anchor.version;
    info.tokens = unit.stepsAtMost * unit.tokensPerStep();
    info.steps = unit.stepsAtMost;
    const auto& fragment = m_definition.fragments.front();
    if (!exchange::wantsResidual(info.codec))
        return exchange::encodeOuterGradient(fragment, outcome.delta, info, unit.seed);
    auto& own = m_volunteers[volunteer];
    if (own.residual.empty())
        own.residual.resize(outcome.delta.size());
    const auto versions = std::max<std::uint64_t>(1, info.baseVersion - own.residualOf);
    own.residualOf = info.baseVersion;
    return exchange::encodeWithResidual(fragment, outcome.delta, own.residual, versions, info,
                                        unit.seed);
}

/// Through the codec, as the volunteer would send it and the server would read it.
Result<void> SimulatedVolunteers::send(std::uint32_t volunteer, Outcome& outcome)
{
    if (volunteer < m_row.attackers)
        for (float& value : outcome.delta)
            value *= static_cast<float>(m_row.attackFactor);
    CW_TRY(const auto file, encoded(volunteer, outcome));
    m_figures.uploadBits =
        8.0 * static_cast<double>(file.size()) / static_cast<double>(outcome.delta.size());
    return exchange::decodeOuterGradient(file, m_definition.fragments.front(), outcome.delta);
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
    contribution.trust = server::trustOf(m_volunteers[volunteer].validatedUnits);
    m_contributions.push_back(std::move(contribution));
    Posted posted{volunteer, std::move(outcome.delta), {}};
    if (unit.reportSecondMoments)
        posted.table = training::factorSecondMoments(m_layout, outcome.secondMoments);
    m_posted.push_back(std::move(posted));
    return true;
}

Result<void> SimulatedVolunteers::merge()
{
    const auto& config = m_definition.config;
    const auto& fragment = m_definition.fragments.front();
    const auto weights =
        exchange::mergeWeights(m_contributions, server::mergeSettings(config, {}, {}));
    if (weights.empty())
        return {};
    const auto settings = server::mergeSettings(config, m_contributions, weights);
    const auto source = [&](std::size_t i, std::span<float> out) -> Result<void> {
        std::copy(m_posted[i].delta.begin(), m_posted[i].delta.end(), out.begin());
        return {};
    };
    CW_TRY(const auto report,
           exchange::mergeFragment(fragment, m_server.state, weights, source, settings));
    m_figures.agreement += report.agreement;
    m_figures.restarts += report.momentumRestarted;
    ++m_figures.versions;
    Anchor next = m_anchors.front();
    ++next.version.version;
    for (std::size_t i = 0; i < m_posted.size(); ++i) {
        next.version.tokensMerged += m_contributions[i].tokens;
        ++m_volunteers[m_posted[i].volunteer].validatedUnits;
    }
    CW_TRY(const auto delta, server::publishStep(config, fragment, next.version.version, m_server));
    static_cast<void>(delta);
    next.parameters = m_server.published;
    CW_CHECK(refreshTable(next, weights));
    m_anchors.push_front(std::move(next));
    while (m_anchors.size() > m_row.staleness + 1)
        m_anchors.pop_back();
    return {};
}

Result<void> SimulatedVolunteers::refreshTable(Anchor& next, const std::vector<double>& weights)
{
    std::vector<server::TableInput> inputs;
    for (std::size_t i = 0; i < m_posted.size(); ++i) {
        if (m_posted[i].table.empty())
            continue;
        CW_TRY(const auto blob, server::putBlob(*m_tables, m_posted[i].table));
        inputs.push_back({m_contributions[i].result, weights[i], blob});
    }
    if (inputs.empty())
        return {};
    CW_TRY(const auto table, server::mergeTables(*m_tables, m_definition.fragments,
                                                 *next.version.secondMoments, inputs));
    CW_TRY(next.version.secondMoments, server::putBlob(*m_tables, table));
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
