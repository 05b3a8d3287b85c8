// commonweight-server: serves one project from one folder. `serve --folder DIR` prints its address
// and runs until SIGTERM or SIGINT.
//
// Exit codes: 0 ended as told; 1 it could not start or go on; 2 wrong use of the command line; 3
// the folder is in use, was written by a newer version, or the port is taken.

#include "engine/base/atomic_file.h"
#include "engine/base/log.h"
#include "server/program/server.h"
#include "server/store/project_folder.h"

#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>

namespace {

using namespace commonweight;

enum ExitCode { kDone = 0, kFailed = 1, kMisused = 2, kOccupied = 3 };

struct Options {
    server::ServerOptions server;
    std::filesystem::path portFile;
    std::filesystem::path tokenFile;
    bool noEvaluation = false;
    bool noRollback = false;
    bool verbose = false;
};

void describe(CLI::App& app, Options& options)
{
    app.set_version_flag("--version", "commonweight-server " COMMONWEIGHT_VERSION);
    app.require_subcommand(1);
    auto* serve =
        app.add_subcommand("serve", "Serve a project that commonweight-project create made");
    serve->add_option("--folder", options.server.folder, "The project's folder")->required();
    serve->add_option("--address", options.server.http.address, "Address to listen on")
        ->capture_default_str();
    options.server.http.port = 7890;
    serve->add_option("--port", options.server.http.port, "Port to listen on; 0 takes any free one")
        ->capture_default_str();
    serve->add_option("--port-file", options.portFile,
                      "Write the port here once the server listens");
    serve->add_option("--workers", options.server.http.workers, "Threads for requests")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    serve->add_option("--admin-token-file", options.tokenFile,
                      "File with the token that opens /metrics and /v1/admin");
    serve->add_flag("--no-evaluation", options.noEvaluation,
                    "Do not measure the loss on held-out text");
    serve
        ->add_option("--evaluation-threads", options.server.evaluation.threads,
                     "Processor threads for the evaluation")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    serve
        ->add_option("--evaluation-tokens", options.server.evaluation.tokensAtMost,
                     "Held-out tokens of one evaluation; 0 = all")
        ->capture_default_str();
    serve
        ->add_option("--evaluation-every", options.server.evaluation.every,
                     "Measure one version in so many")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    serve->add_flag("--no-rollback", options.noRollback,
                    "Only report a version whose held-out loss is far too high; do not return to "
                    "the last good one");
    serve
        ->add_option("--keep-snapshots", options.server.retention.snapshots,
                     "Keep what is needed to rebuild all versions since so many snapshots; 0 = "
                     "keep everything")
        ->check(CLI::Range(0, 1'000'000))
        ->capture_default_str();
    serve
        ->add_option("--merge-threads", options.server.mergeThreads,
                     "Fragments merged at once; 0 = one for each processor")
        ->check(CLI::Range(0, 256))
        ->capture_default_str();
    serve->add_flag("--verbose", options.verbose, "Log more");
}

Result<void> readToken(Options& options)
{
    if (options.tokenFile.empty())
        return {};
    CW_TRY(auto token, readTextFile(options.tokenFile, 4096));
    token.erase(token.find_last_not_of(" \r\n") + 1);
    if (token.size() < 16)
        return Error{ErrorKind::Protocol,
                     options.tokenFile.string() + " must hold a token of at least 16 characters"};
    options.server.http.adminToken = token;
    return {};
}

int report(const Error& error)
{
    spdlog::error("{}", error.message);
    return error.kind == ErrorKind::Conflict ? kOccupied : kFailed;
}

/// Blocked here and in every thread that starts later, so that only the main thread receives them.
sigset_t blockEndSignals()
{
    std::signal(SIGPIPE, SIG_IGN);
    sigset_t signals;
    sigemptyset(&signals);
    for (const int number : {SIGTERM, SIGINT, SIGHUP})
        sigaddset(&signals, number);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    return signals;
}

int serve(Options& options, const sigset_t& signals)
{
    if (const auto token = readToken(options); !token.ok())
        return report(token.error());
    options.server.evaluate = !options.noEvaluation;
    options.server.evaluation.rollBack = !options.noRollback;
    const SystemClock clock;
    const auto server = server::Server::start(options.server, clock);
    if (!server.ok())
        return report(server.error());
    const auto port = (*server)->port();
    spdlog::info("\"{}\" is served at http://{}:{}/", (*server)->projectName(),
                 options.server.http.address, port);
    std::printf("http://%s:%u\n", options.server.http.address.c_str(), port);
    std::fflush(stdout);
    if (!options.portFile.empty())
        if (const auto written =
                writeFileAtomically(options.portFile, asBytes(std::to_string(port) + "\n"));
            !written.ok())
            return report(written.error());
    int signal = 0;
    sigwait(&signals, &signal);
    spdlog::info("Stopping; what was received is kept");
    (*server)->stop();
    return kDone;
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app("Serves a Commonweight project: hands out work, merges what comes back, shows the "
                 "progress.");
    Options options;
    describe(app, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? kDone : kMisused;
    }
    const auto signals = blockEndSignals();
    std::error_code ignored;
    const bool exists = std::filesystem::is_directory(options.server.folder, ignored);
    startLog({"commonweight-server",
              exists ? server::ProjectFolder{options.server.folder}.log() : std::filesystem::path(),
              options.verbose});
    return serve(options, signals);
}
