// Products of matrices on VulkanDevice, and the tuning of their tiles.
#include "gpu/vulkan/vulkan_device.h"

#include "engine/base/random.h"

#include <algorithm>
#include <cmath>

namespace commonweight::gpu::vulkan {
namespace {

constexpr std::uint32_t kFlatThreads = 256;

std::uint32_t narrow(std::int64_t value)
{
    return static_cast<std::uint32_t>(value);
}

// Where element (row, column) of a factor lies.
std::size_t placeOf(std::int64_t row, std::int64_t column, std::int64_t rows, std::int64_t columns,
                    bool transposed)
{
    return static_cast<std::size_t>(transposed ? column * rows + row : row * columns + column);
}

std::vector<float> testValues(std::int64_t count, std::uint64_t key)
{
    std::vector<float> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = uniform01(philox(key, i)[0]) - 0.5F;
    return values;
}

} // namespace

struct VulkanDevice::Product {
    Use out, a, b, addend, bias;
    ProductShape shape;
    bool transposeA = false, transposeB = false, hasAddend = false, hasBias = false;
};

void VulkanDevice::matmul(const MatMul& o)
{
    if (o.m <= 0 || o.n <= 0 || o.k <= 0)
        return fail(ErrorKind::Device, "a product of matrices without rows or columns");
    Product product{.out = write(o.out, o.m * o.n, "the product"),
                    .a = read(o.a, o.m * o.k, "the left factor"),
                    .b = read(o.b, o.k * o.n, "the right factor"),
                    .addend = {},
                    .bias = {},
                    .shape = {o.m, o.n, o.k},
                    .transposeA = o.transposeA,
                    .transposeB = o.transposeB,
                    .hasAddend = o.addend.buffer != nullptr,
                    .hasBias = o.bias.buffer != nullptr};
    // A binding that is not given must still be bound to something.
    product.addend =
        product.hasAddend ? read(o.addend, o.m * o.n, "the addend") : reading(product.out);
    product.bias = product.hasBias ? read(o.bias, o.n, "the bias") : reading(product.a);
    if (failed())
        return;
    const auto rated = tiles();
    if (!rated)
        return fail(rated.error().kind, rated.error().message);
    multiply(product, planProduct(product.shape, *rated, m_capabilities.computeUnits));
}

void VulkanDevice::multiply(const Product& p, const ProductPlan& plan)
{
    const auto& [m, n, k] = p.shape;
    const bool split = plan.splits > 1;
    const Use target = split ? scratch(plan.splits * m * n) : p.out;
    const auto wholeVectors = [](const Use& use, std::int64_t line) {
        return isAligned(use) && line % 4 == 0;
    };
    const bool vectorOut = wholeVectors(target, n) && (split || isAligned(p.addend));
    const auto& tile = plan.tile;
    const Kernel kernel{"matmul",
                        {tile.threads(), tile.rows, tile.columns, tile.depth, tile.threadRows,
                         tile.threadColumns, p.transposeA, p.transposeB,
                         wholeVectors(p.a, p.transposeA ? m : k),
                         wholeVectors(p.b, p.transposeB ? k : n), vectorOut, tile.threads()}};
    struct Parameters {
        std::uint32_t m, n, k, chunk, hasAddend, hasBias;
    };
    const Parameters parameters{
        narrow(m),          narrow(n), narrow(k), narrow(plan.chunk), p.hasAddend && !split,
        p.hasBias && !split};
    const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    run(kernel, {target, p.a, p.b, split ? reading(target) : p.addend, p.bias}, parameters,
        {plan.groupsN, plan.groupsM, static_cast<std::uint64_t>(plan.splits)}, work);
    if (split)
        sumSlabs({p.out, reading(target), p.addend, p.bias},
                 {m * n, n, plan.splits, p.hasAddend, p.hasBias});
}

void VulkanDevice::sumSlabs(const SlabUses& uses, const SlabShape& shape)
{
    struct Parameters {
        std::uint32_t count, n, splits, hasAddend, hasBias;
    };
    run({"split_sum", {kFlatThreads}}, {uses.out, uses.slabs, uses.addend, uses.bias},
        Parameters{narrow(shape.count), narrow(shape.n), narrow(shape.splits), shape.hasAddend,
                   shape.hasBias},
        Groups::line((shape.count + kFlatThreads - 1) / kFlatThreads),
        static_cast<double>(shape.splits * shape.count));
}

Result<std::vector<RatedTile>> VulkanDevice::tiles()
{
    if (!m_tiles.empty())
        return m_tiles;
    const KeptFile file = keptFile(".tiles");
    if (const auto kept = file.read()) {
        if (auto read = readTiles(*kept, m_options.tiles)) {
            m_tiles = std::move(*read);
            return m_tiles;
        }
    }
    CW_TRY(m_tiles, tuneNow());
    file.write(writeTiles(m_tiles));
    return m_tiles;
}

// Operands of the largest trial, made once.
struct VulkanDevice::TrialMemory {
    std::unique_ptr<Buffer> a, b, out;

    Result<void> allocate(Device& device, const ProductShape& shape)
    {
        CW_TRY(a, device.allocate(ElementType::F32, shape.m * shape.k));
        CW_TRY(b, device.allocate(ElementType::F32, shape.k * shape.n));
        CW_TRY(out, device.allocate(ElementType::F32, shape.m * shape.n));
        return {};
    }
    static Slice whole(const std::unique_ptr<Buffer>& buffer)
    {
        return {buffer.get(), 0, buffer->elements()};
    }
};

Result<std::vector<RatedTile>> VulkanDevice::tuneNow()
{
    // A driver on the processor serves tests only: there each class costs much and gains little.
    constexpr std::size_t kTriesOfProcessor = 2;
    const std::size_t most =
        m_device->physical().isProcessor() ? kTriesOfProcessor : m_options.tiles.size();
    std::vector<TileClass> candidates;
    for (const auto& tile : m_options.tiles) {
        if (candidates.size() < most && tile.fits(m_device->limits()))
            candidates.push_back(tile);
    }
    // Large enough that a launch costs little, small enough that tuning takes no time.
    constexpr std::int64_t kLeastSide = 128;
    constexpr std::int64_t kMostSide = 1024;
    constexpr double kLongEnough = 1e6; // nanoseconds
    ProductShape timed{kLeastSide, kLeastSide, kLeastSide};
    while (!candidates.empty() && timed.m < kMostSide) {
        CW_TRY(const double nanoseconds, timeProduct(candidates.front(), timed));
        if (nanoseconds > kLongEnough)
            break;
        timed = {timed.m * 2, timed.n * 2, timed.k * 2};
    }
    return tuneTiles(candidates, [&](const TileClass& tile) { return tryTile(tile, timed); });
}

Result<TileTrial> VulkanDevice::tryTile(const TileClass& tile, const ProductShape& timed)
{
    // One shape with edges and odd lines, one of whole vectors.
    const std::array<ProductShape, 2> shapes = {{{70, 133, 39}, {132, 72, 36}}};
    for (const auto& shape : shapes) {
        for (int layout = 0; layout < 3; ++layout) {
            CW_TRY(const bool right, isRight(tile, shape, layout));
            if (!right)
                return TileTrial{};
        }
    }
    CW_TRY(const double nanoseconds, timeProduct(tile, timed));
    return TileTrial{true, static_cast<double>(timed.m * timed.n * timed.k) / nanoseconds};
}

namespace {

ProductPlan planWith(const TileClass& tile, const ProductShape& shape)
{
    constexpr int kUnits = 1; // few enough that k stays whole
    return planProduct({shape.m, shape.n, shape.k}, std::array{RatedTile{tile, 1}}, kUnits);
}

} // namespace

// Against the definition, in double precision.
Result<bool> VulkanDevice::isRight(const TileClass& tile, const ProductShape& shape, int layout)
{
    const auto& [m, n, k] = shape;
    const bool transposeA = layout == 2;
    const bool transposeB = layout == 1;
    TrialMemory memory;
    CW_CHECK(memory.allocate(*this, shape));
    const auto a = testValues(m * k, 1);
    const auto b = testValues(k * n, 2);
    write(TrialMemory::whole(memory.a), std::as_bytes(std::span(a)));
    write(TrialMemory::whole(memory.b), std::as_bytes(std::span(b)));
    const Use out = write(TrialMemory::whole(memory.out), m * n, "the product");
    multiply({.out = out,
              .a = read(TrialMemory::whole(memory.a), m * k, "the left factor"),
              .b = read(TrialMemory::whole(memory.b), k * n, "the right factor"),
              .addend = reading(out),
              .bias = reading(out),
              .shape = shape,
              .transposeA = transposeA,
              .transposeB = transposeB},
             planWith(tile, shape));
    std::vector<float> result(static_cast<std::size_t>(m * n));
    CW_CHECK(read(std::as_writable_bytes(std::span(result)), TrialMemory::whole(memory.out)));
    for (std::int64_t row = 0; row < m; ++row) {
        for (std::int64_t column = 0; column < n; ++column) {
            double sum = 0;
            for (std::int64_t i = 0; i < k; ++i)
                sum += static_cast<double>(a[placeOf(row, i, m, k, transposeA)]) *
                       static_cast<double>(b[placeOf(i, column, k, n, transposeB)]);
            constexpr double kBound = 1e-5; // values below 1/2, sums of at most 39
            const auto ours =
                static_cast<double>(result[static_cast<std::size_t>(row * n + column)]);
            if (!(std::abs(ours - sum) < kBound))
                return false;
        }
    }
    return true;
}

// The shortest of three, by the device's clock.
Result<double> VulkanDevice::timeProduct(const TileClass& tile, const ProductShape& shape)
{
    const auto& [m, n, k] = shape;
    TrialMemory memory;
    CW_CHECK(memory.allocate(*this, shape));
    const Use out = write(TrialMemory::whole(memory.out), m * n, "the product");
    const Product product{.out = out,
                          .a = read(TrialMemory::whole(memory.a), m * k, "the left factor"),
                          .b = read(TrialMemory::whole(memory.b), k * n, "the right factor"),
                          .addend = reading(out),
                          .bias = reading(out),
                          .shape = shape,
                          .transposeA = false,
                          .transposeB = true};
    double shortest = INFINITY;
    for (int i = 0; i < 3; ++i) {
        CW_CHECK(synchronise());
        const double before = statistics().totalNanoseconds;
        multiply(product, planWith(tile, shape));
        CW_CHECK(synchronise());
        shortest = std::min(shortest, statistics().totalNanoseconds - before);
    }
    return std::max(shortest, 1.0);
}

} // namespace commonweight::gpu::vulkan
