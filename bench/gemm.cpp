// Products of matrices on one device against another, pair by pair in the same rounds: Vulkan on
// Mesa's lavapipe against the BLAS of the same processor, or a graphics card against whatever is
// named.
#include "engine/base/json.h"
#include "engine/base/random.h"
#include "gpu/registry.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>

using namespace commonweight;

namespace {

struct Options {
    std::string device, against = "cpu";
    std::vector<std::int64_t> sides = {64, 128, 256};
    int threads = 2, rounds = 5;
    std::string json;
};

// The layouts of a training step: activations, their gradient, the weights' gradient.
struct Layout {
    const char* name;
    bool transposeA, transposeB;
};
constexpr std::array<Layout, 3> kLayouts = {
    {{"NT", false, true}, {"NN", false, false}, {"TN", true, false}}};

/// One product with its memory on a device.
class Side {
public:
    static Result<Side> create(gpu::Device& device, std::int64_t side)
    {
        Side result(device, side);
        std::vector<float> values(static_cast<std::size_t>(side * side));
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = uniform01(philox(1, i)[0]) - 0.5F;
        for (auto& buffer : result.m_buffers) {
            CW_TRY(buffer, device.allocate(gpu::ElementType::F32, side * side));
            device.write({buffer.get(), 0, side * side}, std::as_bytes(std::span(values)));
        }
        CW_CHECK(device.synchronise());
        return result;
    }

    /// Seconds of one product, of as many as take a tenth of a second, or of one.
    Result<double> seconds(const Layout& layout)
    {
        CW_TRY(const double once, time(layout, 1));
        constexpr double kEnough = 0.1;
        const int count = static_cast<int>(std::clamp(kEnough / once, 1.0, 10'000.0));
        CW_TRY(const double all, time(layout, count));
        return all / count;
    }

private:
    Side(gpu::Device& device, std::int64_t side) : m_device(device), m_side(side) {}

    Result<double> time(const Layout& layout, int count)
    {
        const auto whole = [this](std::size_t which) {
            return gpu::Slice{m_buffers[which].get(), 0, m_side * m_side};
        };
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < count; ++i)
            m_device.matmul({.out = whole(0),
                             .a = whole(1),
                             .b = whole(2),
                             .m = m_side,
                             .n = m_side,
                             .k = m_side,
                             .transposeA = layout.transposeA,
                             .transposeB = layout.transposeB});
        CW_CHECK(m_device.synchronise());
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    gpu::Device& m_device;
    std::int64_t m_side;
    std::array<std::unique_ptr<gpu::Buffer>, 3> m_buffers;
};

double medianOf(std::vector<double> values)
{
    std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
}

Result<Json> measure(gpu::Device& device, gpu::Device& other, std::int64_t side,
                     const Options& options)
{
    CW_TRY(auto ours, Side::create(device, side));
    CW_TRY(auto theirs, Side::create(other, side));
    Json rows = Json::array();
    const double operations = 2 * static_cast<double>(side * side) * static_cast<double>(side);
    for (const auto& layout : kLayouts) {
        std::vector<double> mine;
        std::vector<double> others;
        std::vector<double> ratios;
        for (int round = 0; round < options.rounds; ++round) {
            CW_TRY(const double a, ours.seconds(layout));
            CW_TRY(const double b, theirs.seconds(layout));
            mine.push_back(operations / a / 1e9);
            others.push_back(operations / b / 1e9);
            ratios.push_back(b / a);
        }
        rows.push_back({{"layout", layout.name},
                        {"side", side},
                        {"gflops", medianOf(mine)},
                        {"against_gflops", medianOf(others)},
                        {"ratio", medianOf(ratios)}});
    }
    return rows;
}

Result<Json> run(const Options& options)
{
    const gpu::Registry registry;
    std::string id = options.device;
    for (const auto& info : registry.listAll())
        if (id.empty() && info.backend == "vulkan")
            id = info.id;
    CW_TRY(const auto device, registry.open(id, {.threads = options.threads}));
    CW_TRY(const auto other, registry.open(options.against, {.threads = options.threads}));
    std::printf("%s against %s\n%6s %6s %12s %12s %8s\n", device->capabilities().name.c_str(),
                other->capabilities().name.c_str(), "layout", "side", "GFLOP/s", "against",
                "ratio");
    Json all = Json::array();
    for (const std::int64_t side : options.sides) {
        CW_TRY(const Json rows, measure(*device, *other, side, options));
        for (const Json& row : rows) {
            std::printf("%6s %6lld %12.2f %12.2f %8.4f\n", row["layout"].get<std::string>().c_str(),
                        static_cast<long long>(side), row["gflops"].get<double>(),
                        row["against_gflops"].get<double>(), row["ratio"].get<double>());
            all.push_back(row);
        }
    }
    return Json{{"bench", "gemm"},
                {"device", device->capabilities().name},
                {"against", other->capabilities().name},
                {"rows", all}};
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    CLI::App app{"Products of matrices on one device against another"};
    app.add_option("--device", options.device, "id; the first Vulkan device without");
    app.add_option("--against", options.against, "id of the other device");
    app.add_option("--side", options.sides, "rows and columns of the matrices")
        ->check(CLI::Range(1, 16384));
    app.add_option("--threads", options.threads)->check(CLI::Range(1, 256));
    app.add_option("--rounds", options.rounds)->check(CLI::Range(1, 1000));
    app.add_option("--json", options.json,
                   "file for the figures; - is the last line of standard output");
    CLI11_PARSE(app, argc, argv);
    const auto figures = run(options);
    if (!figures) {
        std::fprintf(stderr, "gemm: %s\n", figures.error().message.c_str());
        return 1;
    }
    const std::string text = dumpJson(*figures);
    if (options.json == "-")
        std::cout << std::flush << text << std::endl;
    else if (!options.json.empty() && !(std::ofstream(options.json) << text << "\n"))
        return 1;
    return 0;
}
