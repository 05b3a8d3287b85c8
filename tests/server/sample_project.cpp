#include "tests/server/sample_project.h"

#include "engine/exchange/codec.h"
#include "engine/work/shard.h"
#include "server/schedule/scheduler_routes.h"

#include <cmath>

namespace commonweight::server {

namespace {

const std::vector<TensorSpec> kLayout{{"model.embed_tokens.weight", {16, 8}},
                                      {"model.layers.0.self_attn.q_proj.weight", {8, 8}},
                                      {"model.norm.weight", {8}}};

work::RunConfig sampleConfig(const SampleOptions& options)
{
    work::RunConfig config;
    config.id = "sample";
    config.name = "Sample";
    config.model = {{"model_type", "llama"}};
    config.vocabulary = sha256(asBytes("sample vocabulary"));
    config.microBatch = 2;
    config.accumulation = 1;
    config.sequenceLength = 4;
    config.sequencesPerLane = 5;
    config.stepsAtMost = options.stepsAtMost;
    config.totalTokens = options.totalTokens;
    config.codec = options.codec;
    config.round.seconds = options.roundSeconds;
    config.fragmentBytes = options.fragmentBytes;
    config.downlink = {options.downlink, options.snapshotEvery};
    config.round.target = options.target;
    config.outer.rule = options.rule;
    config.round.shiftOnArrival = options.shiftOnArrival;
    return config;
}

} // namespace

RunDefinition sampleRun(const SampleOptions& options, BlobStore& blobs, WallTime created)
{
    RunDefinition run;
    run.config = sampleConfig(options);
    run.created = created;
    run.fragments = exchange::fragmentsOf(kLayout, options.fragmentBytes);
    const std::uint64_t laneTokens =
        std::uint64_t{run.config.sequenceLength} * run.config.sequencesPerLane;
    for (std::size_t i = 0; i <= options.shards; ++i) {
        std::vector<std::int32_t> tokens(options.lanesPerShard * laneTokens + 1);
        for (std::size_t k = 0; k < tokens.size(); ++k)
            tokens[k] = static_cast<std::int32_t>((k * 7 + i) % 16);
        const auto file = work::writeShard(tokens, 16, run.config.vocabulary);
        const work::BlobRef blob{sure(blobs.put(file)), file.size()};
        auto& list = i < options.shards ? run.shards : run.heldOut;
        list.push_back({blob, tokens.size(), options.lanesPerShard});
    }
    return run;
}

VersionRecord sampleVersion(const RunDefinition& run, BlobStore& blobs)
{
    VersionRecord version;
    version.run = run.config.id;
    version.created = run.created;
    for (const auto& fragment : run.fragments) {
        exchange::FragmentState state;
        for (std::int64_t i = 0; i < fragment.elements(); ++i)
            state.parameters.push_back(std::sin(static_cast<float>(i)));
        version.fragments.push_back(
            sure(storeFragment(blobs, fragment, state, run.config.id, 0, false)));
    }
    return version;
}

SampleProject::SampleProject(const SampleOptions& options)
    : m_folder{m_temporary.path().toStdString()}
{
    sure(projectKey.save(m_folder.key()));
    m_store = sure(openSqliteStore(m_folder.database(), OpenMode::Create));
    m_blobs = sure(makeFolderBlobStore(m_folder.blobs()));
    const auto run = sampleRun(options, *m_blobs, clock.wall());
    sure(m_store->addProject({.name = "Sample project", .description = "For tests", .terms = ""}));
    sure(m_store->addRun(run, sampleVersion(run, *m_blobs)));
    openRooms();
}

void SampleProject::close()
{
    syncer.reset();
    admission.reset();
    scheduler.reset();
    m_store.reset();
}

void SampleProject::reopen()
{
    close();
    m_store = sure(openSqliteStore(m_folder.database(), OpenMode::Create));
    m_blobs = sure(makeFolderBlobStore(m_folder.blobs()));
    openRooms();
}

void SampleProject::openRooms()
{
    scheduler = std::make_unique<Scheduler>(*m_store, projectKey, clock);
    admission =
        std::make_unique<ResultAdmission>(*m_store, *m_blobs, projectKey.publicKey(), clock);
    syncer = std::make_unique<Syncer>(
        *m_store, *m_blobs, clock,
        [this](const std::string& event, const Json&) { events.push_back(event); });
}

Volunteer SampleProject::volunteer(const std::string& name)
{
    Volunteer volunteer;
    volunteer.id = hostIdOf(volunteer.key.publicKey());
    HostRecord host;
    host.id = volunteer.id;
    host.key = volunteer.key.publicKey();
    host.name = name;
    host.devices = Json::array();
    host.registered = clock.wall();
    host.seen = clock.wall();
    sure(m_store->putHost(host));
    return volunteer;
}

work::SchedulerReply SampleProject::ask(const Volunteer& volunteer,
                                        const std::vector<std::string>& running,
                                        double tokensPerSecond, bool sending)
{
    work::SchedulerRequest request;
    request.host = volunteer.id;
    request.devices = {{.name = "Processor",
                        .backend = "cpu",
                        .tokensPerSecond = tokensPerSecond,
                        .wantsWork = true}};
    for (const auto& unit : running)
        request.running.push_back({unit, 1, sending});
    return sure(scheduler->answer(volunteer.id, request));
}

work::WorkUnit SampleProject::unitIn(const work::SchedulerReply& reply, std::size_t index)
{
    if (reply.units.size() <= index)
        qFatal("no unit in the reply: %s", reply.reason.c_str());
    return sure(work::workUnitFromJson(
        sure(verifiedJson("unit", reply.units[index], projectKey.publicKey()))));
}

work::UnitResult SampleProject::answerTo(const Volunteer& volunteer, const work::WorkUnit& unit,
                                         std::uint64_t steps, float size,
                                         const std::vector<work::Shift>& shifts)
{
    work::UnitResult result;
    result.id = "r" + std::to_string(++m_results) + "-" + unit.id.substr(0, 8);
    result.unit = unit.id;
    result.run = unit.run;
    result.host = volunteer.id;
    result.baseVersion = unit.anchor.version;
    result.shifts = shifts;
    result.stepsDone = steps;
    result.tokens = steps * unit.tokensPerStep();
    result.lossTrace = {2.5F, 2.4F};
    result.device = "Processor";
    result.backend = "cpu";
    result.seconds = 10;
    for (const auto& fragment : run().definition->fragments) {
        std::vector<float> values(static_cast<std::size_t>(fragment.elements()), size);
        // 24 bits of the unit's name in the last places of two elements.
        const auto name = sha256(asBytes(unit.id)).bytes;
        values[0] *= 1 + 0x1.0p-23F * static_cast<float>(name[0] | (name[1] & 15) << 8);
        values[1] *= 1 + 0x1.0p-23F * static_cast<float>(name[2] | (name[3] & 15) << 8);
        const exchange::OuterGradientInfo info{
            .codec = sure(exchange::codecByName(unit.codec)),
            .run = unit.run,
            .unit = unit.id,
            .fragment = fragment.index,
            .baseVersion = shifts.empty() ? unit.anchor.version : shifts.back().version,
            .tokens = result.tokens,
            .steps = steps};
        const auto file = sure(exchange::encodeOuterGradient(fragment, values, info, unit.seed));
        result.outerGradients.push_back({fragment.index, {sure(m_blobs->put(file)), file.size()}});
    }
    return result;
}

Json SampleProject::envelope(const Volunteer& volunteer, const work::UnitResult& result) const
{
    return signJson("result", work::toJson(result), volunteer.key);
}

Result<AdmittedResult> SampleProject::deliver(const Volunteer& volunteer,
                                              const work::UnitResult& result)
{
    return admission->admit(volunteer.id, envelope(volunteer, result));
}

std::string leaseProblem(Store& store, const std::string& run)
{
    const auto leases = sure(store.leases(run));
    const auto record = sure(store.run(run));
    std::uint64_t epoch = 0, next = 0;
    for (const auto& lease : leases) {
        if (lease.epoch != epoch && next != record.definition->lanes())
            return "epoch " + std::to_string(epoch) + " ends at " + std::to_string(next);
        if (lease.epoch != epoch) {
            epoch = lease.epoch;
            next = 0;
        }
        if (lease.first != next)
            return "epoch " + std::to_string(epoch) + ": a row begins at " +
                   std::to_string(lease.first) + ", not at " + std::to_string(next);
        next += lease.count;
        if ((lease.state == LeaseState::Free) != lease.unit.empty())
            return "a free row has a unit, or another has none";
    }
    if (LeaseCursor{epoch, next} != record.status.cursor)
        return "the cursor is not at the end of the rows";
    return {};
}

} // namespace commonweight::server
