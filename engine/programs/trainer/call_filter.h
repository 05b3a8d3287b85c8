#pragma once
// seccomp: the system calls that training never needs answer "not permitted". By libseccomp.

#include "engine/base/result.h"

namespace commonweight::trainer {

/// For this thread and those that it starts; cannot be undone. no_new_privs must be set. Denied:
/// the kernel has no seccomp filters.
Result<void> refuseCalls();

} // namespace commonweight::trainer
