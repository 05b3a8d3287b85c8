#include "gpu/check/gradients.h"

#include "engine/base/random.h"

#include <cmath>
#include <functional>
#include <memory>
#include <optional>

namespace commonweight::gpu {
namespace {

using Values = std::vector<float>;
using Inputs = std::vector<Values>;

/// Memory on the device for one call.
class Workspace {
public:
    explicit Workspace(Device& device) : m_device(device) {}

    Slice put(const Values& values)
    {
        return put(ElementType::F32, std::as_bytes(std::span(values)));
    }
    Slice put(const std::vector<std::int32_t>& values)
    {
        return put(ElementType::I32, std::as_bytes(std::span(values)));
    }
    Slice zeros(std::int64_t count) { return put(Values(static_cast<std::size_t>(count), 0.0F)); }
    Result<Values> get(const Slice& slice)
    {
        if (m_error)
            return *m_error;
        Values values(static_cast<std::size_t>(slice.elements));
        CW_CHECK(m_device.read(std::as_writable_bytes(std::span(values)), slice));
        return values;
    }
    Device* operator->() const { return &m_device; }

private:
    Slice put(ElementType type, std::span<const std::byte> bytes)
    {
        const auto count = static_cast<std::int64_t>(bytes.size() / sizeof(float));
        auto buffer = m_device.allocate(type, count);
        if (!buffer) {
            m_error = buffer.error();
            return {};
        }
        m_buffers.push_back(std::move(*buffer));
        const Slice slice{m_buffers.back().get(), 0, count};
        m_device.write(slice, bytes);
        return slice;
    }

    Device& m_device;
    std::vector<std::unique_ptr<Buffer>> m_buffers;
    std::optional<Error> m_error;
};

struct Differentiable {
    std::string name;
    std::vector<std::string> names; ///< of the inputs
    Inputs inputs;
    std::size_t outputs;
    std::function<Result<Values>(Workspace&, const Inputs&)> forward;
    std::function<Result<Inputs>(Workspace&, const Inputs&, const Values&)> backward;
};

Values random(std::int64_t count, std::uint64_t key, float scale = 1)
{
    Values values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = scale * 2 * (uniform01(philox(key, i)[0]) - 0.5F);
    return values;
}

Result<Inputs> gotten(Workspace& memory, std::initializer_list<Slice> slices)
{
    Inputs all;
    for (const auto& slice : slices) {
        CW_TRY(auto values, memory.get(slice));
        all.push_back(std::move(values));
    }
    return all;
}

Differentiable product()
{
    constexpr std::int64_t m = 7;
    constexpr std::int64_t n = 9;
    constexpr std::int64_t k = 33;
    return {"matmul",
            {"a", "b"},
            {random(m * k, 1), random(n * k, 2)},
            m * n,
            [](Workspace& memory, const Inputs& in) {
                const Slice out = memory.zeros(m * n);
                memory->matmul({.out = out,
                                .a = memory.put(in[0]),
                                .b = memory.put(in[1]),
                                .m = m,
                                .n = n,
                                .k = k,
                                .transposeB = true});
                return memory.get(out);
            },
            [](Workspace& memory, const Inputs& in, const Values& gradOut) {
                const Slice grad = memory.put(gradOut);
                const Slice gradA = memory.zeros(m * k);
                const Slice gradB = memory.zeros(n * k);
                memory->matmul(
                    {.out = gradA, .a = grad, .b = memory.put(in[1]), .m = m, .n = k, .k = n});
                memory->matmul({.out = gradB,
                                .a = grad,
                                .b = memory.put(in[0]),
                                .m = n,
                                .n = k,
                                .k = m,
                                .transposeA = true});
                return gotten(memory, {gradA, gradB});
            }};
}

Differentiable embedding()
{
    constexpr std::int64_t width = 6;
    static const std::vector<std::int32_t> kTokens{2, 0, 2, 4};
    return {"embedding",
            {"table"},
            {random(5 * width, 3)},
            4 * width,
            [](Workspace& memory, const Inputs& in) {
                const Slice out = memory.zeros(4 * width);
                memory->embedding(out, memory.put(in[0]), memory.put(kTokens), width);
                return memory.get(out);
            },
            [](Workspace& memory, const Inputs&, const Values& gradOut) {
                const Slice grad = memory.zeros(5 * width);
                memory->embeddingBackward(grad, memory.put(gradOut), memory.put(kTokens), width);
                return gotten(memory, {grad});
            }};
}

Differentiable norm()
{
    constexpr std::int64_t rows = 5;
    constexpr std::int64_t width = 37;
    const auto forward = [](Workspace& memory, const Inputs& in, const Slice& reciprocal) {
        const Slice y = memory.zeros(rows * width);
        memory->rmsNorm({memory.put(in[0]), memory.put(in[1]), y, reciprocal, rows, width, 1e-5F});
        return y;
    };
    return {"rmsNorm",
            {"x", "weight"},
            {random(rows * width, 4), random(width, 5)},
            rows * width,
            [forward](Workspace& memory, const Inputs& in) {
                return memory.get(forward(memory, in, memory.zeros(rows)));
            },
            [forward](Workspace& memory, const Inputs& in, const Values& gradOut) {
                const Slice reciprocal = memory.zeros(rows);
                forward(memory, in, reciprocal);
                const Slice gradX = memory.zeros(rows * width);
                const Slice gradWeight = memory.zeros(width);
                memory->rmsNormBackward({memory.put(in[0]), memory.put(in[1]), reciprocal,
                                         memory.put(gradOut), gradX, gradWeight, rows, width});
                return gotten(memory, {gradX, gradWeight});
            }};
}

constexpr AttentionShape kShape{2, 9, 4, 2, 6};

Differentiable rotation()
{
    const auto turn = [](Workspace& memory, const Values& qkv, Direction direction) {
        Values table;
        for (std::int64_t i = 0; i < kShape.length * kShape.headSize / 2; ++i) {
            table.push_back(static_cast<float>(std::cos(static_cast<double>(i))));
            table.push_back(static_cast<float>(std::sin(static_cast<double>(i))));
        }
        const Slice turned = memory.put(qkv);
        memory->rope({kShape, turned, memory.put(table), direction});
        return turned;
    };
    const std::int64_t count = kShape.rows() * kShape.rowWidth();
    return {"rope",
            {"qkv"},
            {random(count, 6)},
            static_cast<std::size_t>(count),
            [turn](Workspace& memory, const Inputs& in) {
                return memory.get(turn(memory, in[0], Direction::Forward));
            },
            [turn](Workspace& memory, const Inputs&, const Values& gradOut) {
                return gotten(memory, {turn(memory, gradOut, Direction::Backward)});
            }};
}

Differentiable attention()
{
    const std::int64_t outputs = kShape.rows() * kShape.heads * kShape.headSize;
    return {"attention",
            {"qkv"},
            {random(kShape.rows() * kShape.rowWidth(), 7)},
            static_cast<std::size_t>(outputs),
            [=](Workspace& memory, const Inputs& in) {
                const Slice out = memory.zeros(outputs);
                memory->attention(
                    {kShape, memory.put(in[0]), out, memory.zeros(kShape.rows() * kShape.heads)});
                return memory.get(out);
            },
            [=](Workspace& memory, const Inputs& in, const Values& gradOut) {
                const Slice qkv = memory.put(in[0]);
                const Slice out = memory.zeros(outputs);
                const Slice logSum = memory.zeros(kShape.rows() * kShape.heads);
                const Slice grad = memory.zeros(qkv.elements);
                memory->attention({kShape, qkv, out, logSum});
                memory->attentionBackward({kShape, qkv, out, logSum, memory.put(gradOut), grad});
                return gotten(memory, {grad});
            }};
}

Differentiable gate()
{
    constexpr std::int64_t rows = 3;
    constexpr std::int64_t width = 11;
    return {"swiGlu",
            {"gate and up"},
            {random(2 * rows * width, 8, 2)},
            rows * width,
            [](Workspace& memory, const Inputs& in) {
                const Slice out = memory.zeros(rows * width);
                memory->swiGlu({memory.put(in[0]), out, rows, width});
                return memory.get(out);
            },
            [](Workspace& memory, const Inputs& in, const Values& gradOut) {
                const Slice grad = memory.zeros(2 * rows * width);
                memory->swiGluBackward({memory.put(in[0]), memory.put(gradOut), grad, rows, width});
                return gotten(memory, {grad});
            }};
}

// The gradient is that of the sum of losses, so the weights of its outputs are all the same.
Differentiable loss()
{
    constexpr std::int64_t rows = 4;
    constexpr std::int64_t classes = 13;
    static const std::vector<std::int32_t> kTargets{3, 12, 0, 7};
    const auto run = [](Workspace& memory, const Values& logits, float scale, bool gradient) {
        const Slice values = memory.put(logits);
        const Slice losses = memory.zeros(rows);
        memory->softmaxCrossEntropy(
            {values, memory.put(kTargets), losses, rows, classes, scale, gradient});
        return gradient ? values : losses;
    };
    return {"softmaxCrossEntropy",
            {"logits"},
            {random(rows * classes, 9, 2)},
            rows,
            [run](Workspace& memory, const Inputs& in) {
                return memory.get(run(memory, in[0], 0, false));
            },
            [run](Workspace& memory, const Inputs& in, const Values& gradOut) {
                return gotten(memory, {run(memory, in[0], gradOut.front(), true)});
            }};
}

double dot(const Values& a, const Values& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
}

/// f(x + step · direction) for one of the inputs, f being the weighted sum of the outputs.
Result<double> valueAt(Device& device, const Differentiable& f, std::size_t input,
                       const Values& direction, float step, const Values& weights)
{
    Inputs inputs = f.inputs;
    for (std::size_t i = 0; i < direction.size(); ++i)
        inputs[input][i] += step * direction[i];
    Workspace memory(device);
    CW_TRY(const auto out, f.forward(memory, inputs));
    return dot(out, weights);
}

Result<GradientCheck> checkInput(Device& device, const Differentiable& f, std::size_t input)
{
    constexpr float kStep = 0x1p-6F;
    const bool isLoss = f.name == "softmaxCrossEntropy";
    const Values weights =
        isLoss ? Values(f.outputs, 0.5F) : random(static_cast<std::int64_t>(f.outputs), 20);
    Values direction = random(static_cast<std::int64_t>(f.inputs[input].size()), 21 + input);
    for (auto& value : direction)
        value = value < 0 ? -1.0F : 1.0F; // sums with the step are then exact to fp32's last bits
    CW_TRY(const double above, valueAt(device, f, input, direction, kStep, weights));
    CW_TRY(const double below, valueAt(device, f, input, direction, -kStep, weights));
    Workspace memory(device);
    CW_TRY(const auto gradients, f.backward(memory, f.inputs, weights));
    GradientCheck check;
    check.text = f.name + ", " + f.names[input];
    check.numeric = (above - below) / (2 * double{kStep});
    check.analytic = dot(gradients[input], direction);
    check.error = std::abs(check.numeric - check.analytic) /
                  std::sqrt(std::max(dot(gradients[input], gradients[input]), 1e-30));
    if (!std::isfinite(check.error))
        check.error = HUGE_VAL;
    return check;
}

} // namespace

Result<std::vector<GradientCheck>> checkGradients(Device& device)
{
    std::vector<GradientCheck> checks;
    for (const auto& f :
         {product(), embedding(), norm(), rotation(), attention(), gate(), loss()}) {
        for (std::size_t input = 0; input < f.inputs.size(); ++input) {
            CW_TRY(auto check, checkInput(device, f, input));
            checks.push_back(std::move(check));
        }
    }
    return checks;
}

} // namespace commonweight::gpu
