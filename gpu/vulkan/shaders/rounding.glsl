// The numeric classes of gpu::Device: the factors of products are rounded to the nearest bf16 or fp16,
// ties to even, and stay fp32 numbers. By integers, since Vulkan leaves the rounding of conversions
// open.
layout(constant_id = 12) const uint kRounding = 0; // 0: fp32, 1: bf16, 2: fp16

float roundedFactor(float x)
{
    const uint bits = floatBitsToUint(x);
    if (kRounding == 0 || (bits & 0x7f800000u) == 0x7f800000u)
        return x;
    if (kRounding == 1)
        return uintBitsToFloat((bits + 0x7fffu + (bits >> 16 & 1u)) & 0xffff0000u);
    const uint size = bits & 0x7fffffffu;
    const uint sign = bits & 0x80000000u;
    if (size >= 0x477ff000u) // 65520 and above
        return uintBitsToFloat(sign | 0x7f800000u);
    if (size < 0x38800000u) // below 2^-14 the steps are 2^-24
        return roundEven(x * 16777216.0) * 5.9604644775390625e-8;
    return uintBitsToFloat(sign | ((size + 0xfffu + (size >> 13 & 1u)) & 0xffffe000u));
}

vec4 roundedFactors(vec4 x)
{
    return vec4(roundedFactor(x.x), roundedFactor(x.y), roundedFactor(x.z), roundedFactor(x.w));
}
