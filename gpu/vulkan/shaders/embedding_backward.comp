#version 450
#include "common.glsl"
// gradTable[tokens[r], :] += gradOut[r, :] without atomics: the group of a token's first row adds all
// rows of that token in order; groups of later rows do nothing. x, y: rows (folded), z: blocks of
// columns, one a thread.
layout(local_size_x_id = 0) in;
layout(binding = 0) buffer GradTable { float gradTable[]; };
layout(binding = 1) readonly buffer GradOut { float gradOut[]; };
layout(binding = 2) readonly buffer Tokens { int tokens[]; };
layout(push_constant) uniform Push
{
    uint at[8];
    uint rows, width, vocabulary;
} push;

shared uint matches[8]; // a bit for each of 256 rows

// Which of the rows behind `first` hold the token; all threads call.
void findMatches(uint first, int token)
{
    const uint thread = gl_LocalInvocationIndex;
    barrier();
    if (thread < 8)
        matches[thread] = 0;
    barrier();
    for (uint i = thread; i < 256; i += gl_WorkGroupSize.x) {
        if (first + i < push.rows && tokens[push.at[2] + first + i] == token)
            atomicOr(matches[i / 32], 1u << (i % 32)); // bits do not care for an order
    }
    barrier();
}

void main()
{
    const uint row = groupIndex();
    if (row >= push.rows)
        return;
    const int token = tokens[push.at[2] + row];
    if (token < 0 || uint(token) >= push.vocabulary)
        return;
    for (uint first = 0; first < row; first += 256) {
        findMatches(first, token);
        for (uint w = 0; w < 8; ++w) {
            const uint begin = first + w * 32;
            const uint count = row > begin ? min(row - begin, 32) : 0;
            if (count > 0 && (matches[w] & (0xffffffffu >> (32 - count))) != 0)
                return;
        }
    }

    const uint column = gl_WorkGroupID.z * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    const bool inside = column < push.width;
    const uint to = push.at[0] + uint(token) * push.width + min(column, push.width - 1);
    float sum = gradTable[to];
    for (uint first = row; first < push.rows; first += 256) {
        findMatches(first, token);
        for (uint w = 0; w < 8; ++w) {
            uint bits = matches[w];
            while (bits != 0) {
                const uint from = first + w * 32 + findLSB(bits);
                bits &= bits - 1;
                if (inside)
                    sum += gradOut[push.at[1] + from * push.width + column];
            }
        }
    }
    if (inside)
        gradTable[to] = sum;
}
