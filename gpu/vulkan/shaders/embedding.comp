#version 450
#include "common.glsl"
// out[r, :] = table[tokens[r], :], one element a thread; NaN for a token outside the table.
layout(local_size_x_id = 0) in;
layout(binding = 0) writeonly buffer Out { float outValues[]; };
layout(binding = 1) readonly buffer Table { float table[]; };
layout(binding = 2) readonly buffer Tokens { int tokens[]; };
layout(push_constant) uniform Push
{
    uint at[8];
    uint count, width, vocabulary;
} push;

void main()
{
    const uint i = groupIndex() * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (i >= push.count)
        return;
    const int token = tokens[push.at[2] + i / push.width];
    const bool known = token >= 0 && uint(token) < push.vocabulary;
    const uint row = known ? uint(token) : 0;
    const float value = table[push.at[1] + row * push.width + i % push.width];
    outValues[push.at[0] + i] = known ? value : uintBitsToFloat(0x7fc00000u);
}
