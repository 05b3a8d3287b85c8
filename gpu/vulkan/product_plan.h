#pragma once
// How a product of matrices is cut on a device: which tile class, and into how many parts along k.
// Pure functions and plain values, any thread.
//
// Parts along k decide the order of sums, so they follow from the shape and the device alone; the
// tile class, which comes from measurements, changes no bit of the result.

#include "engine/base/bytes.h"
#include "gpu/vulkan/tile_class.h"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace commonweight::gpu::vulkan {

struct ProductShape {
    std::int64_t m = 0, n = 0, k = 0;
};

struct RatedTile {
    TileClass tile;
    double rate = 1; ///< multiply-adds per nanosecond of a device full of work
    bool operator==(const RatedTile&) const = default;
};

struct ProductPlan {
    TileClass tile;
    std::int64_t splits = 1, chunk = 0; ///< parts along k, and the extent of each but the last
    std::uint64_t groupsM = 0, groupsN = 0;
};

/// The fastest by estimate: padding at the edges and idle units count. `tiles` is not empty.
ProductPlan planProduct(const ProductShape& shape, std::span<const RatedTile> tiles,
                        int computeUnits);

struct TileTrial {
    bool right = false; ///< agrees with the processor
    double rate = 0;
};

/// Tries the candidates (at most eight) and keeps those that are right. Device when none is: the
/// driver computes wrongly. An error of a trial ends the tuning.
Result<std::vector<RatedTile>>
tuneTiles(std::span<const TileClass> candidates,
          const std::function<Result<TileTrial>(const TileClass&)>& attempt);

/// What is kept for the next start. Reading gives nothing unless each tile is one of `candidates`.
Bytes writeTiles(std::span<const RatedTile> tiles);
std::optional<std::vector<RatedTile>> readTiles(ByteView bytes,
                                                std::span<const TileClass> candidates);

} // namespace commonweight::gpu::vulkan
