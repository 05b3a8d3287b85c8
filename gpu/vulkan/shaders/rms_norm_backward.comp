#version 450
#include "common.glsl"
#include "reduce.glsl"
// gradX += gradY·weight·r − x·(Σ gradY·weight·x)·r³/width, one group for a row.
layout(local_size_x_id = 0) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer Weight { float weight[]; };
layout(binding = 2) readonly buffer Reciprocal { float reciprocal[]; };
layout(binding = 3) readonly buffer GradY { float gradY[]; };
layout(binding = 4) buffer GradX { float gradX[]; };
layout(push_constant) uniform Push
{
    uint at[8];
    uint rows, width;
} push;

void main()
{
    const uint row = groupIndex();
    if (row >= push.rows)
        return;
    const uint first = row * push.width;
    float along = 0;
    for (uint i = gl_LocalInvocationIndex; i < push.width; i += gl_WorkGroupSize.x)
        along = fma(gradY[push.at[3] + first + i] * weight[push.at[1] + i],
                    x[push.at[0] + first + i], along);
    const float inverse = reciprocal[push.at[2] + row];
    const float pull = groupSum(along) * inverse * inverse * inverse / float(push.width);
    for (uint i = gl_LocalInvocationIndex; i < push.width; i += gl_WorkGroupSize.x)
        gradX[push.at[4] + first + i] +=
            gradY[push.at[3] + first + i] * weight[push.at[1] + i] * inverse -
            x[push.at[0] + first + i] * pull;
}
