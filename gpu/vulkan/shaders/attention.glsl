// What the kernels of attention share. A group works on kBlock rows (of queries, or of keys in
// attention_backward_kv) against one tile of kTile columns after the other. Eight neighbouring lanes of
// a subgroup hold kThreadRows rows together: lane l has the columns l, l + 8, … of a row of scores, and
// of a row of features the vec4 l, l + 8, …
#include "common.glsl"
#include "functions.glsl"
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kHeadSize = 64;
layout(constant_id = 2) const uint kThreadRows = 2;
layout(constant_id = 3) const uint kThreadColumns = 4;
layout(constant_id = 4) const bool kVector = false; // heads are whole numbers of aligned vec4
layout(constant_id = 5) const uint kThreads = 128;  // constant 0 again

layout(push_constant) uniform Push
{
    uint at[8];
    uint sequences, tokens, heads, kvHeads; // tokens of a sequence
    float scale;
} push;

const uint kLanes = 8;
const uint kBlock = kThreads / kLanes * kThreadRows;
const uint kTile = kLanes * kThreadColumns;
const uint kParts = (kHeadSize + 3) / 4; // vec4 of a row of features, zeros behind
const uint kLine = kParts + 1;           // one more against bank conflicts
const uint kFeatures = (kParts + kLanes - 1) / kLanes;
float nothing() { return uintBitsToFloat(0xff800000u); } // −∞

// What a thread holds of the scores and of the features of its rows.
struct Scores {
    float at[kThreadRows * kThreadColumns];
};
struct Features {
    vec4 at[kThreadRows * kFeatures];
};

uint lane() { return gl_SubgroupInvocationID % kLanes; }
// The first of the thread's rows inside the block.
uint firstRow()
{
    return (gl_SubgroupID * (gl_SubgroupSize / kLanes) + gl_SubgroupInvocationID / kLanes) *
           kThreadRows;
}

uint rowWidth() { return (push.heads + 2 * push.kvHeads) * kHeadSize; }
uint outWidth() { return push.heads * kHeadSize; }
uint sequenceRow() { return gl_WorkGroupID.z * push.tokens; }
uint kvHeadOf(uint head) { return head / (push.heads / push.kvHeads); }
uint queryAt(uint head) { return sequenceRow() * rowWidth() + head * kHeadSize; }
uint keyAt(uint kvHead) { return sequenceRow() * rowWidth() + (push.heads + kvHead) * kHeadSize; }
uint valueAt(uint kvHead) { return keyAt(kvHead) + push.kvHeads * kHeadSize; }
uint outAt(uint head) { return sequenceRow() * outWidth() + head * kHeadSize; }
uint sumAt(uint head) { return (gl_WorkGroupID.z * push.heads + head) * push.tokens; }

float laneSum(float x)
{
    x += subgroupShuffleXor(x, 1);
    x += subgroupShuffleXor(x, 2);
    return x + subgroupShuffleXor(x, 4);
}
float laneMax(float x)
{
    x = max(x, subgroupShuffleXor(x, 1));
    x = max(x, subgroupShuffleXor(x, 2));
    return max(x, subgroupShuffleXor(x, 4));
}

// Copies rows [first, first + rows) of features into a tile of shared memory, zeros beyond the length.
// `at` is the slice's place in the buffer plus the head's place in the slice.
#define TILE_READER(name, tile, scalars, vectors)                                                  \
    void name(uint at, uint stride, uint first, uint rows)                                         \
    {                                                                                              \
        for (uint i = gl_LocalInvocationIndex; i < rows * kParts; i += kThreads) {                 \
            const uint row = i / kParts;                                                           \
            const uint part = i % kParts;                                                          \
            const uint from = at + (first + row) * stride + part * 4;                              \
            vec4 value = vec4(0);                                                                  \
            if (first + row < push.tokens) {                                                       \
                if (kVector) {                                                                     \
                    value = vectors[from >> 2];                                                    \
                } else {                                                                           \
                    [[unroll]] for (uint j = 0; j < 4; ++j)                                        \
                        value[j] = part * 4 + j < kHeadSize ? scalars[from + j] : 0;               \
                }                                                                                  \
            }                                                                                      \
            tile[row * kLine + part] = value;                                                      \
        }                                                                                          \
    }

// products.at[r · kThreadColumns + c] of the thread's rows with the tile's columns.
#define TILE_PRODUCT(name, rowTile, columnTile)                                                    \
    void name(out Scores products)                                                                 \
    {                                                                                              \
        vec4 sums[kThreadRows * kThreadColumns];                                                   \
        [[unroll]] for (uint i = 0; i < kThreadRows * kThreadColumns; ++i)                         \
            sums[i] = vec4(0);                                                                     \
        const uint row = firstRow();                                                               \
        for (uint part = 0; part < kParts; ++part) {                                               \
            vec4 columns[kThreadColumns];                                                          \
            [[unroll]] for (uint c = 0; c < kThreadColumns; ++c)                                   \
                columns[c] = columnTile[(lane() + c * kLanes) * kLine + part];                     \
            [[unroll]] for (uint r = 0; r < kThreadRows; ++r) {                                    \
                const vec4 x = rowTile[(row + r) * kLine + part];                                  \
                [[unroll]] for (uint c = 0; c < kThreadColumns; ++c)                               \
                    sums[r * kThreadColumns + c] =                                                 \
                        fma(x, columns[c], sums[r * kThreadColumns + c]);                          \
            }                                                                                      \
        }                                                                                          \
        [[unroll]] for (uint i = 0; i < kThreadRows * kThreadColumns; ++i)                         \
            products.at[i] = (sums[i].x + sums[i].y) + (sums[i].z + sums[i].w);                       \
    }

// sums += weights · tile, where `weights` [kBlock][kTile + 1] lies in shared memory.
#define ADD_WEIGHTED(name, weights, tile)                                                          \
    void name(inout Features sums)                                                                 \
    {                                                                                              \
        const uint row = firstRow();                                                               \
        for (uint j = 0; j < kTile; ++j) {                                                         \
            vec4 features[kFeatures];                                                              \
            [[unroll]] for (uint f = 0; f < kFeatures; ++f)                                        \
                features[f] = tile[j * kLine + min(lane() + f * kLanes, kParts - 1)];              \
            [[unroll]] for (uint r = 0; r < kThreadRows; ++r) {                                    \
                const vec4 weight = vec4(weights[(row + r) * (kTile + 1) + j]);                    \
                [[unroll]] for (uint f = 0; f < kFeatures; ++f)                                    \
                    sums.at[r * kFeatures + f] =                                                   \
                        fma(weight, features[f], sums.at[r * kFeatures + f]);                      \
            }                                                                                      \
        }                                                                                          \
    }

// Writes the thread's share of a row of features.
#define ROW_WRITER(name, scalars, vectors)                                                         \
    void name(uint at, uint part, vec4 value)                                                      \
    {                                                                                              \
        if (part >= kParts)                                                                        \
            return;                                                                                \
        const uint to = at + part * 4;                                                             \
        if (kVector) {                                                                             \
            vectors[to >> 2] = value;                                                              \
            return;                                                                                \
        }                                                                                          \
        for (uint j = 0; j < 4 && part * 4 + j < kHeadSize; ++j)                                   \
            scalars[to + j] = value[j];                                                            \
    }
