#include "engine/agent/work_supply.h"

#include "engine/agent/memory_estimate.h"

#include <algorithm>

namespace commonweight::agent {

namespace {

constexpr const char* kDeclined = "declined";
constexpr double kBytesPerGigabyte = 1e9;
constexpr double kMegabyte = 1 << 20;

Error declined(const std::string& why)
{
    return {ErrorKind::Cancelled, why};
}

std::string megabytes(std::uint64_t bytes)
{
    return std::to_string(
               static_cast<std::uint64_t>(static_cast<double>(bytes) / kMegabyte + 0.5)) +
           " MiB";
}

/// Of an envelope that is not trusted: only to tell its sender which one is meant. Empty when it
/// has no proper id.
std::string claimedId(const Json& envelope)
{
    const auto unit = objectMember(envelope, "unit");
    const auto id = unit ? textMember(*unit, "id") : Result<std::string>(unit.error());
    return id && work::isIdentifier(*id) ? *id : std::string();
}

work::DeviceReport reportOn(const DeviceNeed& need)
{
    return {need.device.name, need.device.backend, need.tokensPerSecond, need.wantsWork};
}

} // namespace

WorkSupply::WorkSupply(AgentContext& context, TaskQueue& queue, BlobCache& cache)
    : m_context(context), m_queue(queue), m_cache(cache)
{}

WorkSupply::~WorkSupply()
{
    cancelTransfers();
    for (const auto& session : m_sessions)
        session->cancel();
}

Result<void> WorkSupply::load()
{
    CW_TRY(const auto projects, m_context.store.projects());
    for (const auto& project : projects)
        addProject(project);
    for (const auto& task : m_queue.all())
        if (task->needsDevice()) {
            m_cache.pin(task->unit);
            task->pinned = true;
        }
    readTotals();
    return {};
}

void WorkSupply::addProject(const ProjectRow& project)
{
    if (sessionOf(project.address) != nullptr)
        return;
    m_sessions.push_back(std::make_unique<ProjectSession>(m_context, m_cache, project));
    watch(*m_sessions.back());
}

void WorkSupply::watch(ProjectSession& session)
{
    connect(&session, &ProjectSession::changed, this, &WorkSupply::changed);
    connect(&session, &ProjectSession::replied, this,
            [this, &session](const work::SchedulerReply& reply) { take(session, reply); });
    connect(&session, &ProjectSession::notReplied, this, [this, &session] {
        // What could not be told is told with the next call.
        auto asked = m_asked.extract(session.project().address);
        if (!asked.empty())
            m_refusals[session.project().address] = std::move(asked.mapped().refusals);
    });
    connect(&session, &ProjectSession::fetched, this, &WorkSupply::fetched);
    connect(&session, &ProjectSession::sent, this, &WorkSupply::sent);
    connect(&session, &ProjectSession::versionFetched, this, &WorkSupply::versionFetched);
}

void WorkSupply::removeProject(const std::string& address)
{
    const auto found = std::find_if(m_sessions.begin(), m_sessions.end(), [&](const auto& session) {
        return session->project().address == address;
    });
    if (found == m_sessions.end())
        return;
    for (const auto& task : m_queue.all())
        if (task->row.project == address)
            task->cancelTransfer = true;
    (*found)->disconnect(this);
    (*found)->cancel();
    m_retired.push_back(std::move(*found));
    m_sessions.erase(found);
    m_asked.erase(address);
    m_refusals.erase(address);
    m_queue.detach(address);
    Q_EMIT changed();
}

ProjectSession* WorkSupply::sessionOf(const std::string& address) const
{
    const auto found = std::find_if(m_sessions.begin(), m_sessions.end(), [&](const auto& session) {
        return session->project().address == address;
    });
    return found == m_sessions.end() ? nullptr : found->get();
}

void WorkSupply::tick(const SupplyNeeds& needs, const std::function<bool(const Task& task)>& uses)
{
    m_needs = needs;
    if (m_stopping)
        return;
    HostDescription host{needs.contributorName, {}};
    for (const auto& device : needs.devices)
        host.devices.push_back(reportOn(device));
    for (const auto& session : m_sessions)
        session->tick(host, needs.training);
    askForWork();
    const auto tasks = m_queue.all(); // a copy: moving may forget old ones
    for (const auto& task : tasks)
        moveAlong(task);
    tidy(uses);
}

// Asking

void WorkSupply::askForWork()
{
    std::set<std::string> asked;
    for (const auto& [address, call] : m_asked)
        asked.insert(call.devices.begin(), call.devices.end());
    std::vector<DeviceNeed> open;
    for (const auto& need : m_needs.devices)
        if (need.wantsWork && !asked.contains(need.device.id))
            open.push_back(need);
    for (const auto& session : m_sessions)
        if (session->reachable() && !session->scheduling() &&
            session->untilNextAsk() <= Seconds{0} && hasBusiness(*session, open))
            ask(*session, open);
}

bool WorkSupply::hasBusiness(const ProjectSession& session,
                             const std::vector<DeviceNeed>& open) const
{
    const auto& address = session.project().address;
    const auto isLive = [&](const TaskPointer& task) {
        return task->row.project == address && (!task->isOver() || !task->row.reported);
    };
    return !open.empty() || m_refusals.contains(address) ||
           std::any_of(m_queue.all().begin(), m_queue.all().end(), isLive);
}

void WorkSupply::ask(ProjectSession& session, std::vector<DeviceNeed>& open)
{
    const auto& address = session.project().address;
    Asked asked;
    work::SchedulerRequest request;
    request.memoryBytes = std::min<std::uint64_t>(m_needs.memoryAtMost, std::uint64_t{1} << 50);
    for (const auto& need : m_needs.devices) {
        auto report = reportOn(need);
        const auto isThis = [&](const DeviceNeed& other) {
            return other.device.id == need.device.id;
        };
        report.wantsWork = std::any_of(open.begin(), open.end(), isThis);
        if (report.wantsWork)
            asked.devices.push_back(need.device.id);
        request.devices.push_back(std::move(report));
    }
    for (const auto& task : m_queue.all())
        if (task->row.project == address && !task->isOver())
            request.running.push_back(
                {task->row.unit, task->step, !task->needsDevice() || endsSoon(*task)});
    asked.failures = m_queue.unreported(address);
    for (const auto& task : asked.failures)
        request.failed.push_back({task->row.unit, task->row.failure, task->row.message});
    if (auto refused = m_refusals.extract(address); !refused.empty())
        asked.refusals = std::move(refused.mapped());
    request.failed.insert(request.failed.end(), asked.refusals.begin(), asked.refusals.end());
    open.clear();
    m_asked[address] = std::move(asked);
    session.schedule(std::move(request));
}

void WorkSupply::take(ProjectSession& session, const work::SchedulerReply& reply)
{
    auto call = m_asked.extract(session.project().address);
    if (call.empty() || m_stopping)
        return;
    const Asked& asked = call.mapped();
    m_queue.markReported(asked.failures);
    for (const auto& unit : reply.withdrawn)
        withdraw(session, unit);
    for (const auto& envelope : reply.units)
        accept(session, envelope, asked);
    if (!reply.units.empty())
        Q_EMIT hurry();
    Q_EMIT changed();
}

void WorkSupply::accept(ProjectSession& session, const Json& envelope, const Asked& asked)
{
    const auto& project = session.project();
    const auto body = verifiedJson("unit", envelope, project.key);
    const auto unit = body ? work::workUnitFromJson(*body) : Result<work::WorkUnit>(body.error());
    const auto accepted =
        unit ? acceptUnit(session, envelope, *unit, asked) : Result<void>(unit.error());
    if (accepted)
        return;
    const Error& error = accepted.error();
    // One that cannot be stored now is not refused: the project sends it again when it sees that we
    // do not have it.
    if (error.kind == ErrorKind::Io || error.kind == ErrorKind::Full)
        return m_context.log.warnOnce("A work unit could not be taken: " + error.message);
    const bool ours = error.kind == ErrorKind::Cancelled;
    m_context.log.warn(project.name + ": a work unit was " + (ours ? "declined: " : "refused: ") +
                       error.message);
    const std::string id = unit ? unit->id : claimedId(envelope);
    if (!id.empty())
        m_refusals[project.address].push_back(
            {id, ours ? kDeclined : toString(error.kind), error.message});
}

Result<std::string> WorkSupply::deviceFor(const work::WorkUnit& unit, const Asked& asked) const
{
    const std::uint64_t disk = m_cache.missingBytes(unit);
    if (static_cast<double>(disk) > m_needs.diskGigabytes * kBytesPerGigabyte)
        return declined("its files take " + megabytes(disk) +
                        " of disk space, more than the settings allow");
    std::uint64_t memory = 0;
    for (const auto& need : m_needs.devices) {
        const bool wasAsked = std::find(asked.devices.begin(), asked.devices.end(),
                                        need.device.id) != asked.devices.end();
        const auto current = m_queue.forDevice(need.device.id);
        const bool isFree =
            !current || (m_queue.nextForDevice(need.device.id) == nullptr && endsSoon(*current));
        if (!wasAsked || !isFree)
            continue;
        memory = trainingMemory(unit, need.device.backend);
        if (memory <= m_needs.memoryAtMost)
            return need.device.id;
    }
    if (memory > 0)
        return declined("it needs about " + megabytes(memory) +
                        " of memory, and the settings allow " + megabytes(m_needs.memoryAtMost));
    return declined("no device is free for it");
}

Result<void> WorkSupply::acceptUnit(ProjectSession& session, const Json& envelope,
                                    const work::WorkUnit& unit, const Asked& asked)
{
    const auto& project = session.project();
    if (const auto known = m_queue.find(project.address, unit.id)) {
        if (known->isOver())
            return Error{ErrorKind::Conflict, "it was worked on here before"};
        return {}; // an answer that came twice
    }
    CW_TRY(const std::string device, deviceFor(unit, asked));
    CW_TRY(const TaskPointer task, m_queue.add(project.address, unit, envelope, device));
    m_cache.pin(unit);
    task->pinned = true;
    session.followRun(unit.run, unit.anchor.version);
    m_context.log.say(project.name + " gave a work unit: version " +
                      std::to_string(unit.anchor.version) + " of the model, at most " +
                      std::to_string(unit.stepsAtMost) + " steps");
    return {};
}

void WorkSupply::withdraw(ProjectSession& session, const std::string& unit)
{
    const auto task = m_queue.find(session.project().address, unit);
    if (!task || task->isOver())
        return;
    task->cancelTransfer = true;
    if (m_queue.move(*task, TaskState::Obsolete))
        m_context.log.say(session.project().name + " no longer needs a work unit; it is dropped");
}

void WorkSupply::abandon(const TaskPointer& task)
{
    task->cancelTransfer = true;
    if (!m_queue.fail(*task, kDeclined, "handed back by its volunteer"))
        return;
    m_context.log.say("A work unit was handed back to the project");
    askSoon(*task);
}

void WorkSupply::askSoon(const Task& task)
{
    if (auto* session = sessionOf(task.row.project))
        session->askSoon();
}

void WorkSupply::cancelTransfers()
{
    for (const auto& task : m_queue.all())
        task->cancelTransfer = true;
}

void WorkSupply::stop()
{
    m_stopping = true;
    cancelTransfers();
    for (const auto& session : m_sessions)
        session->cancel();
}

bool WorkSupply::idle() const
{
    const auto isIdle = [](const auto& session) { return session->idle(); };
    return m_files.idle() && std::all_of(m_sessions.begin(), m_sessions.end(), isIdle) &&
           std::all_of(m_retired.begin(), m_retired.end(), isIdle);
}

} // namespace commonweight::agent
