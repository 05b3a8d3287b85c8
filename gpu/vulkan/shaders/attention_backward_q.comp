#version 450
#include "attention.glsl"
// The gradient of queries (Dao 2023, algorithm 2, the part of dQ): probabilities are computed again from
// the kept sums. x: blocks of queries, y: heads, z: sequences.
layout(binding = 0) readonly buffer Qkv { float qkv[]; };
layout(binding = 0) readonly buffer QkvVectors { vec4 qkvVectors[]; };
layout(binding = 1) readonly buffer GradOut { float gradOut[]; };
layout(binding = 1) readonly buffer GradOutVectors { vec4 gradOutVectors[]; };
layout(binding = 2) readonly buffer LogSum { float logSum[]; };
layout(binding = 3) readonly buffer Delta { float delta[]; };
layout(binding = 4) writeonly buffer GradQkv { float gradQkv[]; };
layout(binding = 4) writeonly buffer GradQkvVectors { vec4 gradQkvVectors[]; };

shared vec4 queries[kBlock * kLine];
shared vec4 gradRows[kBlock * kLine];
shared vec4 tile[kTile * kLine]; // values, then keys
shared float weights[kBlock * (kTile + 1)];

TILE_READER(readQueries, queries, qkv, qkvVectors)
TILE_READER(readGradRows, gradRows, gradOut, gradOutVectors)
TILE_READER(readTile, tile, qkv, qkvVectors)
TILE_PRODUCT(multiplyKeys, queries, tile)
TILE_PRODUCT(multiplyValues, gradRows, tile)
ADD_WEIGHTED(addKeys, weights, tile)
ROW_WRITER(writeRow, gradQkv, gradQkvVectors)

void main()
{
    const uint head = gl_WorkGroupID.y;
    const uint blocks = (push.tokens + kBlock - 1) / kBlock;
    const uint block = (blocks - 1 - gl_WorkGroupID.x) * kBlock;
    const uint end = min(block + kBlock, push.tokens);
    const uint kvHead = kvHeadOf(head);
    readQueries(push.at[0] + queryAt(head), rowWidth(), block, kBlock);
    readGradRows(push.at[1] + outAt(head), outWidth(), block, kBlock);
    float sumOfRow[kThreadRows];
    float deltaOfRow[kThreadRows];
    [[unroll]] for (uint r = 0; r < kThreadRows; ++r) {
        const uint row = min(block + firstRow() + r, push.tokens - 1);
        sumOfRow[r] = logSum[push.at[2] + sumAt(head) + row];
        deltaOfRow[r] = delta[push.at[3] + sumAt(head) + row];
    }
    Features sums;
    [[unroll]] for (uint i = 0; i < kThreadRows * kFeatures; ++i)
        sums.at[i] = vec4(0);

    for (uint first = 0; first < end; first += kTile) {
        barrier();
        readTile(push.at[0] + valueAt(kvHead), rowWidth(), first, kTile);
        barrier();
        Scores gradWeights;
        multiplyValues(gradWeights);
        barrier();
        readTile(push.at[0] + keyAt(kvHead), rowWidth(), first, kTile);
        barrier();
        Scores scores;
        multiplyKeys(scores);
        [[unroll]] for (uint r = 0; r < kThreadRows; ++r) {
            const uint row = block + firstRow() + r;
            [[unroll]] for (uint c = 0; c < kThreadColumns; ++c) {
                const uint i = r * kThreadColumns + c;
                const uint column = lane() + c * kLanes;
                const float weight = exponential(scores.at[i] * push.scale - sumOfRow[r]);
                weights[(firstRow() + r) * (kTile + 1) + column] =
                    first + column <= row
                        ? weight * (gradWeights.at[i] - deltaOfRow[r]) * push.scale
                        : 0;
            }
        }
        barrier();
        addKeys(sums);
    }

    for (uint r = 0; r < kThreadRows; ++r) {
        const uint row = block + firstRow() + r;
        if (row >= push.tokens)
            continue;
        const uint to = push.at[4] + queryAt(head) + row * rowWidth();
        [[unroll]] for (uint f = 0; f < kFeatures; ++f)
            writeRow(to, lane() + f * kLanes, sums.at[r * kFeatures + f]);
    }
}
