#pragma once
// Compiles a loop twice, for the plain instruction set of the platform and for AVX2, and picks one
// at run time. Results are the same bits either way: the loops use no operation whose rounding
// depends on the width of the registers.

#include <cstdlib>

namespace commonweight::exchange {

#if defined(__x86_64__)
/// COMMONWEIGHT_PLAIN_LOOPS in the environment turns AVX2 off, so that tests can compare the two.
inline bool hasAvx2()
{
    static const bool available =
        __builtin_cpu_supports("avx2") != 0 && !std::getenv("COMMONWEIGHT_PLAIN_LOOPS");
    return available;
}

template <auto Body, class... Arguments>
[[gnu::target("avx2")]] auto runWithAvx2(Arguments... arguments)
{
    return Body(arguments...);
}
#endif

/// Body(arguments…). `Body` must be declared with CW_LOOP, so that it is compiled into each of the
/// callers here.
template <auto Body, class... Arguments> auto runFastest(Arguments... arguments)
{
#if defined(__x86_64__)
    if (hasAvx2())
        return runWithAvx2<Body>(arguments...);
#endif
    return Body(arguments...);
}

} // namespace commonweight::exchange

#define CW_LOOP [[gnu::always_inline]] inline
