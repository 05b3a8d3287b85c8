// Every operation of one device: does it work (support), is it right (test), are its derivatives
// (gradients), how fast is it against what the machine can do (time). Prints a table and, with
// --json FILE, the same figures. Exit code 1 when something is wrong or missing.
#include "bench/ops_roofs.h"
#include "engine/base/json.h"
#include "gpu/check/check_device.h"
#include "gpu/check/gradients.h"
#include "gpu/check/operation_cases.h"
#include "gpu/check/reference_device.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <fstream>

using namespace commonweight;

namespace {

struct Options {
    std::string device = "cpu";
    std::string numericClass = "fp32";
    std::string mode = "time";
    std::string json;
    int threads = 2;
    std::int64_t rows = 1024;
    std::int64_t width = 384;
};

/// The device under test with what is known of it, and the answer that grows.
struct Bench {
    Options options;
    const gpu::Registry& registry;
    gpu::DeviceInfo info;
    std::unique_ptr<gpu::Device> device;
    Json rows = Json::array();
    bool good = true;
};

Result<std::unique_ptr<gpu::Device>> openAs(const Bench& bench, const std::string& numericClass)
{
    return bench.registry.open(bench.info.id,
                               {.threads = bench.options.threads, .numericClass = numericClass});
}

Result<void> runOnce(gpu::Device& device, const gpu::OperationCase& which)
{
    CW_TRY(const auto prepared, gpu::PreparedCase::prepare(device, which));
    CW_CHECK(prepared.run());
    return device.synchronise();
}

void note(Bench& bench, const std::string& what, const Result<void>& result)
{
    bench.good &= result.ok();
    std::printf("%-64s %s\n", what.c_str(), result.ok() ? "right" : result.error().message.c_str());
    bench.rows.push_back({{"case", what},
                          {"good", result.ok()},
                          {"error", result.ok() ? "" : result.error().message}});
}

void support(Bench& bench)
{
    std::printf("%-24s", "");
    for (const auto& name : bench.info.numericClasses)
        std::printf("%8s", name.c_str());
    std::printf("\n");
    for (const auto operation : gpu::kOperations) {
        std::printf("%-24s", gpu::nameOf(operation));
        Json row{{"operation", gpu::nameOf(operation)}};
        for (const auto& name : bench.info.numericClasses) {
            const auto device = openAs(bench, name);
            bool works = device.ok();
            for (const auto& which : gpu::shortCases())
                if (works && which.operation == operation)
                    works = runOnce(**device, which).ok();
            std::printf("%8s", works ? "yes" : "no");
            row[name] = works;
            bench.good &= works;
        }
        std::printf("\n");
        bench.rows.push_back(std::move(row));
    }
}

void test(Bench& bench)
{
    gpu::ReferenceDevice reference;
    gpu::CheckDevice both(*bench.device, reference);
    for (const auto& which : gpu::oddCases())
        note(bench, which.text(), runOnce(both, which));
}

void gradients(Bench& bench)
{
    const auto checks = gpu::checkGradients(*bench.device);
    if (!checks)
        return note(bench, "gradients", checks.error());
    for (const auto& check : *checks) {
        bench.good &= check.good();
        std::printf("%-32s %12.6f by differences %12.6f by the operation, error %.1e%s\n",
                    check.text.c_str(), check.numeric, check.analytic, check.error,
                    check.good() ? "" : "  WRONG");
        bench.rows.push_back({{"case", check.text},
                              {"numeric", check.numeric},
                              {"analytic", check.analytic},
                              {"error", check.error},
                              {"good", check.good()}});
    }
}

Result<double> secondsOf(gpu::Device& device, const gpu::OperationCase& which)
{
    constexpr double kRoundSeconds = 0.05;
    CW_TRY(const auto prepared, gpu::PreparedCase::prepare(device, which));
    std::optional<Error> error;
    const double seconds = bench::bestSeconds(kRoundSeconds, [&](int times) {
        Result<void> done;
        for (int i = 0; i < times && done.ok(); ++i)
            done = prepared.run();
        const auto waited = device.synchronise();
        if (!done.ok() || !waited.ok())
            error = done.ok() ? waited.error() : done.error();
    });
    if (error)
        return *error;
    return seconds;
}

void time(Bench& bench, Json& answer)
{
    const auto roofs = bench::measureRoofs(*bench.device, bench.info, bench.options.threads);
    std::printf("roofs: %.1f GFLOP/s (%s), %.1f GB/s (%s)\n", roofs.gigaflops,
                roofs.gigaflopsFrom.c_str(), roofs.gigabytesPerSecond, roofs.bytesFrom.c_str());
    answer["roofs"] = {{"gigaflops", roofs.gigaflops},
                       {"gigaflops_from", roofs.gigaflopsFrom},
                       {"gigabytes_per_second", roofs.gigabytesPerSecond},
                       {"gigabytes_from", roofs.bytesFrom}};
    std::printf("%-48s %12s %10s %8s %8s\n", "", "µs", "GFLOP/s", "GB/s", "of roof");
    for (const auto& which : gpu::timingCases(bench.options.rows, bench.options.width)) {
        const auto seconds = secondsOf(*bench.device, which);
        if (!seconds) {
            note(bench, which.text(), seconds.error());
            continue;
        }
        const auto effort = gpu::effortOf(which);
        const double gigaflops = effort.floatingPointOperations / *seconds / 1e9;
        const double gigabytes = effort.bytes / *seconds / 1e9;
        const double share =
            std::max(roofs.gigaflops > 0 ? gigaflops / roofs.gigaflops : 0,
                     roofs.gigabytesPerSecond > 0 ? gigabytes / roofs.gigabytesPerSecond : 0);
        std::printf("%-48s %12.1f %10.1f %8.1f %7.0f%%\n", which.text().c_str(), *seconds * 1e6,
                    gigaflops, gigabytes, share * 100);
        bench.rows.push_back({{"case", which.text()},
                              {"operation", gpu::nameOf(which.operation)},
                              {"seconds", *seconds},
                              {"gigaflops", gigaflops},
                              {"gigabytes_per_second", gigabytes},
                              {"share_of_roof", share}});
    }
}

int run(const Options& options)
{
    const gpu::Registry registry;
    Bench bench{options, registry, {}, nullptr};
    for (const auto& info : registry.listAll())
        if (bench.info.id.empty() && (info.id == options.device || info.backend == options.device))
            bench.info = info;
    if (bench.info.id.empty()) {
        std::fprintf(stderr, "ops: there is no device %s here\n", options.device.c_str());
        return 2;
    }
    auto device = openAs(bench, options.numericClass);
    if (!device) {
        std::fprintf(stderr, "ops: %s\n", device.error().message.c_str());
        return 2;
    }
    bench.device = std::move(*device);
    std::printf("%s: %s, %s, driver %s\n", bench.info.id.c_str(),
                bench.device->capabilities().name.c_str(), options.numericClass.c_str(),
                bench.info.driver.c_str());
    Json answer{{"device", bench.info.id},
                {"name", bench.device->capabilities().name},
                {"driver", bench.info.driver},
                {"numeric_class", options.numericClass},
                {"mode", options.mode}};
    if (options.mode == "support")
        support(bench);
    else if (options.mode == "test")
        test(bench);
    else if (options.mode == "gradients")
        gradients(bench);
    else
        time(bench, answer);
    answer["operations"] = std::move(bench.rows);
    answer["good"] = bench.good;
    if (!options.json.empty())
        std::ofstream(options.json) << answer.dump(1) << "\n";
    return bench.good ? 0 : 1;
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    CLI::App app("Tests and times every operation of a compute device.");
    app.add_option("--device", options.device, "A device's id, or a backend for its best device");
    app.add_option("--numeric-class", options.numericClass, "fp32, bf16 or fp16");
    app.add_option("--mode", options.mode, "What to do")
        ->check(CLI::IsMember({"support", "test", "gradients", "time"}));
    app.add_option("--threads", options.threads, "Threads of a processor")
        ->check(CLI::Range(1, 256));
    app.add_option("--rows", options.rows, "Tokens of a batch")->check(CLI::Range(1, 1 << 20));
    app.add_option("--width", options.width, "Width of the model")->check(CLI::Range(64, 16384));
    app.add_option("--json", options.json, "Write the figures to this file, too");
    CLI11_PARSE(app, argc, argv);
    return run(options);
}
