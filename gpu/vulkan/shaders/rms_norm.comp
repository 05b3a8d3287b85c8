#version 450
#include "common.glsl"
#include "reduce.glsl"
// y = x / sqrt(mean(x²) + epsilon) · weight, one group for a row.
layout(local_size_x_id = 0) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer Weight { float weight[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };
layout(binding = 3) writeonly buffer Reciprocal { float reciprocal[]; };
layout(push_constant) uniform Push
{
    uint at[8];
    uint rows, width;
    float epsilon;
} push;

void main()
{
    const uint row = groupIndex();
    if (row >= push.rows)
        return;
    const uint from = push.at[0] + row * push.width;
    float squares = 0;
    for (uint i = gl_LocalInvocationIndex; i < push.width; i += gl_WorkGroupSize.x)
        squares = fma(x[from + i], x[from + i], squares);
    const float mean = groupSum(squares) / float(push.width);
    const float inverse = 1.0 / sqrt(mean + push.epsilon);
    if (gl_LocalInvocationIndex == 0)
        reciprocal[push.at[3] + row] = inverse;
    for (uint i = gl_LocalInvocationIndex; i < push.width; i += gl_WorkGroupSize.x)
        y[push.at[2] + row * push.width + i] = x[from + i] * inverse * weight[push.at[1] + i];
}
