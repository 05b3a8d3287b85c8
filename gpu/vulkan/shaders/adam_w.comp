#version 450
#include "common.glsl"
// Loshchilov and Hutter 2019, algorithm 2, over a flat range.
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kEach = 4; // elements of a thread
layout(binding = 0) buffer Parameters { float parameters[]; };
layout(binding = 1) readonly buffer Gradient { float gradient[]; };
layout(binding = 2) buffer First { float first[]; };
layout(binding = 3) buffer Second { float second[]; };
layout(push_constant) uniform Push
{
    uint at[8];
    uint count;
    float decay, beta1, beta2, gradientScale, step, rootScale, epsilon;
} push;

void main()
{
    uint i = groupIndex() * gl_WorkGroupSize.x * kEach + gl_LocalInvocationIndex;
    [[unroll]] for (uint j = 0; j < kEach; ++j, i += gl_WorkGroupSize.x) {
        if (i >= push.count)
            return;
        const float g = gradient[push.at[1] + i] * push.gradientScale;
        const float m = push.beta1 * first[push.at[2] + i] + (1.0 - push.beta1) * g;
        const float v = push.beta2 * second[push.at[3] + i] + (1.0 - push.beta2) * g * g;
        first[push.at[2] + i] = m;
        second[push.at[3] + i] = v;
        const uint p = push.at[0] + i;
        parameters[p] = parameters[p] * push.decay -
                        push.step * m / (sqrt(v) * push.rootScale + push.epsilon);
    }
}
