// The layers of a transformer as plain loops in double precision, each straight from the formula in
// device.h.
#include "gpu/check/reference_device.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace commonweight::gpu {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

double wide(float value)
{
    return static_cast<double>(value);
}

float narrow(double value)
{
    return static_cast<float>(value);
}

/// One query of one head of one sequence: what it looks at.
struct HeadView {
    HeadView(const AttentionShape& s, std::int64_t sequence, std::int64_t head)
        : shape(s), firstRow(sequence * s.length), query(head * s.headSize),
          key((s.heads + head / (s.heads / s.kvHeads)) * s.headSize),
          value(key + s.kvHeads * s.headSize), out(head * s.headSize),
          sums((sequence * s.heads + head) * s.length),
          scale(1 / std::sqrt(static_cast<double>(s.headSize)))
    {}

    /// Of an element `feature` of the query, key or value that begins at `part` of a row.
    std::int64_t at(std::int64_t position, std::int64_t part, std::int64_t feature) const
    {
        return (firstRow + position) * shape.rowWidth() + part + feature;
    }
    std::int64_t outAt(std::int64_t position, std::int64_t feature) const
    {
        return (firstRow + position) * shape.heads * shape.headSize + out + feature;
    }
    double score(const float* qkv, std::int64_t from, std::int64_t to) const
    {
        double sum = 0;
        for (std::int64_t f = 0; f < shape.headSize; ++f)
            sum += wide(qkv[at(from, query, f)]) * wide(qkv[at(to, key, f)]);
        return sum * scale;
    }

    AttentionShape shape;
    std::int64_t firstRow, query, key, value, out, sums;
    double scale;
};

template <class Function> void forEachHead(const AttentionShape& shape, const Function& function)
{
    for (std::int64_t sequence = 0; sequence < shape.sequences; ++sequence)
        for (std::int64_t head = 0; head < shape.heads; ++head)
            function(HeadView(shape, sequence, head));
}

bool valid(const AttentionShape& s)
{
    return s.sequences > 0 && s.length > 0 && s.kvHeads > 0 && s.heads > 0 &&
           s.heads % s.kvHeads == 0 && s.headSize > 0;
}

double logSumExp(const std::vector<double>& scores)
{
    double highest = scores.front();
    for (const double score : scores)
        highest = std::isnan(score) ? score : std::max(highest, score);
    double sum = 0;
    for (const double score : scores)
        sum += std::exp(score - highest);
    return highest + std::log(sum);
}

void attendFrom(const HeadView& head, std::int64_t position, const float* qkv, float* out,
                float* logSum)
{
    std::vector<double> scores;
    for (std::int64_t to = 0; to <= position; ++to)
        scores.push_back(head.score(qkv, position, to));
    const double sum = logSumExp(scores);
    logSum[head.sums + position] = narrow(sum);
    for (std::int64_t f = 0; f < head.shape.headSize; ++f) {
        double result = 0;
        for (std::int64_t to = 0; to <= position; ++to)
            result += std::exp(scores[static_cast<std::size_t>(to)] - sum) *
                      wide(qkv[head.at(to, head.value, f)]);
        out[head.outAt(position, f)] = narrow(result);
    }
}

void attendBackFrom(const HeadView& head, std::int64_t position, const float* qkv,
                    const float* gradOut, std::vector<double>& gradQkv)
{
    const std::int64_t size = head.shape.headSize;
    std::vector<double> probabilities;
    std::vector<double> gradients; // of the probabilities
    for (std::int64_t to = 0; to <= position; ++to)
        probabilities.push_back(head.score(qkv, position, to));
    const double sum = logSumExp(probabilities);
    double mean = 0;
    for (std::int64_t to = 0; to <= position; ++to) {
        auto& p = probabilities[static_cast<std::size_t>(to)];
        p = std::exp(p - sum);
        double gradient = 0;
        for (std::int64_t f = 0; f < size; ++f) {
            const double g = wide(gradOut[head.outAt(position, f)]);
            gradient += g * wide(qkv[head.at(to, head.value, f)]);
            gradQkv[static_cast<std::size_t>(head.at(to, head.value, f))] += p * g;
        }
        gradients.push_back(gradient);
        mean += p * gradient;
    }
    for (std::int64_t to = 0; to <= position; ++to) {
        const auto i = static_cast<std::size_t>(to);
        const double gradScore = probabilities[i] * (gradients[i] - mean) * head.scale;
        for (std::int64_t f = 0; f < size; ++f) {
            const auto query = head.at(position, head.query, f);
            const auto key = head.at(to, head.key, f);
            gradQkv[static_cast<std::size_t>(query)] += gradScore * wide(qkv[key]);
            gradQkv[static_cast<std::size_t>(key)] += gradScore * wide(qkv[query]);
        }
    }
}

} // namespace

void ReferenceDevice::matmul(const MatMul& o)
{
    if (o.m <= 0 || o.n <= 0 || o.k <= 0)
        return fail("a product of matrices without rows or columns");
    const float* a = floats(o.a, o.m * o.k);
    const float* b = floats(o.b, o.k * o.n);
    const float* addend = o.addend.buffer ? floats(o.addend, o.m * o.n) : nullptr;
    const float* bias = o.bias.buffer ? floats(o.bias, o.n) : nullptr;
    float* out = floats(o.out, o.m * o.n);
    if (failed())
        return;
    for (std::int64_t row = 0; row < o.m; ++row) {
        for (std::int64_t column = 0; column < o.n; ++column) {
            double sum = addend ? wide(addend[row * o.n + column]) : 0;
            sum += bias ? wide(bias[column]) : 0;
            for (std::int64_t i = 0; i < o.k; ++i)
                sum += wide(o.transposeA ? a[i * o.m + row] : a[row * o.k + i]) *
                       wide(o.transposeB ? b[column * o.k + i] : b[i * o.n + column]);
            out[row * o.n + column] = narrow(sum);
        }
    }
}

void ReferenceDevice::embedding(Slice out, Slice table, Slice tokens, std::int64_t width)
{
    const std::int32_t* token = integers(tokens, tokens.elements);
    const float* from = floats(table, table.elements);
    float* to = floats(out, tokens.elements * width);
    if (failed() || width <= 0)
        return;
    for (std::int64_t row = 0; row < tokens.elements; ++row) {
        const bool known = token[row] >= 0 && token[row] < table.elements / width;
        for (std::int64_t i = 0; i < width; ++i)
            to[row * width + i] = known ? from[token[row] * width + i] : kNone;
    }
}

void ReferenceDevice::embeddingBackward(Slice gradTable, Slice gradOut, Slice tokens,
                                        std::int64_t width)
{
    const std::int32_t* token = integers(tokens, tokens.elements);
    const float* from = floats(gradOut, tokens.elements * width);
    float* to = floats(gradTable, gradTable.elements);
    if (failed() || width <= 0)
        return;
    std::vector<double> sums(to, to + gradTable.elements);
    for (std::int64_t row = 0; row < tokens.elements; ++row)
        for (std::int64_t i = 0; i < width; ++i)
            if (token[row] >= 0 && token[row] < gradTable.elements / width)
                sums[static_cast<std::size_t>(token[row] * width + i)] +=
                    wide(from[row * width + i]);
    std::transform(sums.begin(), sums.end(), to, narrow);
}

void ReferenceDevice::rmsNorm(const RmsNorm& o)
{
    const float* x = floats(o.x, o.rows * o.width);
    const float* weight = floats(o.weight, o.width);
    float* y = floats(o.y, o.rows * o.width);
    float* reciprocals = floats(o.reciprocal, o.rows);
    if (failed())
        return;
    for (std::int64_t row = 0; row < o.rows; ++row) {
        double squares = 0;
        for (std::int64_t i = row * o.width; i < (row + 1) * o.width; ++i)
            squares += wide(x[i]) * wide(x[i]);
        const double reciprocal =
            1 / std::sqrt(squares / static_cast<double>(o.width) + wide(o.epsilon));
        reciprocals[row] = narrow(reciprocal);
        for (std::int64_t i = 0; i < o.width; ++i)
            y[row * o.width + i] =
                narrow(wide(x[row * o.width + i]) * reciprocal * wide(weight[i]));
    }
}

void ReferenceDevice::rmsNormBackward(const RmsNormBackward& o)
{
    const float* x = floats(o.x, o.rows * o.width);
    const float* weight = floats(o.weight, o.width);
    const float* reciprocals = floats(o.reciprocal, o.rows);
    const float* gradY = floats(o.gradY, o.rows * o.width);
    float* gradX = floats(o.gradX, o.rows * o.width);
    float* gradWeight = floats(o.gradWeight, o.width);
    if (failed())
        return;
    std::vector<double> sums(gradWeight, gradWeight + o.width);
    for (std::int64_t row = 0; row < o.rows; ++row) {
        const std::int64_t first = row * o.width;
        const double reciprocal = wide(reciprocals[row]);
        double dot = 0;
        for (std::int64_t i = 0; i < o.width; ++i) {
            const double normed = wide(x[first + i]) * reciprocal;
            dot += wide(gradY[first + i]) * wide(weight[i]) * normed;
            sums[static_cast<std::size_t>(i)] += wide(gradY[first + i]) * normed;
        }
        dot /= static_cast<double>(o.width);
        for (std::int64_t i = 0; i < o.width; ++i) {
            const double normed = wide(x[first + i]) * reciprocal;
            const double gradient =
                reciprocal * (wide(gradY[first + i]) * wide(weight[i]) - normed * dot);
            gradX[first + i] = narrow(wide(gradX[first + i]) + gradient);
        }
    }
    std::transform(sums.begin(), sums.end(), gradWeight, narrow);
}

void ReferenceDevice::rope(const Rope& o)
{
    const auto& shape = o.shape;
    if (!valid(shape) || shape.headSize % 2 != 0)
        return fail("a rotary embedding has an impossible shape");
    float* qkv = floats(o.qkv, shape.rows() * shape.rowWidth());
    const float* table = floats(o.table, shape.length * shape.headSize);
    if (failed())
        return;
    const double sign = o.direction == Direction::Forward ? 1 : -1;
    const std::int64_t half = shape.headSize / 2;
    const std::int64_t turned = (shape.heads + shape.kvHeads) * half; // pairs of a row
    for (std::int64_t row = 0; row < shape.rows(); ++row) {
        const float* angles = table + row % shape.length * shape.headSize;
        for (std::int64_t pair = 0; pair < turned; ++pair) {
            float& low = qkv[row * shape.rowWidth() + pair / half * shape.headSize + pair % half];
            float& high = *(&low + half);
            const double cosine = wide(angles[pair % half * 2]);
            const double sine = wide(angles[pair % half * 2 + 1]) * sign;
            const double before = wide(low);
            low = narrow(before * cosine - wide(high) * sine);
            high = narrow(before * sine + wide(high) * cosine);
        }
    }
}

void ReferenceDevice::attention(const Attention& o)
{
    if (!valid(o.shape))
        return fail("attention has an impossible shape");
    const float* qkv = floats(o.qkv, o.shape.rows() * o.shape.rowWidth());
    float* out = floats(o.out, o.shape.rows() * o.shape.heads * o.shape.headSize);
    float* logSum = floats(o.logSum, o.shape.rows() * o.shape.heads);
    if (failed())
        return;
    forEachHead(o.shape, [&](const HeadView& head) {
        for (std::int64_t position = 0; position < o.shape.length; ++position)
            attendFrom(head, position, qkv, out, logSum);
    });
}

void ReferenceDevice::attentionBackward(const AttentionBackward& o)
{
    if (!valid(o.shape))
        return fail("attention has an impossible shape");
    const std::int64_t outElements = o.shape.rows() * o.shape.heads * o.shape.headSize;
    const float* qkv = floats(o.qkv, o.shape.rows() * o.shape.rowWidth());
    floats(o.out, outElements);
    floats(o.logSum, o.shape.rows() * o.shape.heads);
    const float* gradOut = floats(o.gradOut, outElements);
    float* gradQkv = floats(o.gradQkv, o.shape.rows() * o.shape.rowWidth());
    if (failed())
        return;
    std::vector<double> sums(static_cast<std::size_t>(o.gradQkv.elements), 0.0);
    forEachHead(o.shape, [&](const HeadView& head) {
        for (std::int64_t position = 0; position < o.shape.length; ++position)
            attendBackFrom(head, position, qkv, gradOut, sums);
    });
    std::transform(sums.begin(), sums.end(), gradQkv, narrow);
}

void ReferenceDevice::swiGlu(const SwiGlu& o)
{
    const float* gateUp = floats(o.gateUp, 2 * o.rows * o.width);
    float* out = floats(o.out, o.rows * o.width);
    if (failed())
        return;
    for (std::int64_t i = 0; i < o.rows * o.width; ++i) {
        const float* both = gateUp + i / o.width * 2 * o.width + i % o.width;
        const double gate = wide(both[0]);
        out[i] = narrow(gate / (1 + std::exp(-gate)) * wide(both[o.width]));
    }
}

void ReferenceDevice::swiGluBackward(const SwiGluBackward& o)
{
    const float* gateUp = floats(o.gateUp, 2 * o.rows * o.width);
    const float* gradOut = floats(o.gradOut, o.rows * o.width);
    float* gradGateUp = floats(o.gradGateUp, 2 * o.rows * o.width);
    if (failed())
        return;
    for (std::int64_t i = 0; i < o.rows * o.width; ++i) {
        const std::int64_t at = i / o.width * 2 * o.width + i % o.width;
        const double gate = wide(gateUp[at]);
        const double up = wide(gateUp[at + o.width]);
        const double sigmoid = 1 / (1 + std::exp(-gate));
        const double gradient = wide(gradOut[i]);
        gradGateUp[at] = narrow(gradient * up * sigmoid * (1 + gate * (1 - sigmoid)));
        gradGateUp[at + o.width] = narrow(gradient * gate * sigmoid);
    }
}

void ReferenceDevice::softmaxCrossEntropy(const SoftmaxCrossEntropy& o)
{
    float* logits = floats(o.logits, o.rows * o.classes);
    const std::int32_t* targets = integers(o.targets, o.rows);
    float* losses = floats(o.losses, o.rows);
    if (failed() || o.classes <= 0)
        return;
    for (std::int64_t row = 0; row < o.rows; ++row) {
        float* values = logits + row * o.classes;
        const double sum = logSumExp({values, values + o.classes});
        const bool known = targets[row] >= 0 && targets[row] < o.classes;
        losses[row] = known ? narrow(sum - wide(values[targets[row]])) : kNone;
        for (std::int64_t i = 0; i < o.classes && o.gradient; ++i) {
            const double target = i == targets[row] ? 1 : 0;
            const double gradient = (std::exp(wide(values[i]) - sum) - target);
            values[i] = known ? narrow(gradient * wide(o.gradientScale)) : kNone;
        }
    }
}

} // namespace commonweight::gpu
