// Parameters merged a second, beside the STREAM triad (a = b + s·c) over arrays of the same length
// in the same rounds: an ideal merge is one triad for each contribution. Contributions come from
// memory, as fp32 and as int4 files.
#include "engine/exchange/merge.h"
#include "engine/base/json.h"
#include "engine/exchange/codec.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>

using namespace commonweight;
using namespace commonweight::exchange;

namespace {

struct Options {
    std::int64_t parameters = 32'000'000;
    std::size_t contributions = 16;
    int rounds = 3;
    std::string json;
};

double seconds(const std::function<void()>& work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double medianOf(std::vector<double> values)
{
    std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
}

/// Matrices of 768 × 3072, as in a model of 125 M parameters, and a norm between any two.
Fragment fragmentOf(std::int64_t parameters)
{
    Fragment fragment;
    for (std::int64_t left = parameters; left > 0; left -= 768 * 3072 + 768) {
        const auto name = "layer." + std::to_string(fragment.tensors.size());
        fragment.tensors.push_back({name + ".weight", {768, 3072}});
        fragment.tensors.push_back({name + ".norm", {768}});
    }
    return fragment;
}

struct Bench {
    Fragment fragment;
    std::size_t contributions;
    FragmentState state;
    std::vector<float> gradient;
    Bytes encoded;
    std::vector<float> a, b, c; ///< of the triad

    void triad()
    {
        for (std::size_t i = 0; i < a.size(); ++i)
            a[i] = b[i] + 3.0f * c[i];
    }
    void merge(const ContributionSource& source)
    {
        const std::vector<double> weights(contributions, 1.0 / double(contributions));
        if (!mergeFragment(fragment, state, weights, source, {}).ok())
            std::abort();
    }
};

Bench benchOf(const Options& options)
{
    Bench bench;
    bench.fragment = fragmentOf(options.parameters);
    bench.contributions = options.contributions;
    const auto elements = static_cast<std::size_t>(bench.fragment.elements());
    bench.state = {std::vector<float>(elements), std::vector<float>(elements)};
    bench.gradient.resize(elements);
    for (std::size_t i = 0; i < elements; ++i)
        bench.gradient[i] = static_cast<float>(i * 2654435761u % 2001) * 1e-6f - 1e-3f;
    bench.encoded = encodeOuterGradient(bench.fragment, bench.gradient, {}, 1).value();
    bench.a = bench.b = bench.c = bench.gradient;
    return bench;
}

Json measure(Bench& bench, const char* name, const ContributionSource& source, int rounds)
{
    const double elements = double(bench.contributions) * double(bench.gradient.size());
    std::vector<double> merged, ratio, triad;
    for (int round = 0; round <= rounds; ++round) {
        bench.triad();
        const double ideal = seconds([&] { bench.triad(); }) * double(bench.contributions);
        const double real = seconds([&] { bench.merge(source); });
        if (round == 0)
            continue; // pages are touched for the first time
        merged.push_back(elements / real / 1e6);
        triad.push_back(12.0 * elements / ideal / 1e9);
        ratio.push_back(ideal / real);
    }
    return {{"source", name},
            {"contributions", bench.contributions},
            {"parameters", bench.gradient.size()},
            {"triad_gb_s", medianOf(triad)},
            {"merged_mparameters_s", medianOf(merged)},
            {"triad_ratio", medianOf(ratio)}};
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    CLI::App app("Speed of the merge against the STREAM triad, one thread");
    app.add_option("--parameters", options.parameters)->check(CLI::Range(1 << 20, 1 << 30));
    app.add_option("--contributions", options.contributions)->check(CLI::Range(1, 1024));
    app.add_option("--rounds", options.rounds)->check(CLI::Range(1, 1000));
    app.add_option("--json", options.json,
                   "file for the figures; - is the last line of standard output");
    CLI11_PARSE(app, argc, argv);

    Bench bench = benchOf(options);
    const ContributionSource plain = [&](std::size_t, std::span<float> out) -> Result<void> {
        std::memcpy(out.data(), bench.gradient.data(), out.size_bytes());
        return {};
    };
    const ContributionSource encoded = [&](std::size_t, std::span<float> out) {
        return decodeOuterGradient(bench.encoded, bench.fragment, out);
    };
    const Json rows{measure(bench, "fp32", plain, options.rounds),
                    measure(bench, "int4", encoded, options.rounds)};
    std::printf("%-6s %13s %12s %12s %16s %8s\n", "source", "contributions", "parameters",
                "triad GB/s", "merged Mparam/s", "ratio");
    for (const Json& row : rows)
        std::printf("%-6s %13zu %12zu %12.2f %16.1f %8.2f\n",
                    row["source"].get<std::string>().c_str(),
                    row["contributions"].get<std::size_t>(), row["parameters"].get<std::size_t>(),
                    row["triad_gb_s"].get<double>(), row["merged_mparameters_s"].get<double>(),
                    row["triad_ratio"].get<double>());
    Json report{{"bench", "merge"}, {"rows", rows}};
    for (const Json& row : rows)
        report[row["source"].get<std::string>() + "_triad_ratio"] = row["triad_ratio"];
    const std::string text = dumpJson(report);
    if (options.json == "-")
        std::cout << std::flush << text << std::endl;
    else if (!options.json.empty() && !(std::ofstream(options.json) << text << "\n"))
        return 1;
    return 0;
}
