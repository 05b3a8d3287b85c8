#version 450
#include "common.glsl"
// Partial sums of x², six numbers from each group: large, middle and small values each as a pair of
// fp32 whose sum has twice the digits (Dekker 1971; the scaling is Blue's, 1978), so that no device
// needs fp64 and nothing overflows. Group g sums the elements of its own range.
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kThreads = 256; // constant 0 again
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Sums { float sums[]; };
layout(push_constant) uniform Push
{
    uint at[8];
    uint count;
    uint share;   // elements of a group
    uint nothing; // 0
} push;

shared vec2 parts[3][kThreads];

bool isFinite(float value) { return (floatBitsToUint(value) & 0x7f800000u) != 0x7f800000u; }

// A rounded value that no compiler sees through: some fuse and cancel terms although `precise` forbids
// it (Mesa's llvmpipe 22.3 does).
float rounded(float value)
{
    return uintBitsToFloat(floatBitsToUint(value) ^ push.nothing);
}

// The rounded sum with its error (Knuth's two-sum); an infinite or impossible sum has none.
vec2 sumOf(vec2 a, vec2 b)
{
    const float sum = rounded(a.x + b.x);
    const float other = rounded(sum - a.x);
    const float error = rounded(a.x - rounded(sum - other)) + rounded(b.x - other);
    const float low = rounded(error + (a.y + b.y));
    const float high = rounded(sum + low);
    const float rest = low - rounded(high - sum);
    return isFinite(sum) ? vec2(high, rest) : vec2(sum, 0);
}

vec2 squareOf(float value)
{
    const float square = rounded(value * value);
    if (!isFinite(square))
        return vec2(square, 0);
    // Two halves of the digits, whose products are exact.
    const float high = uintBitsToFloat(floatBitsToUint(value) & 0xfffff000u);
    const float low = rounded(value - high);
    const float most = rounded(rounded(high * high) - square);
    return vec2(square, rounded(most + 2.0 * rounded(high * low)) + low * low);
}

void main()
{
    const uint thread = gl_LocalInvocationIndex;
    const uint begin = groupIndex() * push.share;
    const uint end = min(push.count, begin + push.share);
    vec2 large = vec2(0);
    vec2 middle = vec2(0);
    vec2 small = vec2(0);
    for (uint i = begin + thread; i < end; i += kThreads) {
        const float value = x[push.at[0] + i];
        const float size = abs(value);
        if (size < 1.099511627776e12 && size > 9.094947017729282e-13) // 2^40, 2^-40
            middle = sumOf(middle, squareOf(value));
        else if (size <= 9.094947017729282e-13)
            small = sumOf(small, squareOf(value * 1.2089258196146292e24)); // 2^80
        else
            large = sumOf(large, squareOf(value * 8.271806125530277e-25)); // 2^-80
    }
    parts[0][thread] = large;
    parts[1][thread] = middle;
    parts[2][thread] = small;
    for (uint reach = kThreads / 2; reach > 0; reach /= 2) {
        barrier();
        if (thread < reach)
            [[unroll]] for (uint p = 0; p < 3; ++p)
                parts[p][thread] = sumOf(parts[p][thread], parts[p][thread + reach]);
    }
    if (thread == 0)
        [[unroll]] for (uint p = 0; p < 3; ++p) {
            sums[push.at[1] + groupIndex() * 6 + 2 * p] = parts[p][0].x;
            sums[push.at[1] + groupIndex() * 6 + 2 * p + 1] = parts[p][0].y;
        }
}
