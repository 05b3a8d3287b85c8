#version 450
#include "attention.glsl"
// delta[sequence, head, row] = out · gradOut, which both backward kernels subtract (Dao 2023, algorithm
// 2, line 2). A line of groups over all rows and heads, eight lanes for each.
layout(binding = 0) readonly buffer Out { float outValues[]; };
layout(binding = 1) readonly buffer GradOut { float gradOut[]; };
layout(binding = 2) writeonly buffer Delta { float delta[]; };

void main()
{
    const uint item = groupIndex() * (kThreads / kLanes) + firstRow() / kThreadRows;
    const uint row = item / push.heads; // of all sequences
    const uint head = item % push.heads;
    const bool inside = item < push.sequences * push.tokens * push.heads;
    float sum = 0;
    const uint i = row * outWidth() + head * kHeadSize;
    for (uint j = lane(); inside && j < kHeadSize; j += kLanes)
        sum = fma(outValues[push.at[0] + i + j], gradOut[push.at[1] + i + j], sum);
    sum = laneSum(sum);
    if (inside && lane() == 0)
        delta[push.at[2] + (row / push.tokens * push.heads + head) * push.tokens +
              row % push.tokens] = sum;
}
