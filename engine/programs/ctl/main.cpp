// commonweightctl: shows and steers a running agent.
//
// Exit codes: 0 done; 1 the agent refused, one sentence on standard error says why; 2 wrong use of
// the command line; 3 no agent is running.

#include "engine/agent/agent.h"
#include "engine/programs/ctl/commands.h"

#include <CLI/CLI.hpp>

#include <QCoreApplication>

namespace {

using namespace commonweight;

void addCommands(CLI::App& app, ctl::Invocation& invocation)
{
    app.add_subcommand("status", "What it is doing, and why");
    auto* pause = app.add_subcommand("pause", "Stop training for a while, or until you resume");
    pause->add_option("time", invocation.argument, "For example 15m, 1h, 3h or tomorrow");
    app.add_subcommand("resume", "End a pause; test devices that failed again");
    auto* attach = app.add_subcommand("attach", "Join a project");
    attach->add_option("address", invocation.argument, "Its address")->required();
    auto* detach = app.add_subcommand("detach", "Leave a project");
    detach->add_option("address", invocation.argument, "Its address")->required();
    app.add_subcommand("tasks", "The work units of this computer");
    auto* log = app.add_subcommand("log", "What happened lately");
    log->add_flag("--follow", invocation.follow, "Go on as it happens");
    app.add_subcommand("preferences", "All settings");
    auto* set = app.add_subcommand("set", "Change a setting");
    set->add_option("name", invocation.argument, "Its name, as preferences shows it")->required();
    set->add_option("value", invocation.value, "Its new value")->required();
    app.add_subcommand("undo", "Take back the last change of a setting");
    auto* abandon = app.add_subcommand("abandon", "Hand a work unit back to its project");
    abandon->add_option("unit", invocation.argument, "Its name, as tasks shows it")->required();
    app.add_subcommand("quit", "End the agent; its work is kept");
    for (auto* command : app.get_subcommands({})) {
        command->callback([&invocation, command] { invocation.command = command->get_name(); });
    }
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app("Shows and steers a running Commonweight agent.");
    ctl::Invocation invocation;
    invocation.stateFolder = agent::defaultAgentOptions().stateFolder;
    std::string state;
    app.set_version_flag("--version", "commonweightctl " COMMONWEIGHT_VERSION);
    app.add_option("--state", state, "The agent's state folder")->type_name("DIR");
    app.add_flag("--json", invocation.json, "Print JSON");
    app.require_subcommand(1);
    app.fallthrough();
    addCommands(app, invocation);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? ctl::kDone : ctl::kMisused;
    }
    if (!state.empty())
        invocation.stateFolder = state;
    const QCoreApplication application(argc, argv);
    return ctl::execute(invocation);
}
