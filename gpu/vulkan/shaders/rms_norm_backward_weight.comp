#version 450
#include "common.glsl"
// The first stage of gradWeight: partial[chunk, column] = Σ gradY·x·reciprocal over a chunk of rows.
// x: blocks of 32 columns, y: chunks. Eight rows at a time; their sums meet in shared memory.
layout(local_size_x_id = 0) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer Reciprocal { float reciprocal[]; };
layout(binding = 2) readonly buffer GradY { float gradY[]; };
layout(binding = 3) writeonly buffer Partial { float slabs[]; };
layout(push_constant) uniform Push
{
    uint at[8];
    uint rows, width, chunk;
} push;

shared float sums[256];

void main()
{
    const uint thread = gl_LocalInvocationIndex;
    const uint column = gl_WorkGroupID.x * 32 + thread % 32;
    const uint begin = gl_WorkGroupID.y * push.chunk;
    const uint end = min(push.rows, begin + push.chunk);
    float sum = 0;
    for (uint row = begin + thread / 32; row < end && column < push.width; row += 8) {
        const uint i = row * push.width + column;
        sum = fma(gradY[push.at[2] + i] * reciprocal[push.at[1] + row], x[push.at[0] + i], sum);
    }
    sums[thread] = sum;
    barrier();
    if (thread >= 32 || column >= push.width)
        return;
    for (uint i = 1; i < 8; ++i)
        sum += sums[thread + 32 * i];
    slabs[push.at[3] + gl_WorkGroupID.y * push.width + column] = sum;
}
