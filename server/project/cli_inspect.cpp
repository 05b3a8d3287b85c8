#include "server/project/cli.h"
#include "server/project/model_commands.h"
#include "server/project/reports.h"

#include <cstdio>

namespace commonweight::server {

namespace {

/// The options of every command that looks at a project.
struct Inspect {
    Selection selection;
    bool json = false;
    EvaluationOptions evaluation;
    std::string prompt;
    model::SamplingOptions sampling;
    int samples = 1;
    std::filesystem::path to;
    LeaseFilter leases;
    std::string release;
};

struct Command {
    CLI::App* app;
    std::shared_ptr<Inspect> state;
};

Command addCommand(CLI::App& app, const char* name, const char* help, bool hasVersion)
{
    auto* command = app.add_subcommand(name, help);
    const auto state = std::make_shared<Inspect>();
    command->add_option("--folder", state->selection.folder, "The project's folder")->required();
    command->add_option("--run", state->selection.run, "Which run (default: the first)");
    if (hasVersion)
        command->add_option("--version", state->selection.version,
                            "Which version (default: the newest)");
    command->add_flag("--json", state->json, "Print JSON");
    return {command, state};
}

/// Runs `body` on the opened project when the command was chosen.
void onChosen(const Command& command, Action& action,
              std::function<Result<void>(OpenedProject&, const Inspect&)> body)
{
    command.app->callback([state = command.state, body = std::move(body), &action] {
        action = [state, body]() -> Result<void> {
            CW_TRY(auto project, openProject(state->selection));
            return body(project, *state);
        };
    });
}

Result<void> showStatus(OpenedProject& project, const Inspect& options)
{
    CW_TRY(const Json status, statusJson(project));
    printLine(options.json ? dumpJson(status) : statusText(status));
    return {};
}

Result<void> showLeases(OpenedProject& project, const Inspect& options)
{
    CW_TRY(const Json leases, leasesJson(project, options.leases));
    printLine(options.json ? dumpJson(leases) : leasesText(leases));
    return {};
}

Result<void> showHosts(OpenedProject& project, const Inspect& options)
{
    if (!options.release.empty())
        CW_CHECK(project.store->setQuarantine(options.release, {}));
    CW_TRY(const Json hosts, hostsJson(project));
    printLine(options.json ? dumpJson(hosts) : hostsText(hosts));
    return {};
}

Result<void> replay(OpenedProject& project, const Inspect& options)
{
    CW_TRY(const Json outcome, replayJson(project, [&](const std::string& line) {
               if (!options.json)
                   printLine(line);
           }));
    if (options.json)
        printLine(dumpJson(outcome));
    return {};
}

Result<void> evaluate(OpenedProject& project, const Inspect& options)
{
    CW_TRY(const Json outcome, evaluateVersion(project, options.evaluation));
    char line[96];
    std::snprintf(line, sizeof line, "version %llu: held-out loss %.4f nats per byte",
                  static_cast<unsigned long long>(project.version.version),
                  outcome.at("loss").get<double>());
    printLine(options.json ? dumpJson(outcome) : line);
    return {};
}

Result<void> sample(OpenedProject& project, const Inspect& options)
{
    Json texts = Json::array();
    auto sampling = options.sampling;
    for (int i = 0; i < options.samples; ++i, ++sampling.seed) {
        CW_TRY(const auto text,
               sampleVersion(project, options.prompt, sampling, options.evaluation.threads));
        if (!options.json)
            printLine((i > 0 ? "\n---\n" : "") + options.prompt + text);
        texts.push_back(options.prompt + text);
    }
    if (options.json)
        printLine(dumpJson({{"run", project.run.id()},
                            {"version", project.version.version},
                            {"samples", std::move(texts)}}));
    return {};
}

Result<void> exportTo(OpenedProject& project, const Inspect& options)
{
    CW_TRY(const Json outcome, exportVersion(project, options.to));
    printLine(options.json ? dumpJson(outcome)
                           : "Version " + std::to_string(project.version.version) + " is in " +
                                 options.to.string() + " (safetensors in the Llama layout)");
    return {};
}

void addThreads(const Command& command)
{
    command.app->add_option("--threads", command.state->evaluation.threads, "Processor threads")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
}

} // namespace

void printLine(const std::string& line)
{
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
}

void addStatus(CLI::App& app, Action& action)
{
    onChosen(addCommand(app, "status", "Show how the training goes", false), action, showStatus);
}

void addLeases(CLI::App& app, Action& action)
{
    const auto command =
        addCommand(app, "leases", "Show who has or had which part of the text", false);
    auto& filter = command.state->leases;
    command.app->add_option("--state", filter.state, "Only free, leased or merged parts")
        ->check(CLI::IsMember({"free", "leased", "merged"}));
    command.app->add_option("--host", filter.host, "Only those of this host");
    command.app->add_option("--epoch", filter.epoch, "Only those of this epoch");
    onChosen(command, action, showLeases);
}

void addHosts(CLI::App& app, Action& action)
{
    const auto command = addCommand(
        app, "hosts", "Show the volunteers' computers and how far they are trusted", false);
    command.app->add_option("--release", command.state->release,
                            "End this host's quarantine; it begins anew");
    onChosen(command, action, showHosts);
}

void addReplay(CLI::App& app, Action& action)
{
    onChosen(
        addCommand(app, "replay", "Rebuild every version from the merge log and compare", true),
        action, replay);
}

void addEvaluate(CLI::App& app, Action& action)
{
    const auto command = addCommand(app, "evaluate", "Measure the loss on held-out text", true);
    addThreads(command);
    command.app
        ->add_option("--tokens", command.state->evaluation.tokensAtMost,
                     "Held-out tokens to use; 0 = all")
        ->capture_default_str();
    onChosen(command, action, evaluate);
}

void addSample(CLI::App& app, Action& action)
{
    const auto command = addCommand(app, "sample", "Let the model write", true);
    addThreads(command);
    auto& state = *command.state;
    command.app->add_option("--prompt", state.prompt, "Text to go on from");
    command.app->add_option("--tokens", state.sampling.tokens, "How much to write")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command.app->add_option("--temperature", state.sampling.temperature, "0 = always the likeliest")
        ->check(CLI::Range(0.0, 10.0))
        ->capture_default_str();
    command.app->add_option("--top-k", state.sampling.topK, "Choose among so many; 0 = all")
        ->check(CLI::Range(0, 10'000'000))
        ->capture_default_str();
    command.app->add_option("--seed", state.sampling.seed, "Another seed writes another text")
        ->capture_default_str();
    command.app->add_option("--samples", state.samples, "How many texts")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    onChosen(command, action, sample);
}

void addExport(CLI::App& app, Action& action)
{
    const auto command = addCommand(
        app, "export", "Write the model as a folder that Hugging Face's programs read", true);
    command.app->add_option("--to", command.state->to, "The folder to write")->required();
    onChosen(command, action, exportTo);
}

} // namespace commonweight::server
