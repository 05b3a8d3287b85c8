#include "server/project/reports.h"

#include "server/page/run_info.h"
#include "server/schedule/trust.h"
#include "server/sync/replay.h"

#include <iomanip>
#include <map>
#include <sstream>

namespace commonweight::server {

namespace {

std::string lossLine(const Json& losses)
{
    if (losses.empty())
        return "held-out loss    not measured yet";
    std::ostringstream out;
    out << std::fixed << std::setprecision(4) << "held-out loss    "
        << losses.front().at("loss").get<double>();
    if (losses.size() > 1)
        out << " (version " << losses.front().at("version") << ") -> "
            << losses.back().at("loss").get<double>();
    out << " (version " << losses.back().at("version") << ") nats per byte";
    return out.str();
}

Result<Json> leaseJson(Store& store, const LeaseRecord& lease)
{
    Json json{{"epoch", lease.epoch},
              {"first", lease.first},
              {"count", lease.count},
              {"state", toString(lease.state)},
              {"changed", toRfc3339(lease.changed)}};
    if (lease.unit.empty())
        return json;
    CW_TRY(const auto unit, store.unit(lease.unit));
    json["unit"] = unit.id;
    json["host"] = unit.host;
    json["unit_state"] = toString(unit.state);
    if (lease.state == LeaseState::Leased)
        json["deadline"] = toRfc3339(unit.deadline);
    return json;
}

/// Counts lanes by epoch and by host.
class LeaseTable {
public:
    LeaseTable(std::uint64_t lanesPerEpoch, LeaseCursor cursor)
        : m_lanesPerEpoch(lanesPerEpoch), m_cursor(cursor)
    {}

    void add(const LeaseRecord& lease, Json json)
    {
        count(m_totals, lease);
        count(m_epochs[lease.epoch], lease);
        if (json.contains("host"))
            count(m_hosts[json["host"].get<std::string>()], lease);
        m_leases.push_back(std::move(json));
    }

    Json json(const std::string& run) const
    {
        Json epochs = Json::array(), hosts = Json::array();
        for (const auto& [epoch, lanes] : m_epochs) {
            Json row = lanes;
            row["epoch"] = epoch;
            row["untouched"] = epoch == m_cursor.epoch ? m_lanesPerEpoch - m_cursor.position : 0;
            epochs.push_back(std::move(row));
        }
        for (const auto& [host, lanes] : m_hosts)
            hosts.push_back(
                {{"host", host}, {"leased", lanes.at("leased")}, {"merged", lanes.at("merged")}});
        return {{"run", run},
                {"lanes_per_epoch", m_lanesPerEpoch},
                {"totals", m_totals},
                {"epochs", std::move(epochs)},
                {"hosts", std::move(hosts)},
                {"leases", m_leases}};
    }

private:
    static Json none() { return {{"free", 0}, {"leased", 0}, {"merged", 0}}; }
    static void count(Json& lanes, const LeaseRecord& lease)
    {
        if (lanes.is_null())
            lanes = none();
        auto& number = lanes[toString(lease.state)];
        number = number.get<std::uint64_t>() + lease.count;
    }

    const std::uint64_t m_lanesPerEpoch;
    const LeaseCursor m_cursor;
    Json m_totals = none();
    std::map<std::uint64_t, Json> m_epochs;
    std::map<std::string, Json> m_hosts;
    Json m_leases = Json::array();
};

Json toJson(const RollbackRecord& rollback)
{
    return {{"version", rollback.version},
            {"restored", rollback.restored},
            {"reverted", Json::array({rollback.firstReverted, rollback.lastReverted})},
            {"suspects", rollback.suspects},
            {"reason", rollback.reason},
            {"time", toRfc3339(rollback.created)}};
}

} // namespace

Result<Json> statusJson(OpenedProject& project)
{
    CW_TRY(const auto info, runInfo(*project.store, project.run.id()));
    CW_TRY(const auto rollbacks, project.store->rollbacks(project.run.id()));
    Json list = Json::array();
    for (const auto& rollback : rollbacks)
        list.push_back(toJson(rollback));
    CW_TRY(const auto hosts, project.store->hosts());
    Json quarantined = Json::array();
    for (const auto& host : hosts)
        if (!host.quarantine.empty())
            quarantined.push_back(host.id);
    return Json{{"project", project.project.name},
                {"description", project.project.description},
                {"run", work::toJson(info)},
                {"rollbacks", std::move(list)},
                {"quarantined", std::move(quarantined)}};
}

std::string statusText(const Json& status)
{
    const Json& run = status.at("run");
    std::ostringstream out;
    out << status.at("project").get<std::string>() << ": run " << run.at("id").get<std::string>()
        << ", " << run.at("state").get<std::string>() << '\n'
        << "parameters       " << run.at("parameters") << '\n'
        << "newest version   " << run.at("newest").at("version") << '\n'
        << "tokens merged    " << run.at("tokens_merged") << " of " << run.at("tokens_total")
        << '\n'
        << "results merged   " << run.at("results_merged") << " from "
        << run.at("contributors").size() << " contributor(s)\n"
        << "active now       " << run.at("active_hosts") << '\n'
        << lossLine(run.at("losses"));
    for (const auto& rollback : status.at("rollbacks"))
        out << "\nrolled back      version " << rollback.at("version") << " is version "
            << rollback.at("restored") << " again: " << rollback.at("reason").get<std::string>();
    if (!status.at("quarantined").empty())
        out << "\nin quarantine    " << status.at("quarantined").size()
            << " host(s): see commonweight-project hosts";
    return out.str();
}

Result<Json> leasesJson(OpenedProject& project, const LeaseFilter& filter)
{
    CW_TRY(const auto leases, project.store->leases(project.run.id()));
    LeaseTable table(project.run.definition->lanes(), project.run.status.cursor);
    for (const auto& lease : leases) {
        if (filter.epoch && lease.epoch != *filter.epoch)
            continue;
        if (!filter.state.empty() && filter.state != toString(lease.state))
            continue;
        CW_TRY(auto json, leaseJson(*project.store, lease));
        if (filter.host.empty() || json.value("host", "") == filter.host)
            table.add(lease, std::move(json));
    }
    return table.json(project.run.id());
}

std::string leasesText(const Json& leases)
{
    std::ostringstream out;
    out << leases.at("lanes_per_epoch") << " lanes an epoch; merged "
        << leases.at("totals").at("merged") << ", leased " << leases.at("totals").at("leased")
        << ", returned and free " << leases.at("totals").at("free") << '\n'
        << std::left;
    for (const auto& epoch : leases.at("epochs"))
        out << "epoch " << epoch.at("epoch") << ": merged " << epoch.at("merged") << ", leased "
            << epoch.at("leased") << ", free " << epoch.at("free") << '\n';
    for (const auto& host : leases.at("hosts"))
        out << "host " << host.at("host").get<std::string>() << ": merged " << host.at("merged")
            << ", leased " << host.at("leased") << '\n';
    out << std::setw(7) << "epoch" << std::setw(12) << "first" << std::setw(8) << "lanes"
        << std::setw(8) << "state" << std::setw(36) << "unit"
        << "host";
    for (const auto& lease : leases.at("leases"))
        out << '\n'
            << std::setw(7) << lease.at("epoch").get<std::uint64_t>() << std::setw(12)
            << lease.at("first").get<std::uint64_t>() << std::setw(8)
            << lease.at("count").get<std::uint64_t>() << std::setw(8)
            << lease.at("state").get<std::string>() << std::setw(36) << lease.value("unit", "")
            << lease.value("host", "");
    return out.str();
}

Result<Json> hostsJson(OpenedProject& project)
{
    CW_TRY(const auto hosts, project.store->hosts());
    Json list = Json::array();
    for (const auto& host : hosts)
        if (!host.isProject)
            list.push_back({{"host", host.id},
                            {"name", host.name},
                            {"validated_units", host.validatedUnits},
                            {"trust", trustOf(host.validatedUnits)},
                            {"tokens_per_second", host.tokensPerSecond},
                            {"quarantine", host.quarantine},
                            {"banned", host.banned},
                            {"seen", toRfc3339(host.seen)}});
    return Json{{"hosts", std::move(list)}};
}

std::string hostsText(const Json& hosts)
{
    std::ostringstream out;
    out << std::left << std::setw(36) << "host" << std::setw(8) << "units" << std::setw(8)
        << "trust"
        << "name";
    for (const auto& host : hosts.at("hosts")) {
        out << '\n'
            << std::setw(36) << host.at("host").get<std::string>() << std::setw(8)
            << host.at("validated_units").get<std::uint64_t>() << std::setw(8)
            << host.at("trust").get<double>() << host.at("name").get<std::string>();
        if (const auto reason = host.at("quarantine").get<std::string>(); !reason.empty())
            out << "\n    in quarantine: " << reason;
    }
    return out.str();
}

Result<Json> replayJson(OpenedProject& project,
                        const std::function<void(const std::string&)>& visit)
{
    std::uint64_t done = 0;
    bool equal = true;
    CW_CHECK(replayRun(*project.store, *project.blobs, project.run, project.version.version,
                       [&](const ReplayedVersion& replayed) {
                           done = replayed.version;
                           equal = equal && replayed.equal;
                           visit("version " + std::to_string(replayed.version) + ": " +
                                 std::to_string(replayed.results) + " result(s), " +
                                 (replayed.equal ? "equal" : "DIFFERENT"));
                       }));
    if (!equal)
        return Error{ErrorKind::Corrupt,
                     "version " + std::to_string(done) +
                         " does not follow from its merge log: do not trust it"};
    return Json{{"run", project.run.id()}, {"versions", done}, {"equal", true}};
}

} // namespace commonweight::server
