#version 450
#include "common.glsl"
// The second stage of a product whose k was split: sums the slabs in order, then addend and bias.
layout(local_size_x_id = 0) in;
layout(binding = 0) writeonly buffer Out { float outValues[]; };
layout(binding = 1) readonly buffer Slabs { float slabs[]; };
layout(binding = 2) readonly buffer Addend { float addend[]; };
layout(binding = 3) readonly buffer Bias { float bias[]; };
layout(push_constant) uniform Push
{
    uint at[8];
    uint count, n, splits, hasAddend, hasBias;
} push;

void main()
{
    const uint i = groupIndex() * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (i >= push.count)
        return;
    float sum = 0;
    for (uint s = 0; s < push.splits; ++s)
        sum += slabs[push.at[1] + s * push.count + i];
    if (push.hasAddend != 0)
        sum += addend[push.at[2] + i];
    if (push.hasBias != 0)
        sum += bias[push.at[3] + i % push.n];
    outValues[push.at[0] + i] = sum;
}
