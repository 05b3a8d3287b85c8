// What every kernel shares; the convention is described in gpu/vulkan/kernel.h.
#extension GL_EXT_control_flow_attributes : require

// The group's place in a line of groups that was folded into rows (Groups::line).
uint groupIndex()
{
    const uint kFold = 32768;
    return gl_WorkGroupID.y * kFold + gl_WorkGroupID.x;
}
