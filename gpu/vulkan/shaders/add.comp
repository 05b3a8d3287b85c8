#version 450
#include "common.glsl"
// out = a + sign · b
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kEach = 4; // elements of a thread
layout(binding = 0) writeonly buffer Out { float outValues[]; };
layout(binding = 1) readonly buffer A { float a[]; };
layout(binding = 2) readonly buffer B { float b[]; };
layout(push_constant) uniform Push
{
    uint at[8];
    uint count;
    float sign;
} push;

void main()
{
    uint i = groupIndex() * gl_WorkGroupSize.x * kEach + gl_LocalInvocationIndex;
    [[unroll]] for (uint j = 0; j < kEach; ++j, i += gl_WorkGroupSize.x)
        if (i < push.count)
            outValues[push.at[0] + i] =
                fma(push.sign, b[push.at[2] + i], a[push.at[1] + i]);
}
