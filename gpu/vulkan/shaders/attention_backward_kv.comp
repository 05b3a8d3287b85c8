#version 450
#include "attention.glsl"
// The gradients of keys and values (Dao 2023, algorithm 2, the part of dK and dV), one group for a block
// of keys of one key head: it walks over all query heads that read it and over their blocks in order, so
// that nothing is added atomically. x: blocks of keys, y: key heads, z: sequences.
layout(binding = 0) readonly buffer Qkv { float qkv[]; };
layout(binding = 0) readonly buffer QkvVectors { vec4 qkvVectors[]; };
layout(binding = 1) readonly buffer GradOut { float gradOut[]; };
layout(binding = 1) readonly buffer GradOutVectors { vec4 gradOutVectors[]; };
layout(binding = 2) readonly buffer LogSum { float logSum[]; };
layout(binding = 3) readonly buffer Delta { float delta[]; };
layout(binding = 4) writeonly buffer GradQkv { float gradQkv[]; };
layout(binding = 4) writeonly buffer GradQkvVectors { vec4 gradQkvVectors[]; };

shared vec4 keys[kBlock * kLine];
shared vec4 values[kBlock * kLine];
shared vec4 tile[kTile * kLine]; // queries, gradients of rows, queries
shared float weights[kBlock * (kTile + 1)];

TILE_READER(readKeys, keys, qkv, qkvVectors)
TILE_READER(readValues, values, qkv, qkvVectors)
TILE_READER(readQueries, tile, qkv, qkvVectors)
TILE_READER(readGradRows, tile, gradOut, gradOutVectors)
TILE_PRODUCT(multiplyKeys, keys, tile)
TILE_PRODUCT(multiplyValues, values, tile)
ADD_WEIGHTED(addTile, weights, tile)
ROW_WRITER(writeRow, gradQkv, gradQkvVectors)

Features gradKeys;
Features gradValues;

void storeWeights(Scores share)
{
    [[unroll]] for (uint r = 0; r < kThreadRows; ++r)
        [[unroll]] for (uint c = 0; c < kThreadColumns; ++c)
            weights[(firstRow() + r) * (kTile + 1) + lane() + c * kLanes] =
                share.at[r * kThreadColumns + c];
}

// One tile of queries of one head against the block of keys.
void addQueries(uint head, uint block, uint first)
{
    barrier();
    readQueries(push.at[0] + queryAt(head), rowWidth(), first, kTile);
    barrier();
    Scores probabilities;
    Scores gradScores;
    multiplyKeys(probabilities);
    [[unroll]] for (uint c = 0; c < kThreadColumns; ++c) {
        const uint query = first + lane() + c * kLanes;
        const float sum = logSum[push.at[2] + sumAt(head) + min(query, push.tokens - 1)];
        [[unroll]] for (uint r = 0; r < kThreadRows; ++r) {
            const uint i = r * kThreadColumns + c;
            const bool seen = block + firstRow() + r <= query && query < push.tokens;
            const float weight = exponential(probabilities.at[i] * push.scale - sum);
            probabilities.at[i] = seen ? weight : 0;
        }
    }
    storeWeights(probabilities);
    barrier();
    readGradRows(push.at[1] + outAt(head), outWidth(), first, kTile);
    barrier();
    addTile(gradValues);
    multiplyValues(gradScores);
    [[unroll]] for (uint c = 0; c < kThreadColumns; ++c) {
        const uint query = min(first + lane() + c * kLanes, push.tokens - 1);
        const float mean = delta[push.at[3] + sumAt(head) + query];
        [[unroll]] for (uint r = 0; r < kThreadRows; ++r) {
            const uint i = r * kThreadColumns + c;
            gradScores.at[i] = probabilities.at[i] == 0
                                ? 0
                                : probabilities.at[i] * (gradScores.at[i] - mean) * push.scale;
        }
    }
    barrier();
    storeWeights(gradScores);
    readQueries(push.at[0] + queryAt(head), rowWidth(), first, kTile);
    barrier();
    addTile(gradKeys);
}

void main()
{
    const uint kvHead = gl_WorkGroupID.y;
    const uint block = gl_WorkGroupID.x * kBlock; // the first block is seen by the most queries
    const uint headsOfKey = push.heads / push.kvHeads;
    readKeys(push.at[0] + keyAt(kvHead), rowWidth(), block, kBlock);
    readValues(push.at[0] + valueAt(kvHead), rowWidth(), block, kBlock);
    [[unroll]] for (uint i = 0; i < kThreadRows * kFeatures; ++i) {
        gradKeys.at[i] = vec4(0);
        gradValues.at[i] = vec4(0);
    }
    for (uint h = 0; h < headsOfKey; ++h)
        for (uint first = block / kTile * kTile; first < push.tokens; first += kTile)
            addQueries(kvHead * headsOfKey + h, block, first);

    for (uint r = 0; r < kThreadRows; ++r) {
        const uint row = block + firstRow() + r;
        if (row >= push.tokens)
            continue;
        const uint toKey = push.at[4] + keyAt(kvHead) + row * rowWidth();
        const uint toValue = push.at[4] + valueAt(kvHead) + row * rowWidth();
        [[unroll]] for (uint f = 0; f < kFeatures; ++f) {
            writeRow(toKey, lane() + f * kLanes, gradKeys.at[r * kFeatures + f]);
            writeRow(toValue, lane() + f * kLanes, gradValues.at[r * kFeatures + f]);
        }
    }
}
