#version 450
#include "common.glsl"
#include "functions.glsl"
// out = silu(gate) · up, one element a thread.
layout(local_size_x_id = 0) in;
layout(binding = 0) readonly buffer GateUp { float gateUp[]; };
layout(binding = 1) writeonly buffer Out { float outValues[]; };
layout(push_constant) uniform Push
{
    uint at[8];
    uint count, width;
} push;

void main()
{
    const uint i = groupIndex() * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (i >= push.count)
        return;
    const uint from = push.at[0] + i / push.width * 2 * push.width + i % push.width;
    const float gate = gateUp[from];
    outValues[push.at[1] + i] = gate / (1.0 + exponential(-gate)) * gateUp[from + push.width];
}
