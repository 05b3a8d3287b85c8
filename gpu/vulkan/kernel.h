#pragma once
// What an operation asks of the runtime, and the convention of all shaders.
//
// How to add an operation:
//  1. Put its name into gpu/vulkan/CMakeLists.txt and write shaders/<name>.comp. It begins
//         #version 450
//         #include "common.glsl"
//         layout(local_size_x_id = 0) in;                       // constant 0: threads of a group
//         layout(constant_id = 1) const bool kVector = false;   // further constants, if any
//         layout(binding = 0) readonly buffer X { float x[]; };
//         layout(binding = 1) buffer Y { float y[]; };
//         layout(push_constant) uniform Push { uint at[8]; uint count; float factor; } push;
//     Bindings 0…7 are the operation's slices, in the order that the host passes. A storage buffer
//     is bound from an aligned place at or before its slice: element i of binding b's slice is
//     x[at[b] + i]. The parameters behind `at` (at most 96 bytes, std430: scalars only) are the
//     host's struct. Mark a binding `readonly` exactly when the host passes it as read(…): the
//     runtime places barriers by that. A buffer may be declared a second time as vec4 under the
//     same binding; at[b] % 4 == 0 when the slice begins at a multiple of 16 bytes (see
//     isAligned()).
//  2. Order the work so that no group depends on another of the same dispatch: the runtime may cut
//  a
//     dispatch into several submissions (by vkCmdDispatchBase; gl_WorkGroupID counts on, but
//     gl_NumWorkGroups is the part's: do not use it). Groups along one line beyond 32768 are folded
//     into y: use groupIndex() of common.glsl with Groups::line().
//  3. No float atomics; sums in an order that only the shape decides. groupSum() and groupMax() of
//     common.glsl reduce over a work group.
//  4. In VulkanDevice:
//         const Use x = read(o.x, o.rows * o.width, "the rows");  // checks owner, type, size
//         const Use y = write(o.y, o.rows * o.width, "the result");
//         run({"name", {256}}, {x, y}, Params{…}, Groups::line(n), work);
//     where `work` counts multiply-adds or fp32 values moved, whichever is more; a scratch() region
//     is passed as a Use as well. run() does nothing after an error.
//
// Plain values.

#include "gpu/vulkan/region.h"

#include <cstdint>
#include <vector>

namespace commonweight::gpu::vulkan {

constexpr std::size_t kBindings = 8;        ///< storage buffers of a kernel
constexpr std::size_t kParameterBytes = 96; ///< of push constants, behind eight offsets
constexpr std::uint32_t kFold = 32768;      ///< common.glsl knows it too

/// A shader with the values of its specialization constants 0, 1, …
struct Kernel {
    const char* shader;
    std::vector<std::uint32_t> constants;
};

/// Work groups of a dispatch.
struct Groups {
    std::uint64_t x = 1, y = 1, z = 1;

    /// `count` groups in a line, folded so that any device takes them.
    static Groups line(std::int64_t count)
    {
        const auto groups = static_cast<std::uint64_t>(count);
        if (groups <= kFold)
            return {groups, 1, 1};
        return {kFold, (groups + kFold - 1) / kFold, 1};
    }
};

} // namespace commonweight::gpu::vulkan
