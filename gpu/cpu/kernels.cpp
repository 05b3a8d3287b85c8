// Compiled several times with different instruction sets (see CMakeLists.txt): everything but the
// table is local to the file, and nothing is called that the linker could share between the copies.
#include "gpu/cpu/kernels.h"

namespace commonweight::gpu::cpu {
namespace {

// e^x to about 1 ulp: x = n·ln 2 + r, a polynomial for e^r, and 2^n in two factors so that the
// result runs into 0 and infinity as it should. Written without a branch, so that loops around it
// become vector code.
inline float exponential(float x)
{
    constexpr float kMagic =
        12582912.0F; // 1.5 · 2^23: adding it rounds to a whole number in the low bits
    x = x < -104.0F ? -104.0F : x;
    x = x > 89.0F ? 89.0F : x;
    const float shifted = x * 1.44269504F + kMagic;
    const float n = shifted - kMagic;
    const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
    float p = 1.9875691500e-4F;
    p = p * r + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    p = p * r * r + r + 1.0F;
    const auto exponent = static_cast<std::int32_t>(__builtin_bit_cast(std::uint32_t, shifted) -
                                                    __builtin_bit_cast(std::uint32_t, kMagic));
    const std::int32_t half = exponent >> 1;
    const auto low = static_cast<std::uint32_t>(half + 127) << 23;
    const auto high = static_cast<std::uint32_t>(exponent - half + 127) << 23;
    return p * __builtin_bit_cast(float, low) * __builtin_bit_cast(float, high);
}

float dot(const float* a, const float* b, std::int64_t count)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < count; ++i)
        sum += a[i] * b[i];
    return sum;
}

void rmsNorm(const float* x, const float* weight, float* y, float* reciprocal, std::int64_t rows,
             std::int64_t width, float epsilon)
{
    for (std::int64_t r = 0; r < rows; ++r, x += width, y += width) {
        const float inverse =
            1.0F / __builtin_sqrtf(dot(x, x, width) / static_cast<float>(width) + epsilon);
        reciprocal[r] = inverse;
#pragma omp simd
        for (std::int64_t i = 0; i < width; ++i)
            y[i] = x[i] * inverse * weight[i];
    }
}

void rmsNormBackward(const float* x, const float* weight, const float* reciprocal,
                     const float* gradY, float* gradX, float* partialGradWeight, std::int64_t rows,
                     std::int64_t width)
{
    for (std::int64_t r = 0; r < rows; ++r, x += width, gradY += width, gradX += width) {
        const float inverse = reciprocal[r];
        float along = 0;
#pragma omp simd reduction(+ : along)
        for (std::int64_t i = 0; i < width; ++i)
            along += gradY[i] * weight[i] * x[i];
        const float pull = along * inverse * inverse * inverse / static_cast<float>(width);
#pragma omp simd
        for (std::int64_t i = 0; i < width; ++i) {
            gradX[i] += gradY[i] * weight[i] * inverse - x[i] * pull;
            partialGradWeight[i] += gradY[i] * x[i] * inverse;
        }
    }
}

void rope(float* row, const float* table, std::int64_t heads, std::int64_t headSize, float sign)
{
    const std::int64_t half = headSize / 2;
    for (std::int64_t h = 0; h < heads; ++h, row += headSize) {
        float* upper = row + half;
#pragma omp simd
        for (std::int64_t i = 0; i < half; ++i) {
            const float cosine = table[2 * i];
            const float sine = sign * table[2 * i + 1];
            const float a = row[i];
            const float b = upper[i];
            row[i] = a * cosine - b * sine;
            upper[i] = b * cosine + a * sine;
        }
    }
}

void swiGlu(const float* gateUp, float* out, std::int64_t rows, std::int64_t width)
{
    for (std::int64_t r = 0; r < rows; ++r, gateUp += 2 * width, out += width) {
        const float* up = gateUp + width;
#pragma omp simd
        for (std::int64_t i = 0; i < width; ++i)
            out[i] = gateUp[i] / (1.0F + exponential(-gateUp[i])) * up[i];
    }
}

void swiGluBackward(const float* gateUp, const float* gradOut, float* gradGateUp, std::int64_t rows,
                    std::int64_t width)
{
    for (std::int64_t r = 0; r < rows;
         ++r, gateUp += 2 * width, gradOut += width, gradGateUp += 2 * width) {
        const float* up = gateUp + width;
        float* gradUp = gradGateUp + width;
#pragma omp simd
        for (std::int64_t i = 0; i < width; ++i) {
            const float gate = gateUp[i];
            const float sigmoid = 1.0F / (1.0F + exponential(-gate));
            const float silu = gate * sigmoid;
            const float grad = gradOut[i];
            const float gradGate = grad * up[i] * (sigmoid + silu * (1.0F - sigmoid));
            gradUp[i] = grad * silu;
            gradGateUp[i] = gradGate;
        }
    }
}

// In lanes of its own, since compilers do not agree on vector code for a maximum.
float largest(const float* x, std::int64_t count)
{
    constexpr std::int64_t kLanes = 16;
    float lanes[kLanes];
    for (float& lane : lanes)
        lane = x[0];
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
#pragma omp simd
        for (std::int64_t l = 0; l < kLanes; ++l)
            lanes[l] = x[i + l] > lanes[l] ? x[i + l] : lanes[l];
    }
    for (; i < count; ++i)
        lanes[0] = x[i] > lanes[0] ? x[i] : lanes[0];
    float result = lanes[0];
    for (const float lane : lanes)
        result = lane > result ? lane : result;
    return result;
}

float softmaxCrossEntropy(float* logits, std::int32_t target, std::int64_t classes,
                          float gradientScale, bool gradient)
{
    const float top = largest(logits, classes);
    const float atTarget = logits[target];
    float sum = 0;
    if (!gradient) {
#pragma omp simd reduction(+ : sum)
        for (std::int64_t i = 0; i < classes; ++i)
            sum += exponential(logits[i] - top);
        return __builtin_logf(sum) + (top - atTarget);
    }
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < classes; ++i) {
        const float e = exponential(logits[i] - top);
        logits[i] = e;
        sum += e;
    }
    const float factor = gradientScale / sum;
#pragma omp simd
    for (std::int64_t i = 0; i < classes; ++i)
        logits[i] *= factor;
    logits[target] -= gradientScale;
    return __builtin_logf(sum) + (top - atTarget);
}

void attentionSoftmax(float* scores, float* logSum, const SoftmaxRows& block)
{
    const float scale = block.scale;
    for (std::int64_t r = 0; r < block.rows; ++r, scores += block.columns) {
        const std::int64_t seen = block.firstQuery + r + 1;
        const float top = largest(scores, seen) * scale;
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (std::int64_t i = 0; i < seen; ++i) {
            const float e = exponential(scores[i] * scale - top);
            scores[i] = e;
            sum += e;
        }
        const float inverse = 1.0F / sum;
#pragma omp simd
        for (std::int64_t i = 0; i < seen; ++i)
            scores[i] *= inverse;
        for (std::int64_t i = seen; i < block.columns; ++i)
            scores[i] = 0;
        logSum[r] = top + __builtin_logf(sum);
    }
}

void attentionSoftmaxBackward(float* scores, float* gradProbabilities, const float* logSum,
                              const float* outDotGradOut, const SoftmaxRows& block)
{
    const float scale = block.scale;
    for (std::int64_t r = 0; r < block.rows; ++r) {
        const std::int64_t seen = block.firstQuery + r + 1;
        const float log = logSum[r];
        const float mean = outDotGradOut[r];
#pragma omp simd
        for (std::int64_t i = 0; i < seen; ++i) {
            const float p = exponential(scores[i] * scale - log);
            scores[i] = p;
            gradProbabilities[i] = p * (gradProbabilities[i] - mean) * scale;
        }
        for (std::int64_t i = seen; i < block.columns; ++i) {
            scores[i] = 0;
            gradProbabilities[i] = 0;
        }
        scores += block.columns;
        gradProbabilities += block.columns;
    }
}

void roundToBf16(const float* x, std::uint16_t* out, std::int64_t count)
{
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) {
        const auto bits = __builtin_bit_cast(std::uint32_t, x[i]);
        const std::uint32_t rounded = bits + 0x7FFFU + (bits >> 16 & 1U);
        const bool notANumber = (bits & 0x7FFFFFFFU) > 0x7F800000U;
        out[i] = static_cast<std::uint16_t>(notANumber ? bits >> 16 | 0x40U : rounded >> 16);
    }
}

void add(float* out, const float* a, const float* b, std::int64_t count)
{
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = a[i] + b[i];
}

void difference(float* out, const float* a, const float* b, std::int64_t count)
{
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = a[i] - b[i];
}

void scale(float* x, float factor, std::int64_t count)
{
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i)
        x[i] *= factor;
}

double squaredNorm(const float* x, std::int64_t count)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < count; ++i)
        sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    return sum;
}

void adamW(float* parameters, const float* gradient, float* first, float* second,
           std::int64_t count, const AdamWFactors& factors)
{
    const AdamWFactors f = factors;
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) {
        const float g = gradient[i] * f.gradientScale;
        const float m = f.beta1 * first[i] + (1.0F - f.beta1) * g;
        const float v = f.beta2 * second[i] + (1.0F - f.beta2) * g * g;
        first[i] = m;
        second[i] = v;
        parameters[i] =
            parameters[i] * f.decay - f.step * m / (__builtin_sqrtf(v) * f.rootScale + f.epsilon);
    }
}

} // namespace

extern const Kernels COMMONWEIGHT_CPU_KERNELS;
const Kernels COMMONWEIGHT_CPU_KERNELS = {
    COMMONWEIGHT_CPU_KERNELS_NAME,
    rmsNorm,
    rmsNormBackward,
    rope,
    swiGlu,
    swiGluBackward,
    softmaxCrossEntropy,
    attentionSoftmax,
    attentionSoftmaxBackward,
    dot,
    roundToBf16,
    add,
    difference,
    scale,
    squaredNorm,
    adamW,
};

} // namespace commonweight::gpu::cpu
