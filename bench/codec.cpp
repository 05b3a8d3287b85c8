// Encode and decode speed of each codec in bytes of fp32 parameters a second, beside memcpy of the
// same bytes. Each round measures memcpy and the codecs in turn; ratios are medians over rounds, so
// that a drifting machine cancels out.
#include "engine/exchange/codec.h"
#include "engine/base/json.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <thread>

using namespace commonweight;
using namespace commonweight::exchange;

namespace {

struct Options {
    std::int64_t parameters = 16'000'000;
    int rounds = 7;
    std::vector<int> threads{1, 2};
    std::string json;
};

/// What one thread works on.
struct Lane {
    Fragment fragment;
    std::vector<float> values;
    std::vector<float> decoded;
    Bytes encoded;
};

Lane laneOf(std::int64_t parameters)
{
    constexpr std::int64_t kColumns = 1000;
    Lane lane;
    for (int i = 0; i < 4; ++i)
        lane.fragment.tensors.push_back(
            {"layer." + std::to_string(i) + ".weight", {parameters / kColumns / 4, kColumns}});
    lane.values.resize(static_cast<std::size_t>(lane.fragment.elements()));
    lane.decoded.resize(lane.values.size());
    for (std::size_t i = 0; i < lane.values.size(); ++i)
        lane.values[i] = static_cast<float>(i * 2654435761u % 2001) * 1e-6f - 1e-3f;
    return lane;
}

/// Seconds until every lane has done its work, a thread each.
double secondsFor(std::vector<Lane>& lanes, const std::function<void(Lane&)>& work)
{
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < lanes.size(); ++i)
        threads.emplace_back([&, i] { work(lanes[i]); });
    work(lanes[0]);
    threads.clear();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double medianOf(std::vector<double> values)
{
    std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
}

Json measure(std::vector<Lane>& lanes, Codec codec, int rounds)
{
    const OuterGradientInfo info{codec, "run", "unit", 0, 1, 1, 1};
    const double bytes = 4.0 * double(lanes.size()) * double(lanes[0].values.size());
    std::vector<double> encodeRatio, decodeRatio, encode, decode, copy;
    for (int round = 0; round <= rounds; ++round) {
        const double plain = secondsFor(lanes, [](Lane& lane) {
            std::memcpy(lane.decoded.data(), lane.values.data(),
                        lane.values.size() * sizeof(float));
        });
        const double there = secondsFor(lanes, [&](Lane& lane) {
            lane.encoded = encodeOuterGradient(lane.fragment, lane.values, info, 1).value();
        });
        const double back = secondsFor(lanes, [](Lane& lane) {
            if (!decodeOuterGradient(lane.encoded, lane.fragment, lane.decoded).ok())
                std::abort();
        });
        if (round == 0)
            continue; // pages are touched for the first time
        copy.push_back(bytes / plain / 1e9);
        encode.push_back(bytes / there / 1e9);
        decode.push_back(bytes / back / 1e9);
        encodeRatio.push_back(plain / there);
        decodeRatio.push_back(plain / back);
    }
    const double bits = 8.0 * double(lanes[0].encoded.size()) / double(lanes[0].values.size());
    return {{"codec", toString(codec)},
            {"threads", lanes.size()},
            {"bits", bits},
            {"memcpy_gb_s", medianOf(copy)},
            {"encode_gb_s", medianOf(encode)},
            {"decode_gb_s", medianOf(decode)},
            {"encode_ratio", medianOf(encodeRatio)},
            {"decode_ratio", medianOf(decodeRatio)}};
}

/// "int4_encode_ratio" and its like: the smallest over the numbers of threads.
void addRatios(Json& report)
{
    for (const Json& row : report["rows"])
        for (const char* figure : {"encode_ratio", "decode_ratio"}) {
            const std::string key = row["codec"].get<std::string>() + "_" + figure;
            const double ratio = row[figure];
            report[key] = std::min(report.value(key, ratio), ratio);
        }
}

void printRow(const Json& row)
{
    std::printf("%-6s %7d %6.2f %8.2f %8.2f %8.2f %10.2f %10.2f\n",
                row["codec"].get<std::string>().c_str(), row["threads"].get<int>(),
                row["bits"].get<double>(), row["memcpy_gb_s"].get<double>(),
                row["encode_gb_s"].get<double>(), row["decode_gb_s"].get<double>(),
                row["encode_ratio"].get<double>(), row["decode_ratio"].get<double>());
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    CLI::App app("Speed of the outer-gradient codecs against memcpy");
    app.add_option("--parameters", options.parameters, "for each thread")
        ->check(CLI::Range(4000, 1 << 30));
    app.add_option("--rounds", options.rounds)->check(CLI::Range(1, 1000));
    app.add_option("--threads", options.threads, "numbers of threads to try")
        ->check(CLI::Range(1, 256));
    app.add_option("--json", options.json,
                   "file for the figures; - is the last line of standard output");
    CLI11_PARSE(app, argc, argv);

    std::printf("GB/s of fp32 parameters\n%-6s %7s %6s %8s %8s %8s %10s %10s\n", "codec", "threads",
                "bits", "memcpy", "encode", "decode", "enc/memcpy", "dec/memcpy");
    Json rows = Json::array();
    for (const int threads : options.threads) {
        std::vector<Lane> lanes;
        for (int i = 0; i < threads; ++i)
            lanes.push_back(laneOf(options.parameters));
        for (const Codec codec :
             {Codec::Fp32, Codec::Bf16, Codec::Int8, Codec::Int4, Codec::TopK}) {
            rows.push_back(measure(lanes, codec, options.rounds));
            printRow(rows.back());
        }
    }
    Json report{{"bench", "codec"}, {"rows", rows}};
    addRatios(report);
    const std::string text = dumpJson(report);
    if (options.json == "-")
        std::cout << std::flush << text << std::endl;
    else if (!options.json.empty() && !(std::ofstream(options.json) << text << "\n"))
        return 1;
    return 0;
}
