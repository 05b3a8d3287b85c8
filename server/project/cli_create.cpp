#include "server/project/child_process.h"
#include "server/project/cli.h"
#include "server/project/create.h"

#include <unistd.h>

#include <cstdio>

namespace commonweight::server {

namespace {

struct Create {
    CreateOptions options;
    bool json = false;
    bool noEvaluation = false;
};

/// Text that is overwritten while it changes on a terminal, and one line every while elsewhere.
class ProgressLines {
public:
    void show(const std::string& line)
    {
        const bool passing = line.starts_with("Warm-up: ");
        if (m_terminal) {
            std::fprintf(stderr, passing ? "\r\033[K%s" : "%s%s\n",
                         passing ? line.c_str() : (m_open ? "\n" : ""), line.c_str());
            m_open = passing;
        } else if (!passing || m_count++ % kEvery == 0) {
            std::fprintf(stderr, "%s\n", line.c_str());
        }
        std::fflush(stderr);
    }
    void end()
    {
        if (m_open)
            std::fputs("\n", stderr);
        m_open = false;
    }

private:
    static constexpr int kEvery = 20;
    const bool m_terminal = isatty(STDERR_FILENO) != 0;
    bool m_open = false;
    int m_count = 0;
};

void addTextOptions(CLI::App& command, CreateOptions& options)
{
    command
        .add_option("--folder", options.folder, "The project's folder; made when it does not exist")
        ->required();
    command.add_option("--name", options.recipe.name, "The project's name")->required();
    command.add_option("--description", options.description, "What it is about, for volunteers");
    command.add_option("--terms", options.terms, "Address of the project's terms");
    command.add_option("--text", options.text, "Text files, or folders of them, in UTF-8")
        ->required();
    command.add_option("--tokenizer", options.tokenizer, "bytes or sentencepiece")
        ->capture_default_str();
    command.add_option("--vocabulary", options.vocabulary, "Tokens of the SentencePiece tokenizer")
        ->check(CLI::Range(300, 1'000'000))
        ->capture_default_str();
    command
        .add_option("--held-out", options.heldOut, "Share of the text that is kept for evaluation")
        ->check(CLI::Range(0.0001, 0.5))
        ->capture_default_str();
    command.add_option("--from", options.from,
                       "Continue from this model: a folder with config.json and safetensors");
}

void addRecipeOptions(CLI::App& command, RecipeOptions& recipe)
{
    command
        .add_option("--preset", recipe.preset,
                    "Size of a new model: tiny, demo, nanogpt-cpu, shakespeare, small, base, large")
        ->capture_default_str();
    command.add_option("--micro-batch", recipe.microBatch,
                       "Sequences that a device handles at once");
    command.add_option("--accumulation", recipe.accumulation, "Micro-batches in a step")
        ->capture_default_str();
    command.add_option("--sequence-length", recipe.sequenceLength, "Tokens of a sequence");
    command
        .add_option("--sequences-per-lane", recipe.sequencesPerLane,
                    "Sequences in a row that a unit takes from one place")
        ->capture_default_str();
    command.add_option("--steps-at-most", recipe.stepsAtMost, "Steps of a work unit at most")
        ->capture_default_str();
    command.add_option("--round-seconds", recipe.roundSeconds, "Length of a round")
        ->capture_default_str();
    command
        .add_option("--minimum-quorum", recipe.minimumQuorum, "Results that a round should have")
        ->capture_default_str();
    command.add_option("--target", recipe.target, "Results with which a round is merged at once")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
    command.add_flag("--shift-on-arrival", recipe.shiftOnArrival,
                     "Hosts go on training while they send a result");
    command.add_option("--total-tokens", recipe.totalTokens,
                       "Tokens to train on in all (default: 20 for each parameter)");
    command.add_option("--learning-rate", recipe.learningRate, "Highest learning rate");
    command.add_option("--floor-learning-rate", recipe.floorLearningRate,
                       "Learning rate at the end (default: a tenth)");
    command
        .add_option("--codec", recipe.codec, "Form of the outer gradients: fp32, bf16, int8, int4")
        ->capture_default_str();
    command
        .add_option(
            "--rule", recipe.rule,
            "How contributions are merged: decoupled, mean, diloco, delayed-nesterov or once")
        ->capture_default_str();
    command.add_option("--outer-learning-rate", recipe.outerLearningRate,
                       "Learning rate of the merge (default: by the rule)");
    command.add_option("--outer-momentum", recipe.outerMomentum,
                       "Momentum of the merge (default: 0.9; 0 when a model is continued)");
    command
        .add_option("--downlink", recipe.downlink,
                    "How versions reach the volunteers: as a chain of int8 or int4 differences, or "
                    "none (whole files)")
        ->check(CLI::IsMember({"int8", "int4", "none"}))
        ->capture_default_str();
    command
        .add_option("--fragment-bytes", recipe.fragmentBytes,
                    "Larger models are merged in parts of this size")
        ->capture_default_str();
    command.add_option("--seed", recipe.seed, "Seed of everything random")->capture_default_str();
}

void addWarmUpOptions(CLI::App& command, WarmUpOptions& warmUp)
{
    command
        .add_option("--warm-up-steps", warmUp.steps,
                    "Steps on this computer before volunteers come; 0 = none")
        ->capture_default_str();
    command
        .add_option("--warm-up-accumulation", warmUp.accumulation,
                    "Micro-batches in a step of the warm-up")
        ->check(CLI::Range(1, 4096))
        ->capture_default_str();
    warmUp.trainer = besideThisProgram("commonweight-trainer");
    command.add_option("--trainer", warmUp.trainer, "The trainer program")->capture_default_str();
    command.add_option("--threads", warmUp.threads, "Processor threads for the warm-up")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
}

Json toJson(const CreatedProject& created)
{
    Json losses = Json::array();
    for (const auto& point : created.losses)
        losses.push_back({{"version", point.version}, {"loss", point.loss}});
    return {{"run", created.run},
            {"parameters", created.parameters},
            {"training_tokens", created.trainingTokens},
            {"held_out_tokens", created.heldOutTokens},
            {"shards", created.shards},
            {"losses", std::move(losses)}};
}

Result<void> create(Create& command)
{
    command.options.evaluate = !command.noEvaluation;
    ProgressLines lines;
    const SystemClock clock;
    const auto created =
        createProject(command.options, clock, [&](const std::string& line) { lines.show(line); });
    lines.end();
    if (!created.ok())
        return created.error();
    if (command.json) {
        printLine(dumpJson(toJson(*created)));
        return {};
    }
    printLine("Project \"" + command.options.recipe.name + "\" is ready in " +
              command.options.folder.string() + ": " + std::to_string(created->parameters) +
              " parameters, " + std::to_string(created->trainingTokens) + " tokens of text");
    for (const auto& point : created->losses)
        printLine("  version " + std::to_string(point.version) + ": held-out loss " +
                  std::to_string(point.loss) + " nats per byte");
    printLine("Serve it with: commonweight-server serve --folder " +
              command.options.folder.string());
    return {};
}

} // namespace

void addCreate(CLI::App& app, Action& action)
{
    auto* command = app.add_subcommand("create", "Make a project out of text");
    const auto state = std::make_shared<Create>();
    addTextOptions(*command, state->options);
    addRecipeOptions(*command, state->options.recipe);
    addWarmUpOptions(*command, state->options.warmUp);
    command->add_flag("--no-evaluation", state->noEvaluation, "Do not measure the loss at the end");
    command->add_flag("--json", state->json, "Print the outcome as JSON");
    command->callback([state, &action] { action = [state] { return create(*state); }; });
}

} // namespace commonweight::server
