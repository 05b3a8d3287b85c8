// e^x and log x to about 1 ulp: Vulkan promises much less of its own. Cody and Waite's reduction and
// polynomials, as in gpu/cpu/kernels.cpp.

float exponential(float x)
{
    x = x < -104.0 ? -104.0 : x;
    x = x > 89.0 ? 89.0 : x;
    const float n = roundEven(x * 1.44269504);
    const float r = fma(n, 2.12194440e-4, fma(n, -0.693359375, x));
    float p = 1.9875691500e-4;
    p = fma(p, r, 1.3981999507e-3);
    p = fma(p, r, 8.3334519073e-3);
    p = fma(p, r, 4.1665795894e-2);
    p = fma(p, r, 1.6666665459e-1);
    p = fma(p, r, 5.0000001201e-1);
    p = fma(p * r, r, r) + 1.0;
    // In two factors, so that the result runs into 0 and infinity as it should.
    const int exponent = int(n);
    const int low = exponent >> 1;
    return p * intBitsToFloat((low + 127) << 23) * intBitsToFloat((exponent - low + 127) << 23);
}

// For normal x > 0; infinity and what is not a number come back as they are.
float logarithm(float x)
{
    if (!(x < 3.4e38))
        return x;
    const int bits = floatBitsToInt(x) - 0x3f3504f3; // of the root of 1/2
    const int exponent = bits >> 23;
    const float z = intBitsToFloat((bits & 0x7fffff) + 0x3f3504f3) - 1.0;
    float p = 7.0376836292e-2;
    p = fma(p, z, -1.1514610310e-1);
    p = fma(p, z, 1.1676998740e-1);
    p = fma(p, z, -1.2420140846e-1);
    p = fma(p, z, 1.4249322787e-1);
    p = fma(p, z, -1.6668057665e-1);
    p = fma(p, z, 2.0000714765e-1);
    p = fma(p, z, -2.4999993993e-1);
    p = fma(p, z, 3.3333331174e-1);
    const float e = float(exponent);
    const float tail = fma(e, -2.12194440e-4, fma(-0.5 * z, z, p * z * z * z));
    return fma(e, 0.693359375, z + tail);
}
