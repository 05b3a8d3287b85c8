// Matrix products of CpuDevice: cut into tiles for the threads, with factors rounded to bf16 where
// the device was opened so.
#include "gpu/cpu/cpu_device.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace commonweight::gpu::cpu {

struct CpuDevice::Tile {
    std::int64_t row, column, rows, columns;
};

namespace {

// How a product is cut: by its shape alone, so that the result never depends on the threads. Tiles
// are about square, which keeps the cost of packing low, large enough to hide the cost of a call,
// and small enough that many cores find something to do.
struct Tiling {
    Tiling(std::int64_t m, std::int64_t n, std::int64_t k) : m_m(m), m_n(n)
    {
        constexpr std::int64_t kLeast = 8 << 20; // multiply-adds of a tile
        constexpr std::int64_t kMost = 160 << 20;
        const std::int64_t whole = m * n * k;
        const std::int64_t area = std::clamp(whole / 8, kLeast, kMost) / k;
        const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(area)));
        const std::int64_t shortSide = std::min({m, n, std::max<std::int64_t>(side, 64)});
        const std::int64_t longSide = std::max<std::int64_t>(area / shortSide, 64);
        rows = evenPart(m, m < n ? shortSide : longSide);
        columns = evenPart(n, m < n ? longSide : shortSide);
        rowTiles = (m + rows - 1) / rows;
        columnTiles = (n + columns - 1) / columns;
    }

    // The extent of about equal parts, each near `wanted` and a multiple of what kernels like.
    static std::int64_t evenPart(std::int64_t extent, std::int64_t wanted)
    {
        constexpr std::int64_t kKernel = 16;
        const std::int64_t parts = std::max<std::int64_t>(1, (extent + wanted / 2) / wanted);
        return ((extent + parts - 1) / parts + kKernel - 1) / kKernel * kKernel;
    }

    std::int64_t tiles() const { return rowTiles * columnTiles; }
    template <class Tile> Tile at(std::int64_t task) const
    {
        const std::int64_t row = task / columnTiles * rows;
        const std::int64_t column = task % columnTiles * columns;
        return {row, column, std::min(rows, m_m - row), std::min(columns, m_n - column)};
    }

    std::int64_t rows, columns, rowTiles, columnTiles;

private:
    std::int64_t m_m, m_n;
};

const float* at(const Matrix& matrix, std::int64_t row, std::int64_t column)
{
    return matrix.data +
           (matrix.transposed ? column * matrix.stride + row : row * matrix.stride + column);
}

const std::uint16_t* at(const Bf16Matrix& matrix, std::int64_t row, std::int64_t column)
{
    return matrix.data +
           (matrix.transposed ? column * matrix.stride + row : row * matrix.stride + column);
}

// Rounding costs as much as it saves in products of few rows or columns, such as those of sampling.
bool paysToRound(const Product& product)
{
    constexpr std::int64_t kLeast = 16;
    return std::min({product.m, product.n, product.k}) >= kLeast;
}

// Rows of the left factor or columns of the right one that are rounded at a time: 16 MiB of bf16.
std::int64_t roundedAtATime(std::int64_t extent, std::int64_t k)
{
    constexpr std::int64_t kElements = 8 << 20;
    return std::min(extent, std::max<std::int64_t>(64, kElements / k));
}

} // namespace

// Puts what is added into the tile; whether there is anything.
bool CpuDevice::startTile(const Product& whole, const Tile& tile, Addition addition)
{
    const auto [addend, bias] = addition;
    if (!addend && !bias)
        return false;
    for (std::int64_t r = tile.row; r < tile.row + tile.rows; ++r) {
        float* out = whole.out + r * whole.outStride + tile.column;
        const float* added = addend ? addend + r * whole.n + tile.column : bias + tile.column;
        if (added != out)
            std::memcpy(out, added, static_cast<std::size_t>(tile.columns) * sizeof(float));
        if (addend && bias)
            m_kernels.add(out, out, bias + tile.column, tile.columns);
    }
    return true;
}

void CpuDevice::matmul(const MatMul& o)
{
    if (o.m <= 0 || o.n <= 0 || o.k <= 0)
        return fail(ErrorKind::Device, "a product of matrices without rows or columns");
    const Product whole{
        .a = {floats(o.a, o.m * o.k, "the left factor"), o.transposeA ? o.m : o.k, o.transposeA},
        .b = {floats(o.b, o.k * o.n, "the right factor"), o.transposeB ? o.k : o.n, o.transposeB},
        .out = floats(o.out, o.m * o.n, "the product"),
        .outStride = o.n,
        .m = o.m,
        .n = o.n,
        .k = o.k};
    const Addition addition{o.addend.buffer ? floats(o.addend, o.m * o.n, "the addend") : nullptr,
                            o.bias.buffer ? floats(o.bias, o.n, "the bias") : nullptr};
    if (failed())
        return;
    useOneThreadHere();
    m_outcome.store(Outcome::Done, std::memory_order_relaxed);
    if (m_bf16 && paysToRound(whole))
        multiplyRounded(whole, addition);
    else
        multiply(whole, addition);
    const Outcome outcome = m_outcome.load(std::memory_order_relaxed);
    if (outcome == Outcome::NoMemory)
        fail(ErrorKind::OutOfMemory, "the computer ran out of memory in a product of matrices");
    else if (outcome != Outcome::Done)
        fail(ErrorKind::Device, "LibTorch failed in a product of matrices");
}

void CpuDevice::multiply(const Product& whole, Addition addition)
{
    const Tiling tiling(whole.m, whole.n, whole.k);
    m_pool.run(tiling.tiles(), microsecondsOf(tiling.rows * tiling.columns * whole.k),
               [&](std::int64_t task, int) {
                   const Tile tile = tiling.at<Tile>(task);
                   Product part = whole;
                   part.a.data = at(whole.a, tile.row, 0);
                   part.b.data = at(whole.b, 0, tile.column);
                   part.out = whole.out + tile.row * whole.outStride + tile.column;
                   part.m = tile.rows;
                   part.n = tile.columns;
                   part.accumulate = startTile(whole, tile, addition);
                   const Outcome outcome = tileProduct(part);
                   if (outcome != Outcome::Done)
                       m_outcome.store(outcome, std::memory_order_relaxed);
               });
}

// `memory` is rows × columns as it lies there.
void CpuDevice::roundMatrix(const Matrix& memory, std::int64_t rows, std::int64_t columns,
                            std::vector<std::uint16_t>& to)
{
    const auto elements = static_cast<std::size_t>(rows * columns);
    if (to.size() < elements)
        to.resize(elements);
    const std::int64_t piece = std::max<std::int64_t>(1, (1 << 14) / columns);
    inPieces(rows, piece, [&](std::int64_t first, std::int64_t count) {
        const float* from = memory.data + first * memory.stride;
        std::uint16_t* out = to.data() + first * columns;
        if (memory.stride == columns)
            return m_kernels.roundToBf16(from, out, count * columns);
        for (std::int64_t r = 0; r < count; ++r)
            m_kernels.roundToBf16(from + r * memory.stride, out + r * columns, columns);
    });
}

void CpuDevice::multiplyRounded(const Product& whole, Addition addition)
{
    const std::int64_t rowsAtATime = roundedAtATime(whole.m, whole.k);
    const std::int64_t columnsAtATime = roundedAtATime(whole.n, whole.k);
    for (std::int64_t column = 0; column < whole.n; column += columnsAtATime) {
        const std::int64_t columns = std::min(columnsAtATime, whole.n - column);
        const Matrix b{at(whole.b, 0, column), whole.b.stride};
        if (whole.b.transposed)
            roundMatrix(b, columns, whole.k, m_roundedB);
        else
            roundMatrix(b, whole.k, columns, m_roundedB);
        for (std::int64_t row = 0; row < whole.m; row += rowsAtATime) {
            const std::int64_t rows = std::min(rowsAtATime, whole.m - row);
            const Matrix a{at(whole.a, row, 0), whole.a.stride};
            if (whole.a.transposed)
                roundMatrix(a, whole.k, rows, m_roundedA);
            else
                roundMatrix(a, rows, whole.k, m_roundedA);
            multiplyBlock(whole, addition, {row, column, rows, columns});
        }
    }
}

// A block of the product whose factors lie rounded in m_roundedA and m_roundedB.
void CpuDevice::multiplyBlock(const Product& whole, Addition addition, const Tile& block)
{
    const Bf16Matrix a{m_roundedA.data(), whole.a.transposed ? block.rows : whole.k,
                       whole.a.transposed};
    const Bf16Matrix b{m_roundedB.data(), whole.b.transposed ? whole.k : block.columns,
                       whole.b.transposed};
    const Tiling tiling(block.rows, block.columns, whole.k);
    m_pool.run(tiling.tiles(), microsecondsOf(tiling.rows * tiling.columns * whole.k) / 2,
               [&](std::int64_t task, int) {
                   const Tile inner = tiling.at<Tile>(task);
                   const Tile tile{block.row + inner.row, block.column + inner.column, inner.rows,
                                   inner.columns};
                   const bool accumulate = startTile(whole, tile, addition);
                   const Outcome outcome =
                       bf16Product({.a = {at(a, inner.row, 0), a.stride, a.transposed},
                                    .b = {at(b, 0, inner.column), b.stride, b.transposed},
                                    .out = whole.out + tile.row * whole.outStride + tile.column,
                                    .outStride = whole.outStride,
                                    .m = tile.rows,
                                    .n = tile.columns,
                                    .k = whole.k,
                                    .accumulate = accumulate});
                   if (outcome != Outcome::Done)
                       m_outcome.store(outcome, std::memory_order_relaxed);
               });
}

} // namespace commonweight::gpu::cpu
