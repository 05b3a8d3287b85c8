#include "server/project/reports.h"

#include "server/page/run_info.h"
#include "server/sync/replay.h"

#include <iomanip>
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

} // namespace

Result<Json> statusJson(OpenedProject& project)
{
    CW_TRY(const auto info, runInfo(*project.store, project.run.id()));
    return Json{{"project", project.project.name},
                {"description", project.project.description},
                {"run", work::toJson(info)}};
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
    return out.str();
}

Result<Json> leasesJson(OpenedProject& project)
{
    CW_TRY(const auto leases, project.store->leases(project.run.id()));
    Json list = Json::array();
    Json totals{{"free", 0}, {"leased", 0}, {"merged", 0}};
    for (const auto& lease : leases) {
        CW_TRY(auto json, leaseJson(*project.store, lease));
        auto& total = totals[toString(lease.state)];
        total = total.get<std::uint64_t>() + lease.count;
        list.push_back(std::move(json));
    }
    return Json{{"run", project.run.id()},
                {"lanes_per_epoch", project.run.definition->lanes()},
                {"totals", std::move(totals)},
                {"leases", std::move(list)}};
}

std::string leasesText(const Json& leases)
{
    std::ostringstream out;
    out << leases.at("lanes_per_epoch") << " lanes an epoch; merged "
        << leases.at("totals").at("merged") << ", leased " << leases.at("totals").at("leased")
        << ", returned and free " << leases.at("totals").at("free") << '\n';
    out << std::left << std::setw(7) << "epoch" << std::setw(12) << "first" << std::setw(8)
        << "lanes" << std::setw(8) << "state" << std::setw(36) << "unit"
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
