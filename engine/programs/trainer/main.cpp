// commonweight-trainer: trains one work unit at a time for the agent, which talks to it in JSON
// lines (see engine/work/trainer_messages.h) on standard input and output. Writes nowhere but in
// the unit's slot.
//
// Exit codes: 0 ended as told (or, with --unit, the unit is finished; or, with --self-test, the
// device passed); with --unit also 1 the unit failed, 3 it was stopped before its end and goes on
// from its checkpoint next time; with either 4 the device failed its self-test; 2 wrong use of the
// command line or a system without the basics.

#include "engine/base/log.h"
#include "engine/programs/trainer/command_reader.h"
#include "engine/programs/trainer/event_writer.h"
#include "engine/programs/trainer/process_setup.h"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <cstdio>
#include <thread>

namespace {

using namespace commonweight;

enum ExitCode {
    kDone = 0,
    kUnitFailed = 1,
    kMisused = 2,
    kUnitStopped = 3,
    kDeviceRefused = 4,
};

struct Options {
    bool listDevices = false;
    bool selfTest = false;
    bool normalPriority = false;
    std::string checkAgainst; ///< for units that name no other device to check against
    work::RunCommand unit;    ///< by hand; an empty slot means commands on standard input
};

/// An exit code when there is nothing more to do.
std::optional<int> readOptions(int argc, char** argv, Options& options)
{
    CLI::App app("Trains work units of Commonweight. The agent starts it and sends commands on "
                 "standard input.");
    std::string slot;
    std::string blobs;
    app.set_version_flag("--version", "commonweight-trainer " COMMONWEIGHT_VERSION);
    app.add_flag("--devices", options.listDevices, "List the compute devices as JSON");
    app.add_flag("--self-test", options.selfTest,
                 "Test the device as before its first unit, then exit");
    app.add_option("--check-against", options.checkAgainst,
                   "Repeat each operation on this device, too, and stop at the first difference "
                   "(a device's id, or loops)");
    app.add_flag("--normal-priority", options.normalPriority,
                 "Compete with other programs for the processor");
    auto* unit =
        app.add_option("--unit", slot, "Run the unit in this folder (SLOT/unit.json), then exit");
    auto* blobFolder =
        app.add_option("--blobs", blobs, "Folder with the unit's blobs, named by SHA-256");
    unit->needs(blobFolder);
    app.add_option("--device", options.unit.device, "Compute device for --unit and --self-test");
    app.add_option("--threads", options.unit.threads,
                   "Processor threads for --unit and --self-test")
        ->check(CLI::Range(1, 1024));
    app.add_option("--checkpoint-seconds", options.unit.checkpointSeconds,
                   "Time between checkpoints for --unit")
        ->needs(unit)
        ->check(CLI::Range(0.0, 86'400.0));
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? kDone : kMisused;
    }
    options.unit.slot = slot;
    options.unit.blobs = blobs;
    return std::nullopt;
}

int listDevices(const gpu::Registry& registry)
{
    auto list = Json::array();
    for (const auto& device : registry.list())
        list.push_back({{"id", device.id},
                        {"backend", device.backend},
                        {"name", device.name},
                        {"memory_bytes", device.memoryBytes}});
    std::puts(dumpJson(list).c_str());
    return kDone;
}

int testDevice(const Options& options, const gpu::Registry& registry)
{
    const auto tested = training::deviceTestsOn(registry).beforeWork(options.unit);
    if (tested) {
        std::printf("%s passed its self-test\n", options.unit.device.c_str());
        return kDone;
    }
    std::fprintf(stderr, "commonweight-trainer: %s\n", tested.error().message.c_str());
    return kDeviceRefused;
}

int exitCodeOf(training::Outcome outcome)
{
    switch (outcome) {
    case training::Outcome::Finished:
        return kDone;
    case training::Outcome::Stopped:
        return kUnitStopped;
    case training::Outcome::DeviceRefused:
        return kDeviceRefused;
    case training::Outcome::Failed:
        break;
    }
    return kUnitFailed;
}

int train(const Options& options, const gpu::Registry& registry)
{
    const int signals = trainer::catchEndSignals();
    const int events = trainer::takeStandardOutput();
    if (signals < 0 || events < 0) {
        spdlog::error("the trainer cannot start: the system has no descriptors left");
        return kMisused;
    }
    trainer::dieWithParent();
    if (!options.normalPriority)
        trainer::yieldToEverybody();

    trainer::EventWriter writer(events);
    const SystemClock clock{};
    const auto openModel = [&](const work::RunCommand& run) {
        const auto& second = run.checkAgainst.empty() ? options.checkAgainst : run.checkAgainst;
        return training::openModelOn(registry, {run.device, run.threads, second});
    };
    training::TrainerSession session({clock, openModel,
                                      [&](const work::TrainerEvent& event) { writer.write(event); },
                                      training::deviceTestsOn(registry)});
    const bool byHand = !options.unit.slot.empty();
    const trainer::CommandReader reader(session, byHand ? -1 : STDIN_FILENO, signals);
    if (byHand)
        return exitCodeOf(session.runOne(options.unit));
    session.serve();
    return kDone;
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    if (const auto code = readOptions(argc, argv, options))
        return *code;
    startLog({"commonweight-trainer", {}, false});
    const gpu::Registry registry;
    if (options.listDevices)
        return listDevices(registry);
    return options.selfTest ? testDevice(options, registry) : train(options, registry);
}
