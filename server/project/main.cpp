// commonweight-project: makes a project out of text, and looks at how it goes.
//
// Exit codes: 0 done; 1 it failed, with one sentence on standard error; 2 wrong use of the command
// line; 3 the folder is in use, holds a project already, or was written by another version.

#include "engine/base/log.h"
#include "server/project/cli.h"

#include <csignal>
#include <cstdio>

namespace {

enum ExitCode { kDone = 0, kFailed = 1, kMisused = 2, kOccupied = 3 };

} // namespace

int main(int argc, char** argv)
{
    using namespace commonweight;
    CLI::App app("Makes a Commonweight project out of text, and looks at how it goes.");
    app.set_version_flag("--version", "commonweight-project " COMMONWEIGHT_VERSION);
    app.require_subcommand(1);
    server::Action action;
    for (const auto add : {server::addCreate, server::addStatus, server::addLeases,
                           server::addHosts, server::addReplay, server::addRollback,
                           server::addEvaluate, server::addSample, server::addExport})
        add(app, action);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? kDone : kMisused;
    }
    std::signal(SIGPIPE, SIG_IGN);
    startLog({"commonweight-project", {}, false});
    const auto done = action();
    if (done.ok())
        return kDone;
    std::fprintf(stderr, "commonweight-project: %s\n", done.error().message.c_str());
    return done.error().kind == ErrorKind::Conflict ? kOccupied : kFailed;
}
