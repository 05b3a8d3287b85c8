// Tokens per second of one training step (forward, backward, clip, AdamW) of engine/model on the
// CPU device, against the same model written plainly with LibTorch's modules and autograd: same
// threads, same precision, pair by pair in one run.
#include "bench/train_step_sides.h"
#include "engine/base/atomic_file.h"
#include "engine/base/json.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>

using namespace commonweight;

namespace {

struct Options {
    bench::TrainStepSetting setting;
    int pairs = 7;
    double seconds = 2;
    std::string json;
    std::string only;
};

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// Memory is measured in processes of their own, above what the libraries take before there is a
// model.
double peakBytesOf(const char* program, const Options& options, const std::string& side)
{
    const std::string command = std::string(program) + " --only " + side + " --config " +
                                options.setting.preset + " --batch " +
                                std::to_string(options.setting.batch) + " --threads " +
                                std::to_string(options.setting.threads);
    std::FILE* pipe = popen(command.c_str(), "r");
    double bytes = 0;
    if (!pipe || std::fscanf(pipe, "%lf", &bytes) != 1)
        bytes = 0;
    if (pipe)
        pclose(pipe);
    return bytes;
}

struct Pair {
    bench::Speed modules, ours;

    double ratio() const { return ours.tokensPerSecond / modules.tokensPerSecond; }
    double cpuRatio() const { return ours.tokensPerCpuSecond / modules.tokensPerCpuSecond; }
};

template <class Figure> double medianOf(const std::vector<Pair>& pairs, Figure figure)
{
    std::vector<double> values;
    for (const auto& pair : pairs)
        values.push_back(figure(pair));
    return median(std::move(values));
}

void printRow(const std::string& name, const Pair& pair, double ratio, double cpuRatio)
{
    std::printf("%6s %14.0f %14.0f %8.2f %14.0f %14.0f %8.2f\n", name.c_str(),
                pair.modules.tokensPerSecond, pair.ours.tokensPerSecond, ratio,
                pair.modules.tokensPerCpuSecond, pair.ours.tokensPerCpuSecond, cpuRatio);
    std::fflush(stdout);
}

std::vector<Pair> runPairs(const Options& options)
{
    auto modules = bench::makeModulesSide(options.setting);
    auto ours = bench::makeOurSide(options.setting);
    const int moduleSteps = bench::stepsFor(*modules, options.seconds);
    const int ourSteps = bench::stepsFor(*ours, options.seconds);
    std::vector<Pair> pairs;
    for (int i = 0; i < options.pairs; ++i) {
        pairs.push_back({bench::measure(*modules, options.setting, moduleSteps),
                         bench::measure(*ours, options.setting, ourSteps)});
        printRow(std::to_string(i + 1), pairs.back(), pairs.back().ratio(),
                 pairs.back().cpuRatio());
    }
    return pairs;
}

Json compare(const char* program, const Options& options)
{
    std::printf("%s, batch %lld, length %lld, %.2f M parameters, %d threads, fp32\n",
                options.setting.preset.c_str(), static_cast<long long>(options.setting.batch),
                static_cast<long long>(options.setting.length), options.setting.parameters / 1e6,
                options.setting.threads);
    std::printf("%6s %38s %38s\n", "", "tokens/s", "tokens/CPU s");
    std::printf("%6s %14s %14s %8s %14s %14s %8s\n", "pair", "modules", "commonweight", "ratio",
                "modules", "commonweight", "ratio");
    const auto pairs = runPairs(options);
    const Pair middle{{medianOf(pairs, [](const Pair& p) { return p.modules.tokensPerSecond; }),
                       medianOf(pairs, [](const Pair& p) { return p.modules.tokensPerCpuSecond; })},
                      {medianOf(pairs, [](const Pair& p) { return p.ours.tokensPerSecond; }),
                       medianOf(pairs, [](const Pair& p) { return p.ours.tokensPerCpuSecond; })}};
    const double ratio = medianOf(pairs, [](const Pair& p) { return p.ratio(); });
    const double cpuRatio = medianOf(pairs, [](const Pair& p) { return p.cpuRatio(); });
    printRow("median", middle, ratio, cpuRatio);

    const double moduleBytes = peakBytesOf(program, options, "modules");
    const double ourBytes = peakBytesOf(program, options, "commonweight");
    std::printf("peak memory: modules %.0f MB, commonweight %.0f MB, ratio %.2f\n",
                moduleBytes / 1e6, ourBytes / 1e6, ourBytes / moduleBytes);
    Json ratios = Json::array();
    for (const auto& pair : pairs)
        ratios.push_back(pair.ratio());
    return Json{{"bench", "train_step"},
                {"config", options.setting.preset},
                {"batch", options.setting.batch},
                {"length", options.setting.length},
                {"threads", options.setting.threads},
                {"tokens_per_second", middle.ours.tokensPerSecond},
                {"modules_tokens_per_second", middle.modules.tokensPerSecond},
                {"ratio_fp32", ratio},
                {"ratios", ratios},
                {"cpu_ratio_fp32", cpuRatio},
                {"memory_ratio", ourBytes / moduleBytes},
                {"peak_bytes", ourBytes},
                {"modules_peak_bytes", moduleBytes}};
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    CLI::App app("Speed of one training step against LibTorch's modules");
    app.add_option("--config", options.setting.preset, "nanogpt-cpu or shakespeare")
        ->capture_default_str();
    app.add_option("--batch", options.setting.batch,
                   "sequences a step (default: 12, or 4 for shakespeare)");
    app.add_option("--threads", options.setting.threads)->capture_default_str();
    app.add_option("--pairs", options.pairs)->capture_default_str()->check(CLI::Range(1, 1000));
    app.add_option("--seconds", options.seconds, "for each half of a pair")->capture_default_str();
    app.add_option("--json", options.json,
                   "write the figures to this file; - prints them as the last line");
    app.add_option("--only", options.only,
                   "run a few steps of one side and print its peak memory in bytes");
    CLI11_PARSE(app, argc, argv);
    if (!bench::complete(options.setting))
        return std::cerr << "unknown configuration " << options.setting.preset << '\n', 2;
    if (!options.only.empty()) {
        std::printf("%.0f\n", bench::peakBytes(options.setting, options.only == "modules"));
        return 0;
    }
    const Json figures = compare(argv[0], options);
    if (options.json == "-")
        std::cout << figures.dump() << '\n';
    else if (!options.json.empty() &&
             !writeFileAtomically(options.json, asBytes(figures.dump(2) + "\n")))
        return std::cerr << "cannot write " << options.json << '\n', 1;
    return 0;
}
