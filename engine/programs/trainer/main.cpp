// commonweight-trainer: trains one work unit at a time for the agent, which talks to it in JSON
// lines (see engine/work/trainer_messages.h) on standard input and output. Confines itself before
// it reads a unit: no network, no other programs, no files but those that it is given.
//
// Exit codes: 0 ended as told (or, with --unit, the unit is finished; or, with --self-test, the
// device passed); with --unit also 1 the unit failed, 3 it was stopped before its end and goes on
// from its checkpoint next time; with either 4 the device failed its self-test; 2 wrong use of the
// command line or a system without the basics; 5 (work::kNotConfined) the system cannot confine it.

#include "engine/base/log.h"
#include "engine/programs/trainer/command_reader.h"
#include "engine/programs/trainer/event_writer.h"
#include "engine/programs/trainer/process_setup.h"
#include "engine/programs/trainer/sandbox.h"

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
    kNotConfined = work::kNotConfined,
};

struct Options {
    bool listDevices = false;
    bool selfTest = false;
    bool checkSandbox = false;
    bool normalPriority = false;
    std::string sandbox = "require";
    std::vector<std::string> writable;
    std::vector<std::string> readable;
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
    app.add_flag("--check-sandbox", options.checkSandbox,
                 "Say whether this system can confine the trainer, then exit");
    app.add_option("--sandbox", options.sandbox,
                   "require: train only when confined by the system; try: train in any case; off")
        ->check(CLI::IsMember({"require", "try", "off"}));
    app.add_option("--writable", options.writable, "A folder that it may write when confined")
        ->allow_extra_args(false);
    app.add_option("--readable", options.readable, "A folder that it may read when confined")
        ->allow_extra_args(false);
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
    app.add_option("--tested-as", options.unit.testedAs,
                   "Spare --unit the self-test when the device is still what passed as this")
        ->needs(unit);
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
    const auto tests = training::deviceTestsOn(registry);
    const auto identity = tests.identity(options.unit);
    const auto tested = identity ? tests.beforeWork(options.unit) : Result<void>(identity.error());
    if (tested) {
        std::printf("%s passed its self-test as %s\n", options.unit.device.c_str(),
                    identity->c_str());
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

trainer::Reach reachOf(const Options& options)
{
    trainer::Reach reach;
    reach.writable.assign(options.writable.begin(), options.writable.end());
    reach.readable.assign(options.readable.begin(), options.readable.end());
    if (!options.unit.slot.empty()) {
        reach.writable.push_back(options.unit.slot);
        reach.readable.push_back(options.unit.blobs);
    }
    if (auto cache = trainer::claimDeviceCache(); !cache.empty())
        reach.writable.push_back(std::move(cache));
    return reach;
}

/// False when it must not go on.
bool confineAs(const Options& options)
{
    if (options.sandbox == "off")
        return true;
    const auto confined = trainer::confine(reachOf(options));
    if (confined)
        return true;
    const bool goesOn = options.sandbox == "try";
    spdlog::log(goesOn ? spdlog::level::warn : spdlog::level::err,
                "The trainer is not confined{}: {}", goesOn ? "" : " and therefore does not start",
                confined.error().message);
    return goesOn;
}

int checkSandbox(const Options& options)
{
    const auto confined = trainer::confine(reachOf(options));
    if (confined)
        std::puts("this system confines the trainer");
    else
        std::fprintf(stderr, "commonweight-trainer: %s\n", confined.error().message.c_str());
    return confined ? kDone : kNotConfined;
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
    if (!confineAs(options))
        return kNotConfined;

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
    if (options.checkSandbox)
        return checkSandbox(options);
    const gpu::Registry registry;
    if (options.listDevices)
        return listDevices(registry);
    return options.selfTest ? testDevice(options, registry) : train(options, registry);
}
