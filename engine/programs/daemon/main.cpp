// commonweightd: the agent without a window. Runs until it is told to end by SIGTERM, SIGINT or
// "commonweightctl quit".
//
// Exit codes: 0 ended as told; 1 could not start, one sentence on standard error says why; 2 wrong
// use of the command line.

#include "engine/agent/agent.h"
#include "engine/base/atomic_file.h"
#include "engine/base/log.h"
#include "engine/programs/daemon/signal_watch.h"

#include <CLI/CLI.hpp>

#include <QCoreApplication>
#include <QTimer>

#include <algorithm>
#include <cstdio>

namespace {

using namespace commonweight;

enum ExitCode { kDone = 0, kFailed = 1, kMisused = 2 };

struct Options {
    agent::AgentOptions agent = agent::defaultAgentOptions();
    std::string attach;
    std::string when;
    std::optional<int> threads;
    std::optional<int> checkpointSeconds;
    std::optional<double> dutyCycle;
    bool verbose = false;
};

/// An exit code when there is nothing more to do.
std::optional<int> readOptions(int argc, char** argv, Options& options)
{
    CLI::App app("Trains a shared model on this computer while you do not need it. Talk to it with "
                 "commonweightctl.");
    std::string state;
    std::string data;
    std::string trainer;
    app.set_version_flag("--version", "commonweightd " COMMONWEIGHT_VERSION);
    app.add_option("--state", state, "Folder for what the agent remembers")->type_name("DIR");
    app.add_option("--data", data, "Folder for models, text and work in progress")
        ->type_name("DIR");
    app.add_option("--attach", options.attach, "Join the project at this address")
        ->type_name("URL");
    app.add_option("--trainer", trainer,
                   "The program that trains (default: commonweight-trainer beside this one)")
        ->type_name("PATH");
    app.add_option("--check-against", options.agent.checkAgainst,
                   "Repeat each operation on this device, too, and stop at the first difference; "
                   "slow (a device's id, or loops)")
        ->type_name("ID");
    app.add_flag("--allow-unconfined", options.agent.allowUnconfined,
                 "Train even where this system cannot confine the training program");
    app.add_option("--when", options.when, "When to train")
        ->check(CLI::IsMember({"idle", "always", "never"}));
    app.add_option("--threads", options.threads,
                   "Processor threads to train with (0: half of the cores)")
        ->check(CLI::Range(0, 1024));
    app.add_option("--checkpoint-seconds", options.checkpointSeconds, "Time between checkpoints")
        ->check(CLI::Range(1, 3600));
    app.add_option("--duty-cycle", options.dutyCycle, "Share of the time to compute")
        ->check(CLI::Range(0.1, 1.0));
    app.add_flag("--verbose", options.verbose, "Log details");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? kDone : kMisused;
    }
    if (!state.empty())
        options.agent.stateFolder = std::filesystem::absolute(state);
    if (!data.empty())
        options.agent.dataFolder = std::filesystem::absolute(data);
    if (!trainer.empty())
        options.agent.trainer = std::filesystem::absolute(trainer);
    return std::nullopt;
}

int fail(const std::string& sentence)
{
    std::fprintf(stderr, "commonweightd: %s\n", sentence.c_str());
    return kFailed;
}

Result<void> applyPreferences(agent::Agent& agent, const Options& options)
{
    agent::Preferences preferences = agent.snapshot().preferences;
    if (options.when == "idle")
        preferences.when = agent::RunWhen::Idle;
    else if (options.when == "always")
        preferences.when = agent::RunWhen::Always;
    else if (options.when == "never")
        preferences.when = agent::RunWhen::Never;
    preferences.processorThreads = options.threads.value_or(preferences.processorThreads);
    preferences.checkpointSeconds =
        options.checkpointSeconds.value_or(preferences.checkpointSeconds);
    preferences.dutyCycle = options.dutyCycle.value_or(preferences.dutyCycle);
    return agent.setPreferences(preferences);
}

/// Joins the project unless that was done before. Failing to is the end, with its sentence.
void attach(agent::Agent& agent, const std::string& address, int& exitCode)
{
    QObject::connect(&agent, &agent::Agent::attached, &agent,
                     [&agent, &exitCode](const QString& project, const QString& error) {
                         if (error.isEmpty() || !agent.snapshot().projects.empty())
                             return;
                         exitCode = fail("cannot join " + project.toStdString() + ": " +
                                         error.toStdString());
                         agent.stop();
                     });
    const auto& projects = agent.snapshot().projects;
    const auto isThis = [&](const agent::ProjectView& project) {
        return project.address == address;
    };
    if (std::none_of(projects.begin(), projects.end(), isThis))
        agent.attach(QString::fromStdString(address));
}

int run(int argc, char** argv)
{
    Options options;
    if (const auto code = readOptions(argc, argv, options))
        return *code;
    QCoreApplication application(argc, argv);
    if (const auto made = makeFolder(options.agent.stateFolder, 0700); !made)
        return fail(made.error().message);
    startLog({"commonweightd", options.agent.stateFolder / "commonweightd.log", options.verbose});
    const daemon::SignalWatch signals;
    auto agent = agent::Agent::create(options.agent);
    if (!agent)
        return fail(agent.error().message);
    if (const auto applied = applyPreferences(**agent, options); !applied)
        return fail(applied.error().message);

    int exitCode = kDone;
    agent::Agent& running = **agent;
    QObject::connect(&running, &agent::Agent::stopped, &application, &QCoreApplication::quit);
    QObject::connect(&signals, &daemon::SignalWatch::endRequested, &running, &agent::Agent::stop);
    if (!options.attach.empty())
        attach(running, options.attach, exitCode);
    QCoreApplication::exec();
    return exitCode;
}

} // namespace

int main(int argc, char** argv)
{
    return run(argc, argv);
}
