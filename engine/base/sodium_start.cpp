#include "engine/base/sodium_start.h"

#include <sodium.h>

#include <cstdio>
#include <cstdlib>

namespace commonweight {

void startSodium()
{
    static const bool ready = sodium_init() >= 0;
    if (ready)
        return;
    std::fputs("libsodium cannot start: the system offers no random numbers\n", stderr);
    std::abort();
}

} // namespace commonweight
