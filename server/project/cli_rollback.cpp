#include "server/project/cli.h"
#include "server/project/opened_project.h"
#include "server/sync/rollback.h"

namespace commonweight::server {

namespace {

struct RollbackCommand {
    Selection selection;
    RollbackOrder order;
    bool json = false;
};

Result<void> rollBackNow(RollbackCommand& command)
{
    CW_TRY(auto project, openProject(command.selection));
    command.order.keepOthers = !command.order.suspects.empty();
    const SystemClock clock;
    CW_TRY(const auto report,
           rollBack(*project.store, *project.blobs, clock, project.run, command.order));
    const auto newest = report.rebuilt.value_or(report.restored).version;
    if (command.json) {
        printLine(dumpJson({{"run", project.run.id()},
                            {"version", newest},
                            {"restored", command.order.good},
                            {"reverted", Json::array({report.firstReverted, report.lastReverted})},
                            {"results_kept", report.resultsKept},
                            {"results_dropped", report.resultsDropped}}));
        return {};
    }
    printLine("Version " + std::to_string(report.restored.version) +
              " has the content of version " + std::to_string(command.order.good) + " again; " +
              std::to_string(report.resultsDropped) + " contribution(s) dropped, " +
              std::to_string(report.resultsKept) + " merged again. The newest version is " +
              std::to_string(newest));
    return {};
}

} // namespace

void addRollback(CLI::App& app, Action& action)
{
    auto* command = app.add_subcommand(
        "rollback", "Return to an earlier version, as a new one with the old content");
    const auto state = std::make_shared<RollbackCommand>();
    command->add_option("--folder", state->selection.folder, "The project's folder")->required();
    command->add_option("--run", state->selection.run, "Which run (default: the first)");
    command->add_option("--to", state->order.good, "The version to return to")->required();
    command->add_option("--suspect", state->order.suspects,
                        "A host whose contributions are left out and that goes into quarantine; "
                        "what the others did since then is merged again (without: nothing is)");
    state->order.reason = "the operator's decision";
    command->add_option("--reason", state->order.reason, "A sentence for the ledger")
        ->capture_default_str();
    command->add_flag("--json", state->json, "Print JSON");
    command->callback([state, &action] { action = [state] { return rollBackNow(*state); }; });
}

} // namespace commonweight::server
