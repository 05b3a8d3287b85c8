#include "gpu/cpu/kernels.h"

namespace commonweight::gpu::cpu {

extern const Kernels kBaseKernels;
#ifdef __x86_64__
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
#endif

const Kernels& bestKernels()
{
#ifdef __x86_64__
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("bmi2");
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512vl");
    if (avx2 && avx512)
        return kAvx512Kernels;
    if (avx2)
        return kAvx2Kernels;
#endif
    return kBaseKernels;
}

} // namespace commonweight::gpu::cpu
