#version 450
#include "common.glsl"
// out[m,n] = A · B (+ addend) (+ bias) for all four layouts. A group walks along k: both tiles pass
// through shared memory as vec4 along m and along n, whatever the layout outside, and while it
// multiplies one pair of tiles, the next one is on its way in registers. Sums run in the order of k, so
// that every tile class gives the same bits.
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kRows = 64;
layout(constant_id = 2) const uint kColumns = 64;
layout(constant_id = 3) const uint kDepth = 16;
layout(constant_id = 4) const uint kThreadRows = 8;
layout(constant_id = 5) const uint kThreadColumns = 4;
layout(constant_id = 6) const bool kTransposeA = false;
layout(constant_id = 7) const bool kTransposeB = false;
layout(constant_id = 8) const bool kVectorA = false; // a line is a whole number of aligned vec4
layout(constant_id = 9) const bool kVectorB = false;
layout(constant_id = 10) const bool kVectorOut = false; // out and addend
layout(constant_id = 11) const uint kThreads = 128;     // constant 0 again

layout(binding = 0) writeonly buffer Out { float outScalars[]; };
layout(binding = 0) writeonly buffer OutVectors { vec4 outVectors[]; };
layout(binding = 1) readonly buffer A { float aScalars[]; };
layout(binding = 1) readonly buffer AVectors { vec4 aVectors[]; };
layout(binding = 2) readonly buffer B { float bScalars[]; };
layout(binding = 2) readonly buffer BVectors { vec4 bVectors[]; };
layout(binding = 3) readonly buffer Addend { float addendScalars[]; };
layout(binding = 3) readonly buffer AddendVectors { vec4 addendVectors[]; };
layout(binding = 4) readonly buffer Bias { float bias[]; };
layout(push_constant) uniform Push
{
    uint at[8];
    uint m, n, k;
    uint chunk; // of k, for each z; with several, out holds one product after the other
    uint hasAddend, hasBias;
} push;

const uint kLineA = kRows / 4 + 1; // vec4 of a line of the tile, and one against bank conflicts
const uint kLineB = kColumns / 4 + 1;
const uint kBlocksA = kRows * kDepth / 16; // of 4 × 4
const uint kBlocksB = kColumns * kDepth / 16;
const uint kLoads = (kBlocksA + kBlocksB + kThreads - 1) / kThreads;
const uint kGroupsM = kThreadRows / 4;
const uint kGroupsN = kThreadColumns / 4;
const uint kThreadsM = kRows / kThreadRows;
const uint kThreadsN = kColumns / kThreadColumns;

shared vec4 tileA[kDepth * kLineA];
shared vec4 tileB[kDepth * kLineB];

// Four neighbours in a line of memory; zero beyond the matrix.
#define LINE_READER(name, scalars, vectors, binding, isVector)                                     \
    vec4 name(uint line, uint first, uint lines, uint length, uint stride)                         \
    {                                                                                              \
        if (line >= lines || first >= length)                                                      \
            return vec4(0);                                                                        \
        const uint i = push.at[binding] + line * stride + first;                                   \
        if (isVector)                                                                              \
            return vectors[i >> 2];                                                                \
        const uint rest = length - first;                                                          \
        return vec4(scalars[i], rest > 1 ? scalars[i + 1] : 0, rest > 2 ? scalars[i + 2] : 0,      \
                    rest > 3 ? scalars[i + 3] : 0);                                                \
    }
LINE_READER(lineOfA, aScalars, aVectors, 1, kVectorA)
LINE_READER(lineOfB, bScalars, bVectors, 2, kVectorB)

// A block of 4 × 4: element [k][i] for four steps along k and four places along m or n.
mat4 blockOfA(uint block, uint row, uint k, uint end)
{
    mat4 lines;
    if (kTransposeA) {
        const uint place = row + block % (kRows / 4) * 4;
        const uint step = k + block / (kRows / 4) * 4;
        [[unroll]] for (uint i = 0; i < 4; ++i)
            lines[i] = lineOfA(step + i, place, end, push.m, push.m);
        return lines;
    }
    const uint place = row + block / (kDepth / 4) * 4;
    const uint step = k + block % (kDepth / 4) * 4;
    [[unroll]] for (uint i = 0; i < 4; ++i)
        lines[i] = lineOfA(place + i, step, push.m, end, push.k);
    return transpose(lines);
}

mat4 blockOfB(uint block, uint column, uint k, uint end)
{
    mat4 lines;
    if (!kTransposeB) {
        const uint place = column + block % (kColumns / 4) * 4;
        const uint step = k + block / (kColumns / 4) * 4;
        [[unroll]] for (uint i = 0; i < 4; ++i)
            lines[i] = lineOfB(step + i, place, end, push.n, push.n);
        return lines;
    }
    const uint place = column + block / (kDepth / 4) * 4;
    const uint step = k + block % (kDepth / 4) * 4;
    [[unroll]] for (uint i = 0; i < 4; ++i)
        lines[i] = lineOfB(place + i, step, push.n, end, push.k);
    return transpose(lines);
}

mat4 coming[kLoads]; // the thread's share of the next pair of tiles

void fetch(uint row, uint column, uint k, uint end)
{
    [[unroll]] for (uint l = 0; l < kLoads; ++l) {
        const uint block = gl_LocalInvocationIndex + l * kThreads;
        if (block < kBlocksA)
            coming[l] = blockOfA(block, row, k, end);
        else if (block < kBlocksA + kBlocksB)
            coming[l] = blockOfB(block - kBlocksA, column, k, end);
    }
}

void storeBlock(uint block, mat4 lines)
{
    if (block >= kBlocksA + kBlocksB)
        return;
    if (block < kBlocksA) {
        const uint place = kTransposeA ? block % (kRows / 4) : block / (kDepth / 4);
        const uint step = (kTransposeA ? block / (kRows / 4) : block % (kDepth / 4)) * 4;
        [[unroll]] for (uint i = 0; i < 4; ++i)
            tileA[(step + i) * kLineA + place] = lines[i];
        return;
    }
    block -= kBlocksA;
    const uint place = kTransposeB ? block / (kDepth / 4) : block % (kColumns / 4);
    const uint step = (kTransposeB ? block % (kDepth / 4) : block / (kColumns / 4)) * 4;
    [[unroll]] for (uint i = 0; i < 4; ++i)
        tileB[(step + i) * kLineB + place] = lines[i];
}

vec4 addendAt(uint i, uint count)
{
    i += push.at[3];
    if (kVectorOut)
        return addendVectors[i >> 2];
    return vec4(addendScalars[i], count > 1 ? addendScalars[i + 1] : 0,
                count > 2 ? addendScalars[i + 2] : 0, count > 3 ? addendScalars[i + 3] : 0);
}

// Up to four neighbours of a row of the product.
void finish(vec4 values, uint row, uint column, uint slab)
{
    if (row >= push.m || column >= push.n)
        return;
    const uint count = min(push.n - column, 4);
    const uint i = row * push.n + column;
    if (push.hasAddend != 0)
        values += addendAt(i, count);
    if (push.hasBias != 0) {
        for (uint j = 0; j < count; ++j)
            values[j] += bias[push.at[4] + column + j];
    }
    const uint to = push.at[0] + slab * push.m * push.n + i;
    if (kVectorOut) {
        outVectors[to >> 2] = values;
        return;
    }
    for (uint j = 0; j < count; ++j)
        outScalars[to + j] = values[j];
}

void main()
{
    const uint thread = gl_LocalInvocationIndex;
    const uint row = gl_WorkGroupID.y * kRows;
    const uint column = gl_WorkGroupID.x * kColumns;
    const uint begin = gl_WorkGroupID.z * push.chunk;
    const uint end = min(push.k, begin + push.chunk);
    const uint threadN = thread % kThreadsN;
    const uint threadM = thread / kThreadsN;

    vec4 sums[kThreadRows * kGroupsN];
    [[unroll]] for (uint i = 0; i < kThreadRows * kGroupsN; ++i)
        sums[i] = vec4(0);

    fetch(row, column, begin, end);
    for (uint k = begin; k < end; k += kDepth) {
        barrier();
        [[unroll]] for (uint l = 0; l < kLoads; ++l)
            storeBlock(thread + l * kThreads, coming[l]);
        barrier();
        fetch(row, column, k + kDepth, end);
        for (uint step = 0; step < kDepth; ++step) {
            vec4 b[kGroupsN];
            [[unroll]] for (uint h = 0; h < kGroupsN; ++h)
                b[h] = tileB[step * kLineB + h * kThreadsN + threadN];
            [[unroll]] for (uint g = 0; g < kGroupsM; ++g) {
                const vec4 a = tileA[step * kLineA + g * kThreadsM + threadM];
                [[unroll]] for (uint i = 0; i < 4; ++i)
                    [[unroll]] for (uint h = 0; h < kGroupsN; ++h) {
                        const uint at = (g * 4 + i) * kGroupsN + h;
                        sums[at] = fma(vec4(a[i]), b[h], sums[at]);
                    }
            }
        }
    }

    [[unroll]] for (uint g = 0; g < kGroupsM; ++g)
        [[unroll]] for (uint i = 0; i < 4; ++i)
            [[unroll]] for (uint h = 0; h < kGroupsN; ++h)
                finish(sums[(g * 4 + i) * kGroupsN + h], row + (g * kThreadsM + threadM) * 4 + i,
                       column + (h * kThreadsN + threadN) * 4, gl_WorkGroupID.z);
}
