#include "gpu/vulkan/product_plan.h"

#include "engine/base/log.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace commonweight::gpu::vulkan {
namespace {

constexpr std::size_t kMostTrials = 8;
constexpr std::int64_t kReferenceTile = 64; // whose number says whether a device is full
constexpr std::int64_t kLeastChunk = 256;
constexpr std::int64_t kChunkUnit = 32; // a multiple of every class's depth
constexpr std::int64_t kMostSplits = 32;
constexpr std::int64_t kMostSlabElements = 16 << 20; // 64 MiB, what gpu::Device allows as scratch

std::int64_t divideUp(std::int64_t a, std::int64_t b)
{
    return (a + b - 1) / b;
}

// As many parts as fill the device twice over.
std::int64_t splitsFor(const ProductShape& shape, int computeUnits)
{
    const std::int64_t tiles =
        divideUp(shape.m, kReferenceTile) * divideUp(shape.n, kReferenceTile);
    const std::int64_t wanted = 2 * std::int64_t{computeUnits} / tiles;
    const std::int64_t slabs = kMostSlabElements / std::max<std::int64_t>(shape.m * shape.n, 1);
    return std::clamp<std::int64_t>(std::min({wanted, shape.k / kLeastChunk, slabs, kMostSplits}),
                                    1, kMostSplits);
}

struct Record {
    TileClass tile;
    double rate;
};
static_assert(sizeof(Record) == 32); // with four bytes of padding, which are zeroed below

} // namespace

ProductPlan planProduct(const ProductShape& shape, std::span<const RatedTile> tiles,
                        int computeUnits)
{
    ProductPlan plan;
    const std::int64_t splits = splitsFor(shape, computeUnits);
    plan.chunk =
        splits == 1 ? shape.k : divideUp(divideUp(shape.k, splits), kChunkUnit) * kChunkUnit;
    plan.splits = divideUp(shape.k, plan.chunk);
    double best = INFINITY;
    for (const auto& rated : tiles) {
        const std::int64_t groupsM = divideUp(shape.m, rated.tile.rows);
        const std::int64_t groupsN = divideUp(shape.n, rated.tile.columns);
        const auto groups = static_cast<double>(
            std::max<std::int64_t>(groupsM * groupsN * plan.splits, computeUnits));
        const double cost = groups * rated.tile.rows * rated.tile.columns / rated.rate;
        if (cost >= best)
            continue;
        best = cost;
        plan.tile = rated.tile;
        plan.groupsM = static_cast<std::uint64_t>(groupsM);
        plan.groupsN = static_cast<std::uint64_t>(groupsN);
    }
    return plan;
}

Result<std::vector<RatedTile>>
tuneTiles(std::span<const TileClass> candidates,
          const std::function<Result<TileTrial>(const TileClass&)>& attempt)
{
    std::vector<RatedTile> right;
    const auto tried = candidates.first(std::min(candidates.size(), kMostTrials));
    for (const auto& tile : tried) {
        CW_TRY(const TileTrial trial, attempt(tile));
        if (trial.right && trial.rate > 0)
            right.push_back({tile, trial.rate});
        else
            spdlog::warn("The graphics card multiplies wrongly in tiles of {} x {}: not used",
                         tile.rows, tile.columns);
    }
    if (right.empty())
        return Error{ErrorKind::Device, "the graphics card multiplies matrices wrongly in every "
                                        "way that was tried; another driver may help"};
    return right;
}

Bytes writeTiles(std::span<const RatedTile> tiles)
{
    Bytes bytes;
    for (const auto& rated : tiles) {
        std::array<Byte, sizeof(Record)> raw{};
        std::memcpy(raw.data(), &rated.tile, sizeof rated.tile);
        std::memcpy(raw.data() + offsetof(Record, rate), &rated.rate, sizeof rated.rate);
        bytes.insert(bytes.end(), raw.begin(), raw.end());
    }
    return bytes;
}

std::optional<std::vector<RatedTile>> readTiles(ByteView bytes,
                                                std::span<const TileClass> candidates)
{
    if (bytes.empty() || bytes.size() % sizeof(Record) != 0)
        return std::nullopt;
    std::vector<RatedTile> tiles;
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(Record)) {
        RatedTile rated;
        std::memcpy(&rated.tile, bytes.data() + at, sizeof rated.tile);
        std::memcpy(&rated.rate, bytes.data() + at + offsetof(Record, rate), sizeof rated.rate);
        if (std::find(candidates.begin(), candidates.end(), rated.tile) == candidates.end() ||
            !(rated.rate > 0) || !std::isfinite(rated.rate))
            return std::nullopt;
        tiles.push_back(rated);
    }
    return tiles;
}

} // namespace commonweight::gpu::vulkan
