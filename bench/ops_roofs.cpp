#include "bench/ops_roofs.h"

#include "gpu/check/operation_cases.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

// Stable C interfaces, which OpenBLAS brings without headers of ours.
extern "C" void sgemm_(const char* transposeA, const char* transposeB, const int* m, const int* n,
                       const int* k, const float* alpha, const float* a, const int* strideA,
                       const float* b, const int* strideB, const float* beta, float* c,
                       const int* strideC);
extern "C" __attribute__((weak)) void openblas_set_num_threads(int);

namespace commonweight::bench {

namespace {

constexpr double kRoundSeconds = 0.1;

double sgemmGigaflops(int threads)
{
    if (openblas_set_num_threads)
        openblas_set_num_threads(threads);
    const int extent = 1024;
    const auto count = static_cast<std::size_t>(extent) * extent;
    const std::vector<float> a(count, 0.5F);
    const std::vector<float> b(count, 0.25F);
    std::vector<float> c(count, 0.0F);
    const float one = 1;
    const float zero = 0;
    const double seconds = bestSeconds(kRoundSeconds, [&](int times) {
        for (int i = 0; i < times; ++i)
            sgemm_("N", "N", &extent, &extent, &extent, &one, a.data(), &extent, b.data(), &extent,
                   &zero, c.data(), &extent);
    });
    return 2.0 * extent * extent * extent / seconds / 1e9;
}

/// a = b + s · c over vectors that no cache holds (McCalpin's STREAM).
double triadGigabytes(int threads)
{
    const std::size_t count = std::size_t{16} << 20;
    std::vector<float> a(count, 0.0F);
    const std::vector<float> b(count, 1.0F);
    const std::vector<float> c(count, 2.0F);
    const std::size_t piece = count / static_cast<std::size_t>(threads);
    const double seconds = bestSeconds(kRoundSeconds, [&](int times) {
        std::vector<std::jthread> workers;
        for (int t = 0; t < threads; ++t)
            workers.emplace_back([&, from = piece * static_cast<std::size_t>(t)] {
                for (int i = 0; i < times; ++i)
                    for (std::size_t at = from; at < from + piece; ++at)
                        a[at] = b[at] + 0.5F * c[at];
            });
    });
    return 3.0 * static_cast<double>(piece) * threads * sizeof(float) / seconds / 1e9;
}

double deviceGigabytes(gpu::Device& device)
{
    const gpu::OperationCase sum{.operation = gpu::Operation::Add, .rows = std::int64_t{1} << 26};
    const auto prepared = gpu::PreparedCase::prepare(device, sum);
    if (!prepared)
        return 0;
    bool failed = false;
    const double seconds = bestSeconds(kRoundSeconds, [&](int times) {
        for (int i = 0; i < times; ++i)
            failed |= !prepared->run().ok();
        failed |= !device.synchronise().ok();
    });
    return failed ? 0 : gpu::effortOf(sum).bytes / seconds / 1e9;
}

} // namespace

double bestSeconds(double seconds, const std::function<void(int)>& runMany)
{
    using Clock = std::chrono::steady_clock;
    constexpr int kRounds = 5;
    constexpr int kMost = 1 << 20;
    const auto timed = [&](int times) {
        const auto start = Clock::now();
        runMany(times);
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    runMany(1); // what is made at first use is no part of it
    int times = 1;
    double taken = timed(times);
    while (taken < seconds / 2 && times < kMost) {
        times = static_cast<int>(
            std::clamp(times * seconds / std::max(taken, 1e-7), times * 2.0, times * 100.0));
        taken = timed(times);
    }
    for (int round = 1; round < kRounds; ++round)
        taken = std::min(taken, timed(times));
    return taken / times;
}

Roofs measureRoofs(gpu::Device& device, const gpu::DeviceInfo& info, int threads)
{
    Roofs roofs;
    if (info.kind == gpu::DeviceKind::Processor) {
        roofs.gigaflops = sgemmGigaflops(threads);
        roofs.gigaflopsFrom = "the BLAS's sgemm, " + std::to_string(threads) + " threads";
        roofs.gigabytesPerSecond = triadGigabytes(threads);
        roofs.bytesFrom = "triad, " + std::to_string(threads) + " threads";
        return roofs;
    }
    roofs.gigaflops = info.gigaflops;
    roofs.gigaflopsFrom = "reported by the driver";
    roofs.gigabytesPerSecond = deviceGigabytes(device);
    roofs.bytesFrom = "its own sum of two vectors of 256 MiB";
    return roofs;
}

} // namespace commonweight::bench
