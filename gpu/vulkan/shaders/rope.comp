#version 450
#include "common.glsl"
// Turns features i and i + headSize/2 of each query and key head by the angle of (position, i); one
// pair a thread. `sign` −1 turns back.
layout(local_size_x_id = 0) in;
layout(binding = 0) buffer Qkv { float qkv[]; };
layout(binding = 1) readonly buffer Table { float table[]; };
layout(push_constant) uniform Push
{
    uint at[8];
    uint count;     // of pairs: rows · turned heads · half
    uint tokens;    // of a sequence
    uint turned;    // heads of queries and keys
    uint rowWidth;
    uint halfSize;
    float sign;
} push;

void main()
{
    const uint pair = groupIndex() * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (pair >= push.count)
        return;
    const uint i = pair % push.halfSize;
    const uint head = pair / push.halfSize % push.turned;
    const uint row = pair / (push.halfSize * push.turned);
    const uint angle = push.at[1] + (row % push.tokens * push.halfSize + i) * 2;
    const float cosine = table[angle];
    const float sine = push.sign * table[angle + 1];
    const uint low = push.at[0] + row * push.rowWidth + head * 2 * push.halfSize + i;
    const uint high = low + push.halfSize;
    const float a = qkv[low];
    const float b = qkv[high];
    qkv[low] = a * cosine - b * sine;
    qkv[high] = b * cosine + a * sine;
}
