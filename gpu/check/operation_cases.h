#pragma once
// Operations with shapes and numbers to try them on: what the self-test runs, what bench/ops
// times. One thread.

#include "gpu/check/bounds.h"
#include "gpu/device.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace commonweight::gpu {

/// What each number means depends on the operation; unused ones stay 0.
struct OperationCase {
    Operation operation;
    std::int64_t rows = 0;  ///< m of a product; elements of a flat operation
    std::int64_t width = 0; ///< n of a product; classes of a loss
    std::int64_t inner = 0; ///< k of a product
    AttentionShape attention = {};
    bool transposeA = false, transposeB = false; ///< of a product
    bool extras = false; ///< a product with addend and bias, a loss with gradient, a turn back

    /// "matmul 33 × 65 × 70, b transposed".
    std::string text() const;
};

/// A value in the middle of one operand that should be found wherever it belongs.
struct Poison {
    std::size_t operand = 0; ///< in the order in which the case takes memory
    float value = 0;
};

/// A case with its memory on a device.
class PreparedCase {
public:
    /// Counter-based numbers, the same on every device; slices begin at odd places. Errors of
    /// allocate().
    static Result<PreparedCase> prepare(Device& device, const OperationCase& which,
                                        std::optional<Poison> poison = {});

    /// Records the operation; may be repeated. The device's next call that waits says what failed,
    /// unless the operation itself waits.
    Result<void> run() const { return m_run(); }
    std::size_t operands() const { return m_buffers.size(); }
    /// Every byte of its memory, inputs and margins included.
    Result<std::vector<std::byte>> contents(Device& device) const;

private:
    std::vector<std::unique_ptr<Buffer>> m_buffers;
    std::function<Result<void>()> m_run;
};

/// What the arithmetic and the memory have to do at the least.
struct Effort {
    double floatingPointOperations = 0;
    double bytes = 0; ///< each input read once, each output written once
};
Effort effortOf(const OperationCase& which);

/// Every operation on few small and odd shapes: a fraction of a second on a processor.
std::vector<OperationCase> shortCases();
/// Every operation on many odd shapes: around the sizes of blocks, one, long.
std::vector<OperationCase> oddCases();
/// One training step's operations at the extents of a model with this width, for `rows` tokens.
std::vector<OperationCase> timingCases(std::int64_t rows, std::int64_t width);

} // namespace commonweight::gpu
