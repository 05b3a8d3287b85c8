#version 450
#include "common.glsl"
// x *= factor
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kEach = 4; // elements of a thread
layout(binding = 0) buffer X { float x[]; };
layout(push_constant) uniform Push
{
    uint at[8];
    uint count;
    float factor;
} push;

void main()
{
    uint i = groupIndex() * gl_WorkGroupSize.x * kEach + gl_LocalInvocationIndex;
    [[unroll]] for (uint j = 0; j < kEach; ++j, i += gl_WorkGroupSize.x)
        if (i < push.count)
            x[push.at[0] + i] *= push.factor;
}
