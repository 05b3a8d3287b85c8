#version 450
#include "attention.glsl"
// Causal attention with an online softmax over tiles of keys (Dao et al. 2022, algorithm 1; Milakov and
// Gimelshein 2018): scores never leave the group. x: blocks of queries, y: heads, z: sequences.
layout(binding = 0) readonly buffer Qkv { float qkv[]; };
layout(binding = 0) readonly buffer QkvVectors { vec4 qkvVectors[]; };
layout(binding = 1) writeonly buffer Out { float outValues[]; };
layout(binding = 1) writeonly buffer OutVectors { vec4 outVectors[]; };
layout(binding = 2) writeonly buffer LogSum { float logSum[]; };

shared vec4 queries[kBlock * kLine];
shared vec4 tile[kTile * kLine]; // keys, then values
shared float weights[kBlock * (kTile + 1)];

TILE_READER(readQueries, queries, qkv, qkvVectors)
TILE_READER(readTile, tile, qkv, qkvVectors)
TILE_PRODUCT(multiply, queries, tile)
ADD_WEIGHTED(addValues, weights, tile)
ROW_WRITER(writeRow, outValues, outVectors)

float top[kThreadRows];
float total[kThreadRows];
Features sums;

// Turns the scores of a tile into weights and brings the sums to the new maximum.
void soften(inout Scores scores, uint block, uint first)
{
    [[unroll]] for (uint r = 0; r < kThreadRows; ++r) {
        const uint row = block + firstRow() + r;
        float largest = nothing();
        [[unroll]] for (uint c = 0; c < kThreadColumns; ++c) {
            const uint i = r * kThreadColumns + c;
            const bool seen = first + lane() + c * kLanes <= row;
            scores.at[i] = seen ? scores.at[i] * push.scale : nothing();
            largest = max(largest, scores.at[i]);
        }
        const float newTop = max(top[r], laneMax(largest));
        const float shrink = exponential(top[r] - newTop);
        top[r] = newTop;
        float part = 0;
        [[unroll]] for (uint c = 0; c < kThreadColumns; ++c) {
            const float weight = exponential(scores.at[r * kThreadColumns + c] - newTop);
            weights[(firstRow() + r) * (kTile + 1) + lane() + c * kLanes] = weight;
            part += weight;
        }
        total[r] = total[r] * shrink + laneSum(part);
        [[unroll]] for (uint f = 0; f < kFeatures; ++f)
            sums.at[r * kFeatures + f] *= shrink;
    }
}

void main()
{
    const uint head = gl_WorkGroupID.y;
    // The last block looks at the most keys: it starts first.
    const uint blocks = (push.tokens + kBlock - 1) / kBlock;
    const uint block = (blocks - 1 - gl_WorkGroupID.x) * kBlock;
    const uint end = min(block + kBlock, push.tokens);
    const uint kvHead = kvHeadOf(head);
    readQueries(push.at[0] + queryAt(head), rowWidth(), block, kBlock);
    [[unroll]] for (uint r = 0; r < kThreadRows; ++r) {
        top[r] = nothing();
        total[r] = 0;
    }
    [[unroll]] for (uint i = 0; i < kThreadRows * kFeatures; ++i)
        sums.at[i] = vec4(0);

    for (uint first = 0; first < end; first += kTile) {
        barrier();
        readTile(push.at[0] + keyAt(kvHead), rowWidth(), first, kTile);
        barrier();
        Scores scores;
        multiply(scores);
        soften(scores, block, first);
        barrier();
        readTile(push.at[0] + valueAt(kvHead), rowWidth(), first, kTile);
        barrier();
        addValues(sums);
    }

    for (uint r = 0; r < kThreadRows; ++r) {
        const uint row = block + firstRow() + r;
        if (row >= push.tokens)
            continue;
        const uint to = push.at[1] + outAt(head) + row * outWidth();
        [[unroll]] for (uint f = 0; f < kFeatures; ++f)
            writeRow(to, lane() + f * kLanes, sums.at[r * kFeatures + f] / total[r]);
        if (lane() == 0)
            logSum[push.at[2] + sumAt(head) + row] = top[r] + logarithm(total[r]);
    }
}
