#version 450
#include "common.glsl"
#include "functions.glsl"
// The gradients of gate and up, which may take the place of gate and up; one element a thread.
layout(local_size_x_id = 0) in;
layout(binding = 0) readonly buffer GateUp { float gateUp[]; };
layout(binding = 1) readonly buffer GradOut { float gradOut[]; };
layout(binding = 2) writeonly buffer GradGateUp { float gradGateUp[]; };
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
    const uint first = i / push.width * 2 * push.width + i % push.width;
    const float gate = gateUp[push.at[0] + first];
    const float up = gateUp[push.at[0] + first + push.width];
    const float grad = gradOut[push.at[1] + i];
    const float sigmoid = 1.0 / (1.0 + exponential(-gate));
    const float silu = gate * sigmoid;
    gradGateUp[push.at[2] + first] = grad * up * (sigmoid + silu * (1.0 - sigmoid));
    gradGateUp[push.at[2] + first + push.width] = grad * silu;
}
