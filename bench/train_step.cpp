// Tokens per second of one training step (forward, backward, clip, AdamW) of engine/model on the
// CPU device, against the same model written plainly with LibTorch's modules and autograd: same
// threads, same precision, pair by pair in one run.
#include "bench/train_step_sides.h"
#include "engine/base/atomic_file.h"
#include "engine/base/json.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <sys/wait.h>
#include <unistd.h>

using namespace commonweight;

namespace {

struct Options {
    bench::TrainStepSetting setting;
    std::vector<std::string> precisions{"fp32", "bf16"};
    bool busy = true;
    int pairs = 7;
    double seconds = 2;
    std::string json;
    std::string only;
    int steps = 3;
};

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// Memory is measured in processes of their own, above what the libraries take before there is a
// model.
double peakBytesOf(const char* program, const bench::TrainStepSetting& setting,
                   const std::string& side)
{
    const std::string command = std::string(program) + " --only " + side + " --config " +
                                setting.preset + " --batch " + std::to_string(setting.batch) +
                                " --threads " + std::to_string(setting.threads) + " --precision " +
                                (setting.bf16 ? "bf16" : "fp32");
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

struct Comparison {
    std::vector<Pair> pairs;
    Pair middle;
    double ratio = 0, cpuRatio = 0;
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

// A process of its own that keeps one core busy while it lives.
class BusyCore {
public:
    BusyCore() : m_process(fork())
    {
        if (m_process == 0) {
            for (std::atomic<bool> forever = true; forever.load(std::memory_order_relaxed);) {
            }
        }
    }
    BusyCore(const BusyCore&) = delete;
    BusyCore& operator=(const BusyCore&) = delete;
    ~BusyCore()
    {
        if (m_process > 0) {
            kill(m_process, SIGKILL);
            waitpid(m_process, nullptr, 0);
        }
    }

private:
    pid_t m_process;
};

Comparison comparePairs(const Options& options, const bench::TrainStepSetting& setting,
                        const char* title)
{
    std::printf("\n%s\n%6s %38s %38s\n", title, "", "tokens/s", "tokens/CPU s");
    std::printf("%6s %14s %14s %8s %14s %14s %8s\n", "pair", "modules", "commonweight", "ratio",
                "modules", "commonweight", "ratio");
    auto modules = bench::makeModulesSide(setting);
    auto ours = bench::makeOurSide(setting);
    const int moduleSteps = bench::stepsFor(*modules, options.seconds);
    const int ourSteps = bench::stepsFor(*ours, options.seconds);
    Comparison result;
    auto& pairs = result.pairs;
    for (int i = 0; i < options.pairs; ++i) {
        pairs.push_back({bench::measure(*modules, setting, moduleSteps),
                         bench::measure(*ours, setting, ourSteps)});
        printRow(std::to_string(i + 1), pairs.back(), pairs.back().ratio(),
                 pairs.back().cpuRatio());
    }
    result.middle = {{medianOf(pairs, [](const Pair& p) { return p.modules.tokensPerSecond; }),
                      medianOf(pairs, [](const Pair& p) { return p.modules.tokensPerCpuSecond; })},
                     {medianOf(pairs, [](const Pair& p) { return p.ours.tokensPerSecond; }),
                      medianOf(pairs, [](const Pair& p) { return p.ours.tokensPerCpuSecond; })}};
    result.ratio = medianOf(pairs, [](const Pair& p) { return p.ratio(); });
    result.cpuRatio = medianOf(pairs, [](const Pair& p) { return p.cpuRatio(); });
    printRow("median", result.middle, result.ratio, result.cpuRatio);
    return result;
}

Json toJson(const Comparison& comparison)
{
    Json ratios = Json::array();
    for (const auto& pair : comparison.pairs)
        ratios.push_back(pair.ratio());
    return Json{{"tokens_per_second", comparison.middle.ours.tokensPerSecond},
                {"modules_tokens_per_second", comparison.middle.modules.tokensPerSecond},
                {"ratio", comparison.ratio},
                {"ratios", ratios},
                {"cpu_ratio", comparison.cpuRatio}};
}

// Speed, share of the peak, and memory, in one precision.
void compareInPrecision(const char* program, const Options& options, const std::string& precision,
                        Json& figures)
{
    auto setting = options.setting;
    setting.bf16 = precision == "bf16";
    const double peak = bench::sgemmPeak(setting.threads);
    const auto calm = comparePairs(options, setting, (precision + ", machine as it is").c_str());
    figures["ratio_" + precision] = calm.ratio;
    figures[precision] = toJson(calm);
    const double share = calm.middle.ours.tokensPerSecond * setting.flopsPerToken() / peak;
    figures[setting.bf16 ? "sgemm_share_bf16" : "sgemm_share"] = share;
    std::printf("peak of fp32 products %.1f GFLOP/s, reached %.0f %%\n", peak / 1e9, 100 * share);
    if (options.busy) {
        const BusyCore core;
        const auto busy =
            comparePairs(options, setting, (precision + ", one core kept busy").c_str());
        const double kept = busy.middle.ours.tokensPerSecond / calm.middle.ours.tokensPerSecond;
        std::printf("kept %.0f %% of the calm speed\n", 100 * kept);
        figures[setting.bf16 ? "ratio_one_core_busy_bf16" : "ratio_one_core_busy"] = busy.ratio;
        figures[precision + "_one_core_busy"] = toJson(busy);
        figures[precision + "_kept_with_one_core_busy"] = kept;
    }
    const double modules = peakBytesOf(program, setting, "modules");
    const double ours = peakBytesOf(program, setting, "commonweight");
    std::printf("peak memory: modules %.0f MB, commonweight %.0f MB, ratio %.2f\n", modules / 1e6,
                ours / 1e6, ours / modules);
    figures[setting.bf16 ? "memory_ratio_bf16" : "memory_ratio"] = ours / modules;
    figures[precision]["peak_bytes"] = ours;
    figures[precision]["modules_peak_bytes"] = modules;
}

Json compare(const char* program, const Options& options)
{
    std::printf("%s, batch %lld, length %lld, %.2f M parameters, %d threads\n",
                options.setting.preset.c_str(), static_cast<long long>(options.setting.batch),
                static_cast<long long>(options.setting.length), options.setting.parameters / 1e6,
                options.setting.threads);
    Json figures{{"bench", "train_step"},
                 {"config", options.setting.preset},
                 {"batch", options.setting.batch},
                 {"length", options.setting.length},
                 {"threads", options.setting.threads}};
    for (const auto& precision : options.precisions)
        compareInPrecision(program, options, precision, figures);
    return figures;
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
    app.add_option("--precision", options.precisions, "fp32, bf16 or both (default)")
        ->check(CLI::IsMember({"fp32", "bf16"}));
    app.add_flag("--busy,!--no-busy", options.busy,
                 "also with one core kept busy by another process (default)");
    app.add_option("--pairs", options.pairs)->capture_default_str()->check(CLI::Range(1, 1000));
    app.add_option("--seconds", options.seconds, "for each half of a pair")->capture_default_str();
    app.add_option("--json", options.json,
                   "write the figures to this file; - prints them as the last line");
    app.add_option("--only", options.only,
                   "run a few steps of one side and print its peak memory in bytes");
    app.add_option("--steps", options.steps, "for --only; more of them to look at with a profiler")
        ->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    if (!bench::complete(options.setting))
        return std::cerr << "unknown configuration " << options.setting.preset << '\n', 2;
    if (!bench::computesBf16())
        std::erase(options.precisions, "bf16");
    if (!options.only.empty()) {
        options.setting.bf16 = options.precisions == std::vector<std::string>{"bf16"};
        std::printf("%.0f\n",
                    bench::peakBytes(options.setting, options.only == "modules", options.steps));
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
