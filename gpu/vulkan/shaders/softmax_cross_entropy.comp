#version 450
#include "common.glsl"
#include "functions.glsl"
#include "reduce.glsl"
// The loss of a row of logits in one pass with a running maximum (Milakov and Gimelshein 2018), one
// group for a row; with a gradient, a second pass writes it in place.
layout(local_size_x_id = 0) in;
layout(binding = 0) buffer Logits { float logits[]; };
layout(binding = 1) readonly buffer Targets { int targets[]; };
layout(binding = 2) writeonly buffer Losses { float losses[]; };
layout(push_constant) uniform Push
{
    uint at[8];
    uint rows, classes, gradient;
    float gradientScale;
} push;

void main()
{
    const uint row = groupIndex();
    if (row >= push.rows)
        return;
    const uint from = push.at[0] + row * push.classes;
    const int target = targets[push.at[1] + row];
    const bool known = target >= 0 && uint(target) < push.classes;
    const float atTarget = logits[from + (known ? uint(target) : 0)];

    // The lowest number, not minus infinity: logits may be that, and their difference is none.
    const float lowest = uintBitsToFloat(0xff7fffffu);
    float top = lowest;
    float sum = 0;
    for (uint i = gl_LocalInvocationIndex; i < push.classes; i += gl_WorkGroupSize.x) {
        const float value = logits[from + i];
        if (value > top) {
            sum = sum * exponential(top - value) + 1.0;
            top = value;
        } else {
            sum += exponential(value - top);
        }
    }
    const float topOfAll = groupMax(top);
    const float total = groupSum(sum * exponential(top - topOfAll));
    const float none = uintBitsToFloat(0x7fc00000u);
    if (gl_LocalInvocationIndex == 0)
        losses[push.at[2] + row] = known && topOfAll > lowest ? logarithm(total) + (topOfAll - atTarget) : none;
    if (push.gradient == 0)
        return;
    memoryBarrierBuffer(); // nobody overwrites the target's logit before it was read
    barrier();
    const float factor = known ? push.gradientScale / total : none;
    for (uint i = gl_LocalInvocationIndex; i < push.classes; i += gl_WorkGroupSize.x) {
        const float one = known && i == uint(target) ? push.gradientScale : 0.0;
        logits[from + i] = exponential(logits[from + i] - topOfAll) * factor - one;
    }
}
