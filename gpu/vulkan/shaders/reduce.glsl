// Sums and maxima over a work group: within subgroups, then over them in order. All threads call, all
// get the result.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

shared float groupParts[256];

float groupSum(float value)
{
    const float part = subgroupAdd(value);
    if (subgroupElect())
        groupParts[gl_SubgroupID] = part;
    barrier();
    float sum = 0;
    for (uint i = 0; i < gl_NumSubgroups; ++i)
        sum += groupParts[i];
    barrier();
    return sum;
}

float groupMax(float value)
{
    const float part = subgroupMax(value);
    if (subgroupElect())
        groupParts[gl_SubgroupID] = part;
    barrier();
    float largest = groupParts[0];
    for (uint i = 1; i < gl_NumSubgroups; ++i)
        largest = max(largest, groupParts[i]);
    barrier();
    return largest;
}
